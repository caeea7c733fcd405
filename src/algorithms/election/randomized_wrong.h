// Why processes without names need dice.
//
// A deterministic program that all of them run, with no names and no inputs that differ: whatever
// the highest number may be computed from, everyone computes the same. When all have heard of all,
// nobody has heard of a higher number than its own, and everyone leads. Waiting for a number that
// is alone the highest would not help: then nobody ever leads. No other program does better, since
// in a run in which all messages take equally long all processes are in equal states for ever
// (D. Angluin, "Local and global properties in networks of processors", STOC 1980).
#pragma once

#include "algorithms/election/randomized.h"

namespace baton {

class WrongAnonymousDeterministic : public Randomized {
 public:
  using Randomized::Randomized;
  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();

 private:
  void go_on(Out& out);
};

}  // namespace baton
