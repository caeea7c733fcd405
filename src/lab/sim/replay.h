// Replays a schedule (core/schedule.h) with fresh processes of the same protocol, and judges the
// result by itself. It believes neither the schedule's author nor the verdict that the schedule
// claims.
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
  // The step that could not be carried out; the replay ends with it.
  std::optional<ReplayError> error;
  // What is wrong with the run: two processes inside, a deadlock, starvation in the loop, leaders
  // that differ. "" if nothing is wrong.
  std::string found;
  // `repeats`: the loop's steps can be carried out again and again, and put nothing off for ever.
  // `closes`: after the loop everything is as it was before, so the run never ends.
  bool loop_repeats = false;
  bool loop_closes = false;
};

// The replay calls start() in the order of the ids before the first step; choices in start() are
// the first of that step's choices. A message is named by its text; of several alike the oldest is
// meant, and channels need not be FIFO. A process that is down does not get a message; its sender
// gets it back at once. Locks and elections are replayed without their type (lab/sim/layered.h).
template <Protocol P>
Replayed replay(const Setup& setup, const ReplayOptions& options, const Schedule& schedule);

// Replays a schedule of the membership alone (algorithms/layer/claiming.h).
Replayed replay_membership(const Setup& setup, const Schedule& schedule);

}  // namespace baton::sim
