// `baton sim --replay FILE`: follows a schedule step by step, draws what happens, and says what the
// schedule claims and what the replay shows.
#pragma once

#include "cli/lab/sim_options.h"

namespace baton::cli {

// Returns the exit code. Throws UsageError for a file that cannot be followed, naming the line.
int sim_replay(const SimOptions& options);

}  // namespace baton::cli
