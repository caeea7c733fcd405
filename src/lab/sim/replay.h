// Follows a schedule (core/schedule.h) with fresh processes of the very protocol, and judges by
// itself what comes of it. Who found the schedule, and what they say that it shows, is not
// believed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/protocol.h"
#include "core/schedule.h"
#include "core/trace.h"

namespace baton::sim {

struct ReplayOptions {
  NodeId inside = nobody;  // already in the critical section when the run begins
};

struct ReplayError {
  std::size_t step = 0;  // counted from 1
  std::string what;

  std::string message() const { return "step " + std::to_string(step) + ": " + what; }
};

struct Replayed {
  // A step takes a message time and begins at its own number; start() is called at time 0.
  Trace trace;
  // A step that could not be carried out, with which the replay ends.
  std::optional<ReplayError> error;
  // What is wrong with the run: two processes inside, a deadlock, starvation in the loop, leaders
  // that differ. "" if nothing is.
  std::string found;
  // The loop's steps could be carried out again, and again, with nothing put off for ever; and if
  // it closes, all is then as it was before the first of them, so that this never ends.
  bool loop_repeats = false;
  bool loop_closes = false;
};

// start() is called in the order of the ids before the first step; what it chooses are the first of
// that step's choices. A message is named by its text, and of several alike the oldest is meant;
// channels need not be FIFO. Whoever is down does not get it, and it is given back at once.
// Locks and elections are replayed without their type (lab/sim/layered.h).
template <Protocol P>
Replayed replay(const Setup& setup, const ReplayOptions& options, const Schedule& schedule);

// ... and of the membership by itself (algorithms/layer/claiming.h).
Replayed replay_membership(const Setup& setup, const Schedule& schedule);

}  // namespace baton::sim
