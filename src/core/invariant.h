// Checks conditions that must hold whatever clients, other processes and disks do.
//
// If a condition fails, our own program has a mistake, and might give one lock to two processes. So
// the process ends at once, says where, and leaves a core. Its clients and its standby can cope
// with that. The check also runs in release builds; use it where it costs a comparison or two.
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
