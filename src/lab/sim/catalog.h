// The algorithms of the registry in the simulator, independent of their types.
#pragma once

#include <span>
#include <string_view>

#include "algorithms/layer/layers.h"
#include "core/info.h"
#include "core/trace.h"
#include "lab/sim/plan.h"
#include "lab/sim/report.h"

namespace baton {
struct Schedule;
}

namespace baton::sim {

struct ReplayOptions;
struct Replayed;

using baton::layer_combinations;
using baton::Layers;

std::string_view name_of(Layers layers);

// The caller has checked the plan. If there is a trace, the run fills it.
using Run = Report (*)(const Plan&, Trace*);
// lab/sim/replay.h
using Replay = Replayed (*)(const Setup&, const ReplayOptions&, const Schedule&);

struct Runnable {
  const Info& (*info)() = nullptr;
  Run run = nullptr;
  Replay replay = nullptr;
};

struct Entry {
  const Info& (*info)();
  Run run;
  // By Layers; empty where a combination does not exist.
  Runnable layered[layer_combinations];

  const Runnable& with(Layers layers) const { return layered[static_cast<std::size_t>(layers)]; }

  // Likewise with several resources, each guarded by an instance of the algorithm. Null for
  // algorithms that guard nothing, or deadlock by themselves.
  Run run_resources = nullptr;
};

// In the registry's order.
std::span<const Entry> catalog();
const Entry* find(std::string_view name);

}  // namespace baton::sim
