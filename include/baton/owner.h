// Identifies who holds or waits within a session. Two owners of one session exclude each other; one
// owner may acquire a lock again that it already holds.
#pragma once

#include <cstdint>

#include "baton/export.h"

namespace baton {
inline namespace v1 {

class BATON_EXPORT Owner {
 public:
  // A new owner, different from all others of this process. Its number is random, so it also
  // differs from those of other processes that attach to the same session.
  Owner();
  // The owner with this number, for example of a session that this process attaches to.
  explicit constexpr Owner(std::uint64_t id) : id_(id) {}
  // The calling thread's owner: blocking calls use it if the caller passes no other.
  static Owner of_this_thread();

  std::uint64_t id() const { return id_; }
  friend bool operator==(Owner, Owner) = default;

 private:
  std::uint64_t id_;
};

}  // namespace v1
}  // namespace baton
