// Runs a protocol with an observer around it in the simulated world. The workload says which
// process begins to observe and when; the oracles judge the findings.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

#include "algorithms/observe/protocol.h"
#include "lab/sim/driver.h"
#include "lab/sim/election_simulation.h"
#include "lab/sim/observation_oracle.h"
#include "lab/sim/world.h"

namespace baton::sim {

template <ObservationProtocol P>
class ObservationSimulation : public World<ObservationSimulation<P>, P> {
 public:
  ObservationSimulation(const Plan& plan, Trace* trace)
      : Base(plan, trace),
        driver_(plan_, queue_),
        cuts_(plan_.setup.size, report_),
        termination_(report_),
        patience_(settling_time(plan_)) {}

 private:
  using Base = World<ObservationSimulation<P>, P>;
  friend Base;
  using Base::now_;
  using Base::plan_;
  using Base::queue_;
  using Base::record;
  using Base::report_;
  using Observed = typename P::Observed;

  void begin() { driver_.begin(); }

  P make(NodeId id) const { return P(id, plan_.setup); }

  void handle(const Event& event) {
    const NodeId id = driver_.due(event.node, event.argument, event.at);
    if (!this->is_up(id)) return;
    if constexpr (BeginsWhenTold<P>) {
      ++report_.requests;
      change();
      this->step(id, [](P& protocol, auto& out) { protocol.observe(out); });
    }
  }

  void told(NodeId id, const typename P::Event& event) {
    std::visit([&](const auto& one) { upon(id, one); }, event);
  }
  void upon(NodeId id, const Recorded& recorded) {
    record(id, TraceKind::record, nobody, "snapshot " + recorded.snapshot.text());
    cuts_.record(id, recorded.snapshot);
  }
  void upon(NodeId id, const GlobalState<Observed>& global) {
    ++report_.entries;
    CutFound found{.initiator = global.snapshot.initiator,
                   .number = global.snapshot.number,
                   .messages = global.channels.size()};
    if constexpr (Conserves<Observed>) {
      found.counts = true;
      found.in_all = Observed::amount_in_all(plan_.setup);
      for (const auto& state : global.states) found.in_states += Observed::amount_in(state);
      for (const auto& one : global.channels) {
        found.in_channels += Observed::amount_in(one.message);
      }
    }
    cuts_.complete(found, now_);
    driver_.is_free(id, now_);
  }
  void upon(NodeId id, const Announced&) {
    ++report_.entries;
    change();
    record(id, TraceKind::note, nobody, "announces termination");
    if constexpr (Computation<Observed>) {
      termination_.announce(id, someone_active(), under_way(), now_);
    }
    driver_.is_free(id, now_);
  }
  // An event of the protocol inside for its application.
  template <class Other>
  void upon(NodeId, const Other&) {}

  void sent(NodeId id, std::uint32_t slot) { cuts_.send(id, slot); }
  void received(NodeId id, std::uint32_t slot) {
    const auto& message = this->message_in(slot);
    if (message.index() >= P::own_messages) ++received_;
    if (cuts_.is_effect_without_cause(id, slot)) [[unlikely]] {
      cuts_.blame(id, slot,
                  std::string(reflect::message_name(message)) + reflect::message_body(message));
    }
  }
  void crashed(NodeId id) { driver_.lapse(id); }
  void recovered(NodeId) {}
  void paused(NodeId) {}
  void struck() {}

  bool go_on_when_quiet() {
    if (driver_.next_turn(now_, Ticks{0})) return true;
    // Every observation that began must also finish.
    if constexpr (std::constructible_from<typename P::Event, const GlobalState<Observed>&>) {
      cuts_.judge_unfinished(report_.requests, now_);
    }
    if constexpr (Computation<Observed>) {
      if (is_watched()) termination_.judge_silence(now_);
    }
    return false;
  }

  // Observers that ask again until they find something might do so for ever, long after the
  // observed computation has come to rest.
  bool go_on() {
    if constexpr (Computation<Observed>) {
      if ((++steps_ & 0xFF) != 0) return true;
      if (someone_active() != nobody || received_ != received_before_) change();
      received_before_ = received_;
      if (now_ - last_change_ <= patience_ || !driver_.is_idle()) return true;
      if (is_watched()) termination_.judge_silence(now_);
      return false;
    }
    return true;
  }

  void change() { last_change_ = now_; }

  // Some process wants to know: from the beginning, or since it was told to.
  bool is_watched() const { return !BeginsWhenTold<P> || report_.requests > 0; }

  NodeId someone_active() {
    for (std::uint32_t i = 0; i < plan_.setup.size; ++i) {
      if (this->is_up({i}) && !Observed::is_passive(this->node({i}).observed().state())) {
        return {i};
      }
    }
    return nobody;
  }

  // Messages of the protocol inside that are under way. Lost ones count for ever; duplicates, which
  // observers assume away, make up for them.
  std::uint64_t under_way() const {
    std::uint64_t sent = 0;
    for (std::size_t i = P::own_messages; i < this->types_.size(); ++i) sent += this->sent_of(i);
    return sent - std::min(sent, received_);
  }

  void finish() {
    for (std::size_t i = 0; i < this->types_.size(); ++i)
      report_.messages_enter += this->sent_of(i);
    report_.observer_types = P::own_messages;
  }

  Driver driver_;
  CutOracle cuts_;
  TerminationOracle termination_;
  Ticks patience_;
  Ticks last_change_{0};
  std::uint64_t received_ = 0;  // messages of the protocol inside
  std::uint64_t received_before_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace baton::sim
