// Runs an election protocol in the simulated world. The workload says which process holds elections
// and when; the oracle judges the processes' beliefs once all is quiet.
#pragma once

#include <cstdint>

#include "lab/sim/driver.h"
#include "lab/sim/election_oracle.h"
#include "lab/sim/world.h"

namespace baton::sim {

// A protocol that never falls silent counts as settled after so long without a change. Generous,
// like all bounds of oracles.
Ticks settling_time(const Plan& plan);

template <ElectionProtocol P>
class ElectionSimulation : public World<ElectionSimulation<P>, P> {
 public:
  ElectionSimulation(const Plan& plan, Trace* trace)
      : Base(plan, trace),
        driver_(plan_, queue_),
        info_(info_of<P>(plan_.setup)),
        oracle_(plan_.setup, info_, report_),
        settling_time_(settling_time(plan_)) {}

 private:
  using Base = World<ElectionSimulation<P>, P>;
  friend Base;
  using Base::now_;
  using Base::plan_;
  using Base::queue_;
  using Base::record;
  using Base::report_;
  using Base::types_;

  static constexpr int endless = 100;  // in settling times

  void begin() {
    for (const NodeId absent : plan_.faults.absent) oracle_.crash(absent, now_);
    driver_.begin();
  }

  P make(NodeId id) const { return P(id, plan_.setup); }

  void handle(const Event& event) {
    const NodeId id = driver_.due(event.node, event.argument, event.at);
    if (!this->is_up(id)) return;
    ++report_.requests;
    record(id, TraceKind::request, nobody, "an election");
    oracle_.excuse(now_);
    this->step(id, [](P& protocol, auto& out) { protocol.elect(out); });
  }

  void told(NodeId id, const Elected& elected) {
    record(id, TraceKind::elect, elected.leader);
    oracle_.believe(id, elected.leader, elected.epoch, now_);
  }

  void sent(NodeId, std::uint32_t) {}
  void received(NodeId, std::uint32_t) {}
  void crashed(NodeId id) {
    oracle_.crash(id, now_);
    driver_.lapse(id);
  }
  void recovered(NodeId id) { oracle_.recover(id, now_); }
  void struck() { oracle_.excuse(now_); }

  bool go_on_when_quiet() {
    judge();
    return driver_.next_turn(now_, Ticks{0});
  }

  bool go_on() {
    if (!this->all_faults_struck() || !driver_.is_idle()) return true;
    if (info_.perpetual && oracle_.is_settled(now_, settling_time_)) {
      judge();
      return false;
    }
    if (oracle_.is_endless(now_, endless * settling_time_)) {
      oracle_.report_endless(now_, endless * settling_time_);
      return false;
    }
    return true;
  }

  void judge() {
    oracle_.judge(now_, [&](NodeId a, NodeId b) { return this->can_talk(a, b); });
    if (info_.choice != Choice::several || report_.requests == 0) return;
    if (const auto fault = superpeer_fault(plan_.setup, report_.leaders)) {
      oracle_.report_wrong_set(now_, *fault);
    }
  }

  void finish() {
    for (std::size_t i = 0; i < types_.size(); ++i) report_.messages_enter += this->sent_of(i);
    if (info_.choice == Choice::several) measure_set();
    if constexpr (requires(const P& protocol) { protocol.parent(); }) {
      // The tree that the election built.
      for (std::uint32_t i = 0; i < plan_.setup.size; ++i) {
        report_.parents.push_back(this->is_up({i}) ? this->node({i}).parent() : nobody);
      }
    }
  }

  // Tokens begin at the first processes.
  void measure_set() {
    report_.superpeers_before = measure_superpeers(plan_.setup, first_superpeers(plan_.setup), {});
    report_.superpeers =
        measure_superpeers(plan_.setup, superpeers_among(report_.leaders), report_.leaders);
  }

  Driver driver_;
  const Info& info_;
  ElectionOracle oracle_;
  Ticks settling_time_;
};

}  // namespace baton::sim
