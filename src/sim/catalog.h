// The algorithms of the registry as the simulator knows them, whatever their type.
#pragma once

#include <span>
#include <string_view>

#include "core/info.h"
#include "core/trace.h"
#include "sim/plan.h"
#include "sim/report.h"

namespace baton::sim {

struct Entry {
  const Info& (*info)();
  // The plan must be without objection. The trace is filled if there is one.
  Report (*run)(const Plan&, Trace*);
};

// In the registry's order.
std::span<const Entry> catalog();
const Entry* find(std::string_view name);

}  // namespace baton::sim
