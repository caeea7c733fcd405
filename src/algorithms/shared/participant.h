// The place of a thread among those who share a lock that knows its users by number, as the
// algorithms of 1965 and 1974 do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/ids.h"

namespace baton {

// The numbers 0 … N−1, given out one at a time and taken back. They are given out under an
// ordinary mutex: that is how a thread gets its name, not how it gets the lock, and whoever takes
// over a number thereby sees all that its former owner wrote.
class Places {
 public:
  explicit Places(std::uint32_t size) : taken_(size) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(taken_.size()); }
  // Throws std::length_error if all are taken.
  NodeId claim();
  void give_back(NodeId place);

 private:
  std::mutex mutex_;
  std::vector<bool> taken_;
};

// What a thread locks and unlocks: it meets the requirements of a C++ Lockable, and is at home in
// std::unique_lock, std::scoped_lock and std::lock.
//
//   BakeryLock bakery(10);            // shared
//   BakeryLock::Participant mine(bakery);  // one per thread
//   std::scoped_lock guard(mine);
//
// A member is used by one thread at a time, does not outlive its lock, and is not destroyed while
// it holds the lock.
template <class Lock>
class Participant {
 public:
  explicit Participant(Lock& lock) : lock_(lock), self_(lock.places_.claim()) {}
  ~Participant() { lock_.places_.give_back(self_); }
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  void lock() { lock_.enter(self_); }
  bool try_lock() { return lock_.try_enter(self_); }
  void unlock() { lock_.leave(self_); }

 private:
  Lock& lock_;
  NodeId self_;
};

// Registers of different threads lie this far apart, so that they do not share a cache line.
inline constexpr std::size_t register_spacing = 64;

}  // namespace baton
