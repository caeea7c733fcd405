// Runs a mutual-exclusion protocol in the simulated world: the workload asks, each process stays
// inside the critical section for a while, and the oracles watch.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "lab/sim/driver.h"
#include "lab/sim/oracle.h"
#include "lab/sim/world.h"

namespace baton::sim {

MutexOracle::Bounds bounds_of(const Plan& plan, const Info& info);

// True if this process can talk to a majority of the configured group, itself included.
template <class IsReachable>
bool has_majority(std::uint32_t size, IsReachable is_reachable) {
  std::uint32_t reachable = 0;
  for (std::uint32_t i = 0; i < size; ++i) reachable += is_reachable(NodeId{i}) ? 1 : 0;
  return 2 * reachable > size;
}

template <class P>
requires MutexProtocol<P> || FencedMutexProtocol<P>
class Simulation : public World<Simulation<P>, P> {
 public:
  Simulation(const Plan& plan, Trace* trace)
      : Base(plan, trace),
        perpetual_(info_of<P>(plan.setup).perpetual),
        driver_(plan_, queue_),
        oracle_(plan_.setup.size, bounds_of(plan_, info_of<P>(plan_.setup)), report_),
        stays_(plan_.setup.size) {
    oracle_.keep_resource_on(plan_.servers, plan_.seed);
  }

 private:
  using Base = World<Simulation<P>, P>;
  friend Base;
  using Base::judged_;
  using Base::now_;
  using Base::plan_;
  using Base::queue_;
  using Base::record;
  using Base::report_;
  using Base::types_;

  static constexpr bool survives_crashes = FencedMutexProtocol<P>;

  void begin() {
    for (const NodeId absent : plan_.faults.absent) oracle_.crash(absent, now_);
    if (plan_.inside != nobody) {
      oracle_.starts_inside(plan_.inside);
      schedule_exit(plan_.inside);
    }
    driver_.begin();
  }

  P make(NodeId id) const {
    if constexpr (survives_crashes) {
      return P(id, plan_.setup);
    } else {
      return P(id, plan_.setup, this->life(id) == 0 ? plan_.inside : nobody);
    }
  }

  void handle(const Event& event) {
    if (event.kind == EventKind::request) {
      request(driver_.due(event.node, event.argument, event.at));
    } else if (event.life == stays_[event.node.value]) {
      exit(event.node);
    }
  }

  void request(NodeId id) {
    switch (oracle_.status(id)) {
      case MutexOracle::Status::waiting:
      case MutexOracle::Status::inside:
        driver_.postpone(id);
        return;
      case MutexOracle::Status::down:
        return;
      case MutexOracle::Status::idle:
        break;
    }
    open_turn(id);
    record(id, TraceKind::request);
    oracle_.request(id, now_);
    this->step(id, [](P& protocol, auto& out) { protocol.request(out); });
  }

  void exit(NodeId id) {
    if constexpr (survives_crashes) oracle_.access(id, now_);
    record(id, TraceKind::exit);
    oracle_.exit(id, now_);
    this->step(id, [](P& protocol, auto& out) { protocol.release(out); });
    driver_.is_free(id, now_);
  }

  void told(NodeId id, const Entered&) {
    record(id, TraceKind::enter);
    if (oracle_.enter(id, now_)) schedule_exit(id);
    if (plan_.workload.count_from > 0) count_steady();
  }

  void told(NodeId id, const FencedEvent& event) {
    if (const auto* granted = std::get_if<Granted>(&event)) {
      oracle_.show_fence(id, granted->fence);
      told(id, Entered{});
      oracle_.access(id, now_);
    } else {
      record(id, TraceKind::lose);
      oracle_.lose(id, now_);
      ++stays_[id.value];
      driver_.is_free(id, now_);
    }
  }

  void sent(NodeId from, std::uint32_t slot) { oracle_.order().send(from, slot); }
  void received(NodeId to, std::uint32_t slot) { oracle_.order().receive(to, slot); }

  void crashed(NodeId id) {
    ++stays_[id.value];
    oracle_.crash(id, now_);
    driver_.lapse(id);
  }
  void recovered(NodeId id) {
    oracle_.recover(id);
    driver_.is_free(id, now_);
  }
  void paused(NodeId id) { oracle_.pause(id); }
  void resumed(NodeId id) { oracle_.resume(id, now_); }
  void struck() { oracle_.excuse(now_); }

