#include "core/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace baton {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, typed.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    // Part of a name, "agrawala", is as good a hint as a misspelt one.
    const bool part = typed.size() >= 3 && candidate.find(typed) != candidate.npos;
    const std::size_t distance = part ? 1 : edits(typed, candidate);
    const bool shorter = !best.empty() && candidate.size() < best.size();
    if (distance < fewest || (distance == fewest && shorter)) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace baton
