// Who within a session holds or waits. The holder of a lock is an owner of a session: two owners of
// one session exclude each other, and the same owner may take a lock again that it holds already.
#pragma once

#include <cstdint>

#include "baton/export.h"

namespace baton {
inline namespace v1 {

class BATON_EXPORT Owner {
 public:
  // A new one, different from all others of this process and, being random, of the processes that
  // attach to the same session.
  Owner();
  // One that is known by its number, such as that of a session that is attached to.
  explicit constexpr Owner(std::uint64_t id) : id_(id) {}
  // That of the calling thread: what the blocking calls use where no other is given.
  static Owner of_this_thread();

  std::uint64_t id() const { return id_; }
  friend bool operator==(Owner, Owner) = default;

 private:
  std::uint64_t id_;
};

}  // namespace v1
}  // namespace baton
