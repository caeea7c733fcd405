// `baton compare --kind election`: messages by type and situation, measured against theory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/setup.h"
#include "lab/sim/catalog.h"

namespace baton::cli {

struct ElectionComparison {
  std::vector<const sim::Entry*> algorithms;
  std::vector<Setup> setups;
  std::uint64_t seed = 1;
  bool json = false;
  bool ascii = false;
};

// Returns the exit code.
int compare_elections(const ElectionComparison& comparison);

}  // namespace baton::cli
