// What the members of a group have written down, one trace each, judged by the simulator's oracles.
// They know nothing of how locks are taken, and believe no clock but happened-before where that
// decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/view/merge.h"

namespace baton::test {

// What was done to a member, and that it cannot have written down itself.
struct Suffered {
  TraceKind kind{};         // crash, pause or resume
  std::size_t after = 0;    // so many events that it had written
  std::int64_t gap_us = 0;  // ... and so long after the last of them
};

// What one member wrote in one life.
struct Diary {
  NodeId member;
  view::TracePart part;
  std::vector<Suffered> suffered;  // in this order
};

struct Verdict {
  std::vector<std::string> wrong;  // promises that were broken
  // Who lives and asks, while nobody is inside and a majority is there. Somebody may be about to
  // get in.
  std::vector<std::string> waiting;
  std::uint64_t entries = 0;
  std::uint64_t losses = 0;
  std::uint64_t zombies = 0;  // entries while one who was paused believed that it was inside
};

// At most one inside, of each name; fences that grow along happened-before, and of which none is
// given twice; one arbiter in an epoch.
Verdict judge(std::vector<Diary> diaries);

}  // namespace baton::test
