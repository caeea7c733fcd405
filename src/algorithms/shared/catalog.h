// The shared-memory machines by name, for tools that list and run them without their types.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/shared/random_run.h"
#include "core/info.h"

namespace baton {

struct CatalogedMachine {
  const Info& (*info)();
  MachineReport (*run)(const MachineRun&);
};

// In the order in which they should be listed; wrong variants follow the right ones.
const std::vector<CatalogedMachine>& shared_machines();

// A run under a random scheduler, with the machine's default options. No value if there is no
// machine of that name.
std::optional<MachineReport> run_machine(std::string_view name, const MachineRun& run);

}  // namespace baton
