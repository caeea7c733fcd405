// `baton sim` for an algorithm over shared memory: a random scheduler instead of a network.
#pragma once

#include "algorithms/shared/catalog.h"
#include "cli/lab/sim_options.h"

namespace baton::cli {

// Returns the exit code. Throws UsageError for options that such a run does not have.
int sim_machine(const SimOptions& options, const CatalogedMachine& machine);

}  // namespace baton::cli
