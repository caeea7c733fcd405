#include "core/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <tuple>

namespace baton {

namespace {

// The fewest insertions, deletions, substitutions and swaps of neighbours that make b of a, where no
// letter takes part in two of them (the distance of Damerau and Levenshtein, restricted).
std::size_t mistakes(std::string_view a, std::string_view b) {
  // Each row has the distances of a prefix of a to all prefixes of b.
  std::vector<std::size_t> two_before;
  std::vector<std::size_t> before;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + wrong});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row.back();
}

// The first letter is wrong: not missing, not one too many, and not swapped with the second.
bool has_wrong_first(std::string_view typed, std::string_view name) {
  if (typed.front() == name.front()) return false;
  const bool is_missing = name.size() > 1 && typed.front() == name[1];
  const bool is_pushed_in = typed.size() > 1 && typed[1] == name.front();
  return !is_missing && !is_pushed_in;
}

std::size_t distance(std::string_view typed, std::string_view name) {
  return mistakes(typed, name) + (has_wrong_first(typed, name) ? 1 : 0);
}

std::size_t most_mistakes(std::string_view typed, std::string_view name) {
  const std::size_t length = std::min(typed.size(), name.size());
  if (length > 2) return std::min<std::size_t>(length / 3, 3);
  // Of two letters a wrong one leaves too little to go by.
  const bool has_both = typed.size() != name.size() || (length == 2 && typed[0] == name[1]);
  return length == 2 && has_both ? 1 : 0;
}

// "agrawala" of "ricart-agrawala".
bool begins_a_word(std::string_view typed, std::string_view name) {
  constexpr std::size_t shortest_part = 3;
  if (typed.size() < shortest_part) return false;
  for (auto at = name.find(typed); at != name.npos; at = name.find(typed, at + 1)) {
    if (at == 0 || name[at - 1] == '-') return true;
  }
  return false;
}

// "simulate" of "sim".
bool goes_on(std::string_view typed, std::string_view name) {
  constexpr std::size_t shortest_name = 3;
  return name.size() >= shortest_name && typed.starts_with(name);
}

bool has_same_letters(std::string_view typed, std::string_view name) {
  return typed.size() == name.size() &&
         std::is_permutation(typed.begin(), typed.end(), name.begin());
}

// Of two names with as many mistakes "lockx" is lock and not locks, and "locsk" is locks and not lock;
// of two that have "agrawala" in them the shorter one is meant.
using Nearness = std::tuple<std::size_t, bool, bool, std::size_t>;

std::optional<Nearness> nearness(std::string_view typed, std::string_view name) {
  if (typed.empty() || name.empty()) return std::nullopt;
  constexpr std::size_t after_all_mistakes = 4;
  const bool is_part = begins_a_word(typed, name);
  const bool is_beginning = goes_on(typed, name);
  std::size_t far = distance(typed, name);
  if (is_part) far = std::min<std::size_t>(far, 1);
  if (is_beginning) far = std::min(far, after_all_mistakes);
  if (!is_part && !is_beginning && far > most_mistakes(typed, name)) return std::nullopt;
  const std::size_t apart =
      std::max(typed.size(), name.size()) - std::min(typed.size(), name.size());
  return Nearness{far, !is_beginning, !has_same_letters(typed, name), apart};
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string best;
  std::optional<Nearness> nearest;
  for (const std::string& name : candidates) {
    const auto found = nearness(typed, name);
    if (!found || (nearest && *found >= *nearest)) continue;
    nearest = found;
    best = name;
  }
  return best;
}

}  // namespace baton
