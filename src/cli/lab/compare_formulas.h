// `baton compare --kind formulas`: the formulas of the lectures beside simulation.
#pragma once

#include <cstdint>

namespace baton::cli {

// Returns the exit code: 1 if a value falls outside its confidence interval.
int compare_formulas(std::uint64_t seed, bool json, bool ascii);

}  // namespace baton::cli
