#include "algorithms/mutex/majority_voting.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace baton {

namespace {

constexpr TimerId pause_timer{0};

std::uint32_t votes_needed(const Setup& setup) {
  return static_cast<std::uint32_t>(setup.value(MajorityVoting::votes));
}

std::uint32_t voters_asked(const Setup& setup) {
  return static_cast<std::uint32_t>(setup.value(MajorityVoting::ask));
}

// The last doubling of the pause. Then the pause can be many times as long as all N would take one
// after the other, even over channels that repeat lost messages; waiting longer would only waste
// time.
std::uint32_t most_doublings(const Setup& setup) {
  return static_cast<std::uint32_t>(std::bit_width(setup.size)) + 4;
}

}  // namespace

MajorityVoting::MajorityVoting(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  if (inside == nobody) return;
  if (setup.ring_distance(inside, self) < voters_asked(setup)) state_.voted_for.node = inside;
  if (self != inside) return;
  state_.mode = Mode::held;
  NodeId voter = self;
  for (std::uint32_t i = 0; i < voters_asked(setup); ++i, voter = setup.successor(voter)) {
    state_.granted.insert(voter);
  }
}

Symmetry MajorityVoting::symmetry(const Setup& setup) {
  return voters_asked(setup) == setup.size ? Symmetry::everyone : Symmetry::along_the_ring;
}

void MajorityVoting::request(Out& out) {
  state_.failures = 0;
  try_again(out);
}

void MajorityVoting::try_again(Out& out) {
  state_.mode = Mode::asking;
  state_.attempt = next(state_.attempt);
  std::vector<NodeId> voters;
  voters.reserve(voters_asked(*setup_));
  for (NodeId voter = self_; voters.size() < voters_asked(*setup_);
       voter = setup_->successor(voter)) {
    voters.push_back(voter);
  }
  out.multicast(self_, voters, Request{state_.attempt});
}

void MajorityVoting::release(Out& out) {
  state_.mode = Mode::released;
  state_.granted.for_each([&](NodeId voter) { out.send(voter, Release{state_.attempt}); });
  state_.granted.clear();
  state_.refusals = 0;
  state_.failures = 0;
}

void MajorityVoting::give_up(Out& out) {
  state_.mode = Mode::pausing;
  state_.granted.for_each([&](NodeId voter) { out.send(voter, GiveUp{state_.attempt}); });
  state_.granted.clear();
  state_.refusals = 0;
  state_.failures = std::min(state_.failures + 1, most_doublings(*setup_));
  const std::uint32_t pause = 1 + out.choose(std::uint32_t{1} << state_.failures);
  out.arm(pause_timer, std::int64_t{pause} * message_time);
}

void MajorityVoting::expire(TimerId, Out& out) {
  if (state_.mode == Mode::pausing) try_again(out);
}

void MajorityVoting::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) { upon_request(from, request.attempt, out); },
                  [&](const Ok& ok) { upon_ok(from, ok.attempt, out); },
                  [&](const Denied& denied) { upon_denied(denied.attempt, out); },
                  [&](const Release& release) { upon_vote_back(from, release.attempt); },
                  [&](const GiveUp& give_up) { upon_vote_back(from, give_up.attempt); }},
             message);
}

void MajorityVoting::upon_request(NodeId from, SequenceNumber attempt, Out& out) {
  // A process that asks with a later attempt has ended the attempt for which it got my vote.
  const bool free = state_.voted_for.node == nobody ||
                    (state_.voted_for.node == from && state_.voted_for.number <= attempt);
  if (!free) {
    out.send(from, Denied{attempt});
    return;
  }
  state_.voted_for = {from, attempt};
  out.send(from, Ok{attempt});
}

void MajorityVoting::upon_ok(NodeId from, SequenceNumber attempt, Out& out) {
  const bool current = attempt == state_.attempt;
  if (!current || state_.mode == Mode::released || state_.mode == Mode::pausing) {
    // Too late: the attempt had its majority without this vote, or could not reach it with it.
    if (state_.mode == Mode::released) {
      out.send(from, Release{attempt});
    } else {
      out.send(from, GiveUp{attempt});
    }
    return;
  }
  state_.granted.insert(from);
  if (state_.mode == Mode::asking && state_.granted.size() >= votes_needed(*setup_)) {
    state_.mode = Mode::held;
    out.emit(Entered{});
  }
}

void MajorityVoting::upon_denied(SequenceNumber attempt, Out& out) {
  if (state_.mode != Mode::asking || attempt != state_.attempt) return;
  // A refusal that is counted twice only ends the attempt early.
  ++state_.refusals;
  const std::uint32_t spare = voters_asked(*setup_) - votes_needed(*setup_);
  if (state_.refusals > spare) give_up(out);
}

void MajorityVoting::upon_vote_back(NodeId from, SequenceNumber attempt) {
  if (state_.voted_for == Numbered{from, attempt}) state_.voted_for = {nobody, {}};
}

namespace {

template <int count>
Expected per_coordinator(const Case& c) {
  return Expected::exactly(count * (static_cast<double>(voters_asked(c.setup)) - 1));
}

Expected one_attempt(const Case& c) {
  return Expected::exactly(votes_needed(c.setup) == 1 ? 0 : 2);
}

}  // namespace

namespace {

std::string objection(const Setup& setup) {
  const std::uint32_t size = setup.size;
  const std::uint32_t needed = votes_needed(setup);
  const std::uint32_t asked = voters_asked(setup);
  if (needed * 2 <= size || needed > size) {
    return "a majority of " + std::to_string(size) + " is " + std::to_string(size / 2 + 1) +
           " to " + std::to_string(size) + " votes, not " + std::to_string(needed);
  }
  if (asked < needed || asked > size) {
    return "with " + std::to_string(needed) + " votes needed, ask " + std::to_string(needed) +
           " to " + std::to_string(size) + " voters, not " + std::to_string(asked);
  }
  return {};
}

}  // namespace

const Info& MajorityVoting::info() {
  static const Info info{
      .name = "majority-voting",
      .title = "Majority voting",
      .publication = "Lin, Lian, Chen and Zhang, IPTPS 2004; Tanenbaum and van Steen",
      .idea = "enter with more than half of the votes; if refused, pause at random and try again",
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::safety, Promise::deadlock_freedom},
      .problem = "starvation",
      .costs = {{Scenario::alone, Metric::messages, "3(a-1), asking a", per_coordinator<3>},
                {Scenario::alone, Metric::enter, "2(a-1)", per_coordinator<2>},
                {Scenario::alone, Metric::exit, "a-1", per_coordinator<1>},
                {Scenario::alone, Metric::delay, "2", one_attempt},
                {Scenario::again, Metric::messages, "3(a-1), asking a", per_coordinator<3>},
                {Scenario::sequential, Metric::messages, "3(a-1), asking a", per_coordinator<3>}},
      .seeds = {{"Canonical Problems", "messages per entry/exit, k attempts", "3mk",
                 "at most 3(a-1)k here: the own vote is free, and refused votes need no release; "
                 "a is m where only as many are asked as must agree, and N where all are"},
                {"Canonical Problems", "delay before entry", "2m",
                 "there coordinators are asked one after the other; here all in one step"}},
      .parameters = {&votes, &ask},
      .objection = objection,
      .checked = {{.is_quick = false}},
  };
  return info;
}

}  // namespace baton
