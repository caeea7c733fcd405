// The place of a thread in a lock that knows its users by number, as the algorithms of 1965 and
// 1974 do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/ids.h"

namespace baton {

// Gives out the numbers 0 … N−1, one thread each, and takes them back. It uses an ordinary mutex:
// that is how a thread gets its name, not how it gets the lock. The mutex also makes a thread that
// takes over a number see everything that the former owner wrote.
class Places {
 public:
  explicit Places(std::uint32_t size) : taken_(size) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(taken_.size()); }
  // Throws std::length_error if all numbers are taken.
  NodeId claim();
  void give_back(NodeId place);

 private:
  std::mutex mutex_;
  std::vector<bool> taken_;
};

// The object that a thread locks and unlocks. It meets the requirements of a C++ Lockable, so
// std::unique_lock, std::scoped_lock and std::lock accept it.
//
//   BakeryLock bakery(10);            // shared
//   BakeryLock::Participant mine(bakery);  // one per thread
//   std::scoped_lock guard(mine);
//
// Only one thread at a time may use a participant. It must not outlive its lock, and must not be
// destroyed while it holds the lock.
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

// Keeps registers of different threads this far apart, so that they do not share a cache line.
inline constexpr std::size_t register_spacing = 64;

}  // namespace baton
