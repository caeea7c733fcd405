#include "algorithms/shared/participant.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace baton {

NodeId Places::claim() {
  const std::scoped_lock guard(mutex_);
  const auto free = std::find(taken_.begin(), taken_.end(), false);
  if (free == taken_.end()) {
    throw std::length_error("all " + std::to_string(taken_.size()) +
                            " places of the lock are taken; make it for more threads");
  }
  *free = true;
  return {static_cast<std::uint32_t>(free - taken_.begin())};
}

void Places::give_back(NodeId place) {
  const std::scoped_lock guard(mutex_);
  taken_[place.value] = false;
}

}  // namespace baton
