// A set of processes as a value: one word for the first 64 processes, further words only when a
// larger id comes. Small groups never allocate.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace baton {

class NodeSet {
 public:
  // All processes of a group of `size`, except one.
  static NodeSet all_but(NodeId self, std::uint32_t size) {
    NodeSet set;
    set.low_ = size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    for (std::uint32_t i = 64; i < size; ++i) set.insert({i});
    set.erase(self);
    return set;
  }

  bool contains(NodeId node) const {
    if (node.value < 64) return ((low_ >> node.value) & 1) != 0;
    const std::size_t word = node.value / 64 - 1;
    return word < high_.size() && ((high_[word] >> (node.value % 64)) & 1) != 0;
  }

  void insert(NodeId node) {
    if (node.value < 64) {
      low_ |= std::uint64_t{1} << node.value;
      return;
    }
    const std::size_t word = node.value / 64 - 1;
    if (word >= high_.size()) high_.resize(word + 1);
    high_[word] |= std::uint64_t{1} << (node.value % 64);
  }

  void erase(NodeId node) {
    if (node.value < 64) {
      low_ &= ~(std::uint64_t{1} << node.value);
      return;
    }
    const std::size_t word = node.value / 64 - 1;
    if (word >= high_.size()) return;
    high_[word] &= ~(std::uint64_t{1} << (node.value % 64));
    // Equal sets must be equal values, so this drops trailing empty words.
    while (!high_.empty() && high_.back() == 0) high_.pop_back();
  }

  bool empty() const { return low_ == 0 && high_.empty(); }

  std::size_t size() const {
    auto count = static_cast<std::size_t>(std::popcount(low_));
    for (const std::uint64_t word : high_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }

  void clear() {
    low_ = 0;
    high_.clear();
  }

  // Calls visit(NodeId) in ascending order.
  template <class Visit>
  void for_each(Visit visit) const {
    visit_word(low_, 0, visit);
    for (std::size_t i = 0; i < high_.size(); ++i) {
      visit_word(high_[i], static_cast<std::uint32_t>(64 * (i + 1)), visit);
    }
  }

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  template <class Visit>
  static void visit_word(std::uint64_t word, std::uint32_t base, Visit& visit) {
    for (; word != 0; word &= word - 1) {
      visit(NodeId{base + static_cast<std::uint32_t>(std::countr_zero(word))});
    }
  }

  std::uint64_t low_ = 0;
  std::vector<std::uint64_t> high_;
};

}  // namespace baton
