// Makes a failing run shorter: fewer processes, faults and entries, and a plainer world, as long as
// it still fails. The remaining run is easier to understand.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/info.h"
#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"

namespace baton::sim {

// `fails` says whether a plan still fails in the way that matters; shrinking asks at most
// `most_runs` times. The group keeps its size if its construction does not work for smaller ones.
Plan shrink(const Plan& plan, const Info& info, const std::function<bool(const Plan&)>& fails,
            bool keep_size = false, std::size_t most_runs = 400);

// The options of `baton sim` that make this plan, for one that differs from the defaults in nothing
// but its size, tree, identities, capacities, workload without further requests, delays and faults.
std::string options_of(const Plan& plan, const Info& info, Layers layers = Layers::none);

}  // namespace baton::sim
