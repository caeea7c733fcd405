// The name of one of several resources.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace baton {

struct ResourceId {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(ResourceId, ResourceId) = default;

  // As the literature calls them: A, B … Z, AA, AB …; and the gate by its name.
  std::string text() const;
};

// No resource of the application: the lock that guards the acquisition of all the others.
inline constexpr ResourceId gate{std::numeric_limits<std::uint32_t>::max()};

}  // namespace baton
