#include "lab/check/number_set.h"

#include <algorithm>
#include <bit>

namespace baton::check {

bool has_gaps(NumberSet numbers, unsigned gap) {
  numbers |= 1;
  NumberSet near = 0;
  for (unsigned i = 1; i <= gap; ++i) near |= numbers << i;
  return (numbers & ~near) != 1;
}

NumberSet closed_up(NumberSet numbers, unsigned gap) {
  NumberSet closed = numbers & 1;
  unsigned before = 0;
  unsigned at = 0;
  for (NumberSet rest = numbers & ~NumberSet{1}; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(rest));
    at += std::min(number - before, gap);
    before = number;
    closed |= NumberSet{1} << at;
  }
  return closed;
}

std::uint64_t moved(std::uint64_t number, NumberSet from, NumberSet to) {
  int rank = std::popcount(from & ((NumberSet{1} << number) - 1));
  for (; rank > 0; --rank) to &= to - 1;
  return static_cast<std::uint64_t>(std::countr_zero(to));
}

}  // namespace baton::check