  bool go_on() {
    if (oracle_.is_stuck(now_)) return go_on_when_stuck();
    return !perpetual_ || go_on_when_idle();
  }

  // A group without a majority rightly waits, and so does a process that cannot reach a majority.
  bool go_on_when_stuck() {
    if constexpr (survives_crashes) {
      if (oracle_.waiting([&](NodeId id) { return is_entitled(id); }) == 0) {
        oracle_.excuse(now_);
        if (!this->all_faults_struck() || !driver_.is_idle()) return true;
        report_.stalled = true;
        return false;
      }
    }
    oracle_.report_stuck(now_);
    return false;
  }

  // The process can talk to a majority, and to every process that can. Otherwise a view may rightly
  // leave it out.
  bool is_entitled(NodeId id) const {
    for (std::uint32_t i = 0; i < plan_.setup.size; ++i) {
      if (reaches_majority({i}) && !this->can_talk(id, {i})) return false;
    }
    return reaches_majority(id);
  }
  bool reaches_majority(NodeId id) const {
    if (!this->is_running(id)) return false;
    return has_majority(plan_.setup.size, [&](NodeId other) {
      return this->is_running(other) && this->can_talk(id, other);
    });
  }

  // Nothing is scheduled any more. True if the workload has something to continue with.
  bool go_on_when_quiet() {
    if (oracle_.waiting() > 0) {
      oracle_.fell_silent(now_);
      return false;
    }
    close_turn();
    return driver_.next_turn(now_, Ticks{0});
  }

  // As above for a protocol that never falls silent, as soon as no process wants anything.
  bool go_on_when_idle() {
    if (oracle_.waiting() > 0 || oracle_.inside() > 0 || !driver_.is_idle()) return true;
    close_turn();
    const Ticks pause = plan_.setup.size * message_time;
    return driver_.next_turn(now_, pause) || !this->all_faults_struck();
  }

  void schedule_exit(NodeId id) {
    queue_.push(now_ + plan_.critical_section, EventKind::exit, id, 0, stays_[id.value]);
  }

  std::pair<std::uint64_t, std::uint64_t> messages_so_far() const {
    std::pair<std::uint64_t, std::uint64_t> enter_and_exit;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].phase == Phase::enter) enter_and_exit.first += this->sent_of(i);
      if (types_[i].phase == Phase::exit) enter_and_exit.second += this->sent_of(i);
    }
    return enter_and_exit;
  }

  void count_steady() {
    const auto [enter, exit] = messages_so_far();
    if (report_.entries == plan_.workload.count_from)
      steady_begin_ = {report_.entries, enter, exit};
    report_.steady = {report_.entries - steady_begin_.entries, enter - steady_begin_.messages_enter,
                      exit - steady_begin_.messages_exit};
  }

  void open_turn(NodeId id) {
    if (plan_.workload.kind != Workload::Kind::turns) return;
    const auto [enter, exit] = messages_so_far();
    turn_ = {.node = id,
             .messages_enter = enter,
             .messages_exit = exit,
             .transmissions = report_.transmissions};
    waited_before_turn_ = report_.waiting.sum;
    turn_open_ = true;
  }

  void close_turn() {
    if (!std::exchange(turn_open_, false)) return;
    const auto [enter, exit] = messages_so_far();
    turn_.messages_enter = enter - turn_.messages_enter;
    turn_.messages_exit = exit - turn_.messages_exit;
    turn_.transmissions = report_.transmissions - turn_.transmissions;
    turn_.waited = report_.waiting.sum - waited_before_turn_;
    report_.turns.push_back(turn_);
  }

  void finish() {
    std::tie(report_.messages_enter, report_.messages_exit) = messages_so_far();
    for (std::size_t i = 0; i < types_.size(); ++i) report_.upkeep += this->sent_of(i);
    report_.upkeep -= report_.messages();
  }

  const bool perpetual_;
  Driver driver_;
  MutexOracle oracle_;
  std::vector<std::uint32_t> stays_;  // times that a process was thrown out, by crash or loss

  Steady steady_begin_;
  Turn turn_{};
  double waited_before_turn_ = 0;
  bool turn_open_ = false;
};

}  // namespace baton::sim
