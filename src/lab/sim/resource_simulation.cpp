#include "lab/sim/resource_simulation.h"

#include <utility>

#include "algorithms/resource/all_or_nothing.h"
#include "lab/sim/simulation.h"

namespace baton::sim {

// A process may wait for each resource in turn, and after a refusal it pauses for up to 257 message
// times.
MutexOracle::Bounds resource_bounds(const Plan& plan, const Info& info) {
  MutexOracle::Bounds bounds = bounds_of(plan, info);
  if (plan.progress_bound.value == 0) {
    bounds.progress = (1 + std::int64_t{plan.setup.resources}) * bounds.progress;
    if (plan.setup.acquisition == Acquisition::detect) {
      bounds.progress = bounds.progress + 2000 * message_time;
    }
  }
  // While one process waits for its first resource, others can share the rest any number of times.
  if (plan.starvation_bound == 0) bounds.starvation *= 1 + std::uint64_t{plan.setup.resources};
  return bounds;
}

std::vector<ResourceId> Wishes::of(NodeId node) {
  const Workload& work = plan_->workload;
  if (node.value < work.wants.size() && !work.wants[node.value].empty()) {
    return work.wants[node.value];
  }
  const std::uint32_t count = plan_->setup.resources;
  std::vector<ResourceId> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    all.push_back({static_cast<std::uint32_t>((std::uint64_t{node.value} + i) % count)});
  }
  if (work.wants_drawn) {
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      std::swap(all[i], all[i + random_.below(count - i)]);
    }
  }
  all.resize(work.wants_each);
  return all;
}

std::string list_of(const std::vector<ResourceId>& resources) {
  std::string text;
  for (const ResourceId resource : resources) {
    text += (text.empty() ? "" : ", ") + resource.text();
  }
  return text;
}

Report run_all_or_nothing(const Plan& plan, Trace* trace) {
  return ResourceSimulation<AllOrNothing>(plan, trace).run();
}

}  // namespace baton::sim
