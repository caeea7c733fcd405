#include "lab/check/explore.h"

#include <algorithm>
#include <fstream>

namespace baton::check {

unsigned threads_of(const ExploreOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  constexpr std::uint64_t page = 4096;
  return file >> all >> resident ? resident * page : 0;
}

}  // namespace baton::check
