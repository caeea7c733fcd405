#include "lab/check/symmetry.h"

#include <algorithm>
#include <numeric>

namespace baton::check {

namespace {

bool keeps_ring(const Setup& setup, const Renaming& renaming) {
  for (std::uint32_t i = 0; i < setup.size; ++i) {
    const NodeId after = setup.successor({i});
    if (setup.successor({renaming[i]}) != NodeId{renaming[after.value]}) return false;
  }
  return true;
}

bool keeps_tree(const Setup& setup, const Renaming& renaming) {
  for (std::uint32_t a = 0; a < setup.size; ++a) {
    for (std::uint32_t b = 0; b < setup.size; ++b) {
      if (a == b) continue;
      const bool are_near = setup.tree.distance({a}, {b}) == 1;
      const bool stay_near = setup.tree.distance({renaming[a]}, {renaming[b]}) == 1;
      if (are_near != stay_near) return false;
    }
  }
  return true;
}

bool keeps_voters(const Setup& setup, const Renaming& renaming) {
  for (std::uint32_t i = 0; i < setup.size; ++i) {
    std::vector<std::uint32_t> renamed;
    std::vector<std::uint32_t> voters;
    for (const NodeId voter : setup.voting->of({i})) renamed.push_back(renaming[voter.value]);
    for (const NodeId voter : setup.voting->of({renaming[i]})) voters.push_back(voter.value);
    std::sort(renamed.begin(), renamed.end());
    std::sort(voters.begin(), voters.end());
    if (renamed != voters) return false;
  }
  return true;
}

bool keeps(const Setup& setup, Symmetry symmetry, const Renaming& renaming) {
  switch (symmetry) {
    case Symmetry::everyone:
      return true;
    case Symmetry::but_coordinator:
      return renaming[setup.coordinator.value] == setup.coordinator.value;
    case Symmetry::along_the_ring:
      return keeps_ring(setup, renaming);
    case Symmetry::along_the_tree:
      return keeps_tree(setup, renaming);
    case Symmetry::among_voters:
      return keeps_voters(setup, renaming);
  }
  return false;
}

}  // namespace

std::vector<Renaming> symmetries(const Setup& setup, Symmetry symmetry) {
  std::vector<Renaming> found;
  Renaming renaming(setup.size);
  std::iota(renaming.begin(), renaming.end(), 0);
  while (std::next_permutation(renaming.begin(), renaming.end())) {
    if (keeps(setup, symmetry, renaming)) found.push_back(renaming);
  }
  return found;
}

}  // namespace baton::check
