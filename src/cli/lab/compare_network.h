// `baton compare --network`: what the algorithms cost between real processes on this machine,
// beside the simulator and theory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::cli {

struct CompareNetwork {
  std::vector<std::string> algorithms;  // empty: all that run between processes
  std::vector<std::int64_t> sizes;
  double seconds = 0.5;  // that all want in
  std::uint64_t seed = 1;
  bool json = false;
  bool ascii = false;
};

// Returns the exit code: 1 if other messages are on the wire than in the simulator.
int compare_network(const CompareNetwork& options);

}  // namespace baton::cli
