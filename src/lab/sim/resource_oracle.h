// The oracle of several resources: at most one process holds each, no processes wait in a circle,
// and every waiting process gets its resources.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/resource/protocol.h"
#include "core/info.h"
#include "lab/sim/oracle.h"
#include "lab/sim/report.h"

namespace baton::sim {

// The promises of an algorithm that guards several resources, acquired in this way. The naive way
// must be free from deadlock like the others: showing that it fails is its purpose.
Promises resource_promises(const Info& info, Acquisition acquisition);

class ResourceOracle {
 public:
  ResourceOracle(std::uint32_t size, MutexOracle::Bounds bounds, Report& report)
      : bounds_(bounds), report_(&report), processes_(size) {}

  enum class Status : std::uint8_t { idle, waiting, inside };

  Status status(NodeId node) const { return processes_[node.value].status; }
  const std::vector<ResourceId>& wanted(NodeId node) const { return processes_[node.value].wanted; }
  std::uint32_t waiting() const { return waiting_; }
  std::uint32_t inside() const { return inside_; }

  void request(NodeId node, const std::vector<ResourceId>& wanted, Ticks now);
  void waits(NodeId node, ResourceId resource, Ticks now);
  void holds(NodeId node, ResourceId resource, Ticks now);
  void lets_go(NodeId node, ResourceId resource) { graph_.lets_go(node, resource); }
  // False, and a violation, if the process does not hold what it asked for.
  bool enter(NodeId node, Ticks now);
  void exit(NodeId node, Ticks now);

  // Nothing will happen any more although a process waits.
  void fell_silent(Ticks now);
  bool is_stuck(Ticks now) const {
    return waiting_ > 0 && inside_ == 0 && now - last_progress_ > bounds_.progress;
  }
  void report_stuck(Ticks now);

 private:
  struct Process {
    Status status = Status::idle;
    std::vector<ResourceId> wanted;
    Ticks requested_at{};
    std::uint64_t entries_then = 0;
  };

  void look_for_cycle(NodeId node, Ticks now);
  std::string list_waiting() const;
  void violate(Promise promise, Ticks at, std::string what);

  MutexOracle::Bounds bounds_;
  Report* report_;
  std::vector<Process> processes_;
  WaitForGraph graph_;
  std::uint32_t waiting_ = 0;
  std::uint32_t inside_ = 0;
  Ticks last_progress_{0};
};

}  // namespace baton::sim
