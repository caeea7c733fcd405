#include "core/difference_sets.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace baton {

namespace {

// The prime of which q is a power, or 0.
std::uint32_t prime_below_power(std::uint32_t q) {
  if (q < 2) return 0;
  std::uint32_t prime = 2;
  while (prime <= q / prime && q % prime != 0) ++prime;
  if (q % prime != 0) prime = q;
  while (q % prime == 0) q /= prime;
  return q == 1 ? prime : 0;
}

// The field of q = pᵉ elements. An element is the number whose base-p digits are the coefficients
// of a polynomial in x modulo one of degree e for which the powers of x are all q − 1 elements
// besides 0; so products are sums of logarithms.
class Field {
 public:
  explicit Field(std::uint32_t order) : order_(order), prime_(prime_below_power(order)) {
    power_.resize(order - 1);
    logarithm_.resize(order);
    for (std::uint32_t reduction = 1; !fill_tables(reduction); ++reduction) {
    }
  }

  std::uint32_t order() const { return order_; }

  std::uint32_t add(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t sum = 0;
    for (std::uint32_t place = 1; place < order_; place *= prime_) {
      sum += (a / place + b / place) % prime_ * place;
    }
    return sum;
  }

  std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const {
    if (a == 0 || b == 0) return 0;
    return power_[(std::size_t{logarithm_[a]} + logarithm_[b]) % power_.size()];
  }

 private:
  // Tries xᵉ = reduction; false unless x then runs through all elements before it returns to 1.
  bool fill_tables(std::uint32_t reduction) {
    std::uint32_t element = 1;
    for (std::uint32_t exponent = 0; exponent < order_ - 1; ++exponent) {
      if (element == 0 || (element == 1 && exponent != 0)) return false;
      power_[exponent] = element;
      logarithm_[element] = exponent;
      const std::uint32_t top = order_ / prime_;
      const std::uint32_t overflow = element / top;
      element = element % top * prime_;
      for (std::uint32_t i = 0; i < overflow; ++i) element = add(element, reduction);
    }
    return element == 1;
  }

  std::uint32_t order_;
  std::uint32_t prime_;
  std::vector<std::uint32_t> power_;
  std::vector<std::uint32_t> logarithm_;
};

// The points of the plane are the elements a + bx + cx² of GF(q³) up to a factor from GF(q), and
// with x³ = constant + linear·x + quadratic·x² the powers of x run through them if the cubic is
// well chosen. The points with c = 0 are a line, and the exponents of its points are the
// difference set. Empty if the powers of x return to a multiple of 1 too early; a reducible cubic
// always does so.
Residues line_of_powers(const Field& field, std::uint32_t constant, std::uint32_t linear,
                        std::uint32_t quadratic) {
  const std::uint32_t q = field.order();
  const std::uint32_t points = q * q + q + 1;
  Residues line;
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  for (std::uint32_t exponent = 0; exponent < points; ++exponent) {
    if (c == 0) line.push_back(exponent);
    if (b == 0 && c == 0 && exponent != 0) return {};
    const std::uint32_t overflow = c;
    c = field.add(b, field.multiply(overflow, quadratic));
    b = field.add(a, field.multiply(overflow, linear));
    a = field.multiply(overflow, constant);
  }
  return b == 0 && c == 0 ? line : Residues{};
}

// The ruler 1ʳ, r+1, (2r+1)ʳ, (4r+3)ˢ, (2r+2)ʳ⁺¹, 1ʳ (distances between marks, powers meaning
// repetition): each whole length up to its own can be measured between two of its marks.
Residues wichmann_ruler(std::uint32_t r, std::uint32_t s) {
  Residues marks{0};
  const auto repeat = [&](std::uint32_t count, std::uint32_t distance) {
    for (std::uint32_t i = 0; i < count; ++i) marks.push_back(marks.back() + distance);
  };
  repeat(r, 1);
  repeat(1, r + 1);
  repeat(r, 2 * r + 1);
  repeat(s, 4 * r + 3);
  repeat(r + 1, 2 * r + 2);
  repeat(r, 1);
  return marks;
}

// The ruler with the fewest marks that measures every length up to `length`.
Residues shortest_ruler(std::uint32_t length) {
  std::uint32_t best_r = 0;
  std::uint32_t best_s = 0;
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t r = 0; 4 * r < fewest; ++r) {
    // The ruler's length is 4r(r+s+2) + 3(s+1).
    const std::uint32_t without_s = 4 * r * (r + 2) + 3;
    const std::uint32_t step = 4 * r + 3;
    const std::uint32_t s = without_s >= length ? 0 : (length - without_s + step - 1) / step;
    if (const std::uint32_t marks = 4 * r + s + 3; marks < fewest) {
      fewest = marks;
      best_r = r;
      best_s = s;
    }
  }
  return wichmann_ruler(best_r, best_s);
}

