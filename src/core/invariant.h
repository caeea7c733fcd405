// What must hold, whatever clients, other processes and disks do.
//
// A process in which it does not hold has a mistake of ours in it, and might give one lock to two:
// it ends at once, says where, and leaves a core. Its clients and its standby are used to that.
// Checked in release, too; so it is for what costs a comparison or two.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace baton {

[[noreturn, gnu::cold, gnu::noinline]] inline void end_broken(const char* what,
                                                              const std::source_location& where) {
  std::fprintf(stderr, "baton: this is a bug, please report it: %s (%s, line %u)\n", what,
               where.function_name(), static_cast<unsigned>(where.line()));
  std::abort();
}

inline void invariant(bool holds, const char* what,
                      const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    end_broken(what, where);
}

}  // namespace baton
