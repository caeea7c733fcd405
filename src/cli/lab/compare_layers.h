// `baton compare --layers`: what Reliable<> and Resilient<> cost, and how soon they recover.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::cli {

struct CompareLayers {
  std::vector<std::string> algorithms;  // empty: all that run on layers
  std::vector<std::int64_t> sizes;
  std::uint64_t seed = 1;
  bool json = false;
  bool ascii = false;
};

// Returns the exit code: 1 if a layer costs more than it should.
int compare_layers(const CompareLayers& options);

}  // namespace baton::cli
