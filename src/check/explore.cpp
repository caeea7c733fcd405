#include "check/explore.h"

#include <algorithm>

namespace baton::check {

unsigned threads_of(const ExploreOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace baton::check
