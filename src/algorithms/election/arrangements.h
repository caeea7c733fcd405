// Situations in which the costs of elections on rings are stated: which process starts, and the
// order of the identities along the ring.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>

#include "core/info.h"

namespace baton {

inline void everyone_starts(ElectionCase& c, Chooser&) {
  for (std::uint32_t i = 0; i < c.setup.size; ++i) c.initiators.push_back({i});
}

// Each process has a higher identity than the one before it: how groups number themselves.
inline void ascending_and_everyone_starts(ElectionCase& c, Chooser& chooser) {
  c.setup.identities.clear();
  everyone_starts(c, chooser);
}

inline void descending_and_everyone_starts(ElectionCase& c, Chooser& chooser) {
  c.setup.identities.clear();
  for (std::uint32_t i = 0; i < c.setup.size; ++i) {
    c.setup.identities.push_back(c.setup.size - 1 - i);
  }
  everyone_starts(c, chooser);
}

// Every order is equally likely.
inline void shuffled_and_everyone_starts(ElectionCase& c, Chooser& chooser) {
  auto& identities = c.setup.identities;
  identities.resize(c.setup.size);
  std::iota(identities.begin(), identities.end(), 0U);
  for (std::uint32_t i = c.setup.size; i > 1; --i) {
    std::swap(identities[i - 1], identities[chooser.choose(i)]);
  }
  everyone_starts(c, chooser);
}

}  // namespace baton
