// Runs a protocol for several resources in the simulated world. The workload says which process
// asks and when, the plan for which resources; each process stays inside for a while once it holds
// all of them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/resource/protocol.h"
#include "lab/sim/driver.h"
#include "lab/sim/resource_oracle.h"
#include "lab/sim/world.h"

namespace baton::sim {

MutexOracle::Bounds resource_bounds(const Plan& plan, const Info& info);

// The resources that a process asks for, by the plan or drawn.
class Wishes {
 public:
  explicit Wishes(const Plan& plan) : plan_(&plan), random_(plan.seed, 5) {}
  std::vector<ResourceId> of(NodeId node);

 private:
  const Plan* plan_;
  Random random_;
};

// "A, B"
std::string list_of(const std::vector<ResourceId>& resources);

template <ResourceProtocol P>
class ResourceSimulation : public World<ResourceSimulation<P>, P> {
 public:
  ResourceSimulation(const Plan& plan, Trace* trace)
      : Base(plan, trace),
        driver_(plan_, queue_),
        wishes_(plan_),
        oracle_(plan_.setup.size, resource_bounds(plan_, info_of<P>(plan_.setup)), report_) {}

 private:
  using Base = World<ResourceSimulation<P>, P>;
  friend Base;
  using Base::now_;
  using Base::plan_;
  using Base::queue_;
  using Base::record;
  using Base::report_;

  void begin() { driver_.begin(); }
  P make(NodeId id) const { return P(id, plan_.setup); }

  void handle(const Event& event) {
    if (event.kind == EventKind::request) {
      request(driver_.due(event.node, event.argument, event.at));
    } else {
      exit(event.node);
    }
  }

  void request(NodeId id) {
    if (!this->is_up(id)) return;
    if (oracle_.status(id) != ResourceOracle::Status::idle) {
      driver_.postpone(id);
      return;
    }
    const std::vector<ResourceId> wanted = wishes_.of(id);
    record(id, TraceKind::request);
    record(id, TraceKind::note, nobody, "wants " + list_of(wanted));
    oracle_.request(id, wanted, now_);
    this->step(id, [&](P& protocol, auto& out) { protocol.acquire(wanted, out); });
  }

  void exit(NodeId id) {
    record(id, TraceKind::exit);
    oracle_.exit(id, now_);
    this->step(id, [](P& protocol, auto& out) { protocol.release(out); });
    driver_.is_free(id, now_);
  }

  void told(NodeId id, const ResourceEvent& event) {
    std::visit(upon{[&](const Waiting& waiting) {
                      record(id, TraceKind::note, nobody, "waits for " + waiting.resource.text());
                      oracle_.waits(id, waiting.resource, now_);
                    },
                    [&](const Held& held) {
                      record(id, TraceKind::note, nobody, "holds " + held.resource.text());
                      oracle_.holds(id, held.resource, now_);
                    },
                    [&](const LetGo& gone) {
                      record(id, TraceKind::note, nobody, "lets go of " + gone.resource.text());
                      oracle_.lets_go(id, gone.resource);
                    },
                    [&](const AllHeld&) {
                      record(id, TraceKind::enter, nobody, list_of(oracle_.wanted(id)));
                      if (oracle_.enter(id, now_)) {
                        queue_.push(now_ + plan_.critical_section, EventKind::exit, id);
                      }
                    },
                    [&](const Refused& refused) {
                      ++report_.refusals;
                      record(
                          id, TraceKind::note, nobody,
                          "is refused " + refused.resource.text() + ": " + in_words(refused.cycle));
                    }},
               event);
  }

  void sent(NodeId, std::uint32_t) {}
  void received(NodeId, std::uint32_t) {}
  // For the oracle a crashed process stays as it was: no protocol here recovers from a crash.
  void crashed(NodeId id) { driver_.lapse(id); }
  void recovered(NodeId) {}
  void paused(NodeId) {}
  void struck() {}

  bool go_on() {
    if (oracle_.is_stuck(now_)) {
      oracle_.report_stuck(now_);
      return false;
    }
    if (!info_of<P>(plan_.setup).perpetual) return true;
    if (oracle_.waiting() > 0 || oracle_.inside() > 0 || !driver_.is_idle()) return true;
    const Ticks pause = plan_.setup.size * message_time;
    return driver_.next_turn(now_, pause) || !this->all_faults_struck();
  }

  bool go_on_when_quiet() {
    if (oracle_.waiting() > 0) {
      oracle_.fell_silent(now_);
      return false;
    }
    return driver_.next_turn(now_, Ticks{0});
  }

  void finish() {
    for (std::size_t i = 0; i < this->types_.size(); ++i) {
      const bool enters = this->types_[i].phase == Phase::enter;
      (enters ? report_.messages_enter : report_.messages_exit) += this->sent_of(i);
    }
  }

  Driver driver_;
  Wishes wishes_;
  ResourceOracle oracle_;
};

// With Acquisition::coordinator no lock is needed (algorithms/resource/all_or_nothing.h).
Report run_all_or_nothing(const Plan& plan, Trace* trace);

}  // namespace baton::sim
