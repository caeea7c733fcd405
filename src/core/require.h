// Invariants of our own, looked at in release too. A program in which one is broken stops at once:
// what it believes to hold or to know may be wrong from there on.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace baton {

// `invariant`: what should be true, as a sentence.
inline void require(bool holds, const char* invariant,
                    const std::source_location& at = std::source_location::current()) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "baton: an invariant is broken: %s\n  in %s, line %u\n", invariant,
               at.function_name(), static_cast<unsigned>(at.line()));
  std::abort();
}

}  // namespace baton