// Looks for a cover with a given number of members, trying them in ascending order, and gives up
// after a number of steps that takes a few milliseconds.
class CoverSearch {
 public:
  CoverSearch(std::uint32_t size, std::uint32_t members)
      : size_(size), members_(members), reached_(size), missing_(size - 1) {}

  // A cover that has two members at distance 1 can be shifted so that they are 0 and 1.
  bool find() {
    add(0);
    add(1);
    return extend(2);
  }
  const Residues& cover() const { return cover_; }

 private:
  bool extend(std::uint32_t from) {
    if (missing_ == 0) return true;
    const auto chosen = static_cast<std::uint32_t>(cover_.size());
    const std::uint32_t left = members_ - chosen;
    if (missing_ > left * (left - 1 + 2 * chosen) || steps_left_ == 0) return false;
    --steps_left_;
    for (std::uint32_t candidate = from; candidate < size_; ++candidate) {
      add(candidate);
      if (extend(candidate + 1)) return true;
      remove_last();
    }
    return false;
  }

  void add(std::uint32_t member) {
    for (const std::uint32_t other : cover_) {
      if (reached_[member - other]++ == 0) --missing_;
      if (reached_[size_ - (member - other)]++ == 0) --missing_;
    }
    cover_.push_back(member);
  }
  void remove_last() {
    const std::uint32_t member = cover_.back();
    cover_.pop_back();
    for (const std::uint32_t other : cover_) {
      if (--reached_[member - other] == 0) ++missing_;
      if (--reached_[size_ - (member - other)] == 0) ++missing_;
    }
  }

  std::uint32_t size_;
  std::uint32_t members_;
  Residues cover_;
  std::vector<std::uint32_t> reached_;  // how many pairs of members have this difference
  std::uint32_t missing_;               // differences that no pair has
  std::uint32_t steps_left_ = 10'000;
};

}  // namespace

std::uint32_t plane_order(std::uint32_t size) {
  std::uint32_t order = 1;
  while (std::uint64_t{order} * order + order + 1 < size) ++order;
  if (std::uint64_t{order} * order + order + 1 != size) return 0;
  return order == 1 || prime_below_power(order) != 0 ? order : 0;
}

Residues singer_difference_set(std::uint32_t order) {
  if (order == 1) return {0, 1};
  const Field field(order);
  for (std::uint32_t quadratic = 0; quadratic < order; ++quadratic) {
    for (std::uint32_t linear = 0; linear < order; ++linear) {
      for (std::uint32_t constant = 1; constant < order; ++constant) {
        Residues line = line_of_powers(field, constant, linear, quadratic);
        if (!line.empty()) return line;
      }
    }
  }
  return {};
}

Residues difference_cover(std::uint32_t size) {
  if (size < 4) return size == 1 ? Residues{0} : Residues{0, 1};
  // Lengths up to N/2 and their negatives are all residues.
  Residues best = shortest_ruler(size / 2);
  constexpr std::uint32_t searched_up_to = 60;
  if (size > searched_up_to) return best;
  for (std::uint32_t members = 3; members < best.size(); ++members) {
    CoverSearch search(size, members);
    if (members * (members - 1) + 1 >= size && search.find()) return search.cover();
  }
  return best;
}

}  // namespace baton
