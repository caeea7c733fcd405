// Bully with a leader that repeats the result, as in the Notes.
//
// The Notes: "Broadcast the result to everyone repeatedly with a fixed delay. […] If not receiving
// the election result within a fixed timeframe, the last leader must have crashed and the current
// process should thus call for a new election."
//
// Idea: as Bully, and the silence of the leader shows that it crashed. No process needs a failure
// detector.
//
// Assumes and promises: as Bully. The next announcement repairs what a crash disturbed.
// Costs: as Bully for an election, and up to N−1 COORDINATOR at every announcement, for ever.
#pragma once

#include "algorithms/election/bully.h"

namespace baton {

class BullyRepeating : public Bully {
 public:
  using Bully::Bully;

  void start(Out& out);
  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);
  void recover(Out& out);
  // Ignores the detector: silence is the only sign.
  void suspect(NodeId node, Out& out) = delete;
  void trust(NodeId node, Out& out) = delete;

  static const Info& info();

 private:
  static constexpr TimerId silence{1};
  static constexpr TimerId repetition{2};

  Ticks between_announcements() const { return 5 * setup_->delay_bound; }
  void listen(Out& out);
  // Runs one clause of Bully, and then sets the timers if the process now leads, or no longer
  // leads.
  template <class Clause>
  void with_timers(Out& out, Clause clause);
};

}  // namespace baton
