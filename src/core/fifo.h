// A first-in-first-out queue as a value. An empty one allocates nothing, which std::deque does, so
// that a million idle processes can have one each; taking the first does not move the others.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace baton {

template <class T>
class Fifo {
 public:
  using value_type = T;

  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  const T& front() const { return items_[head_]; }
  void push(T item) { items_.push_back(std::move(item)); }

  T pop() {
    T first = std::move(items_[head_++]);
    // Moves at most as many elements as pop() took since the last move.
    if (2 * head_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return first;
  }

  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace baton
