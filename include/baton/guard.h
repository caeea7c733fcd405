// Who within a session holds or waits. The holder of a lock is a guard of a session: two guards of
// one session exclude each other, and the same guard may take a lock again that it holds already.
#pragma once

#include <cstdint>

#include "baton/export.h"

namespace baton {
inline namespace v1 {

class BATON_EXPORT Guard {
 public:
  // A new one, different from all others of this process and, being random, of the processes that
  // attach to the same session.
  Guard();
  // One that is known by its number, such as that of a session that is attached to.
  explicit constexpr Guard(std::uint64_t id) : id_(id) {}
  // That of the calling thread: what the blocking calls use where no other is given.
  static Guard of_this_thread();

  std::uint64_t id() const { return id_; }
  friend bool operator==(Guard, Guard) = default;

 private:
  std::uint64_t id_;
};

}  // namespace v1
}  // namespace baton
