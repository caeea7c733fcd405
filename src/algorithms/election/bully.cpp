#include "algorithms/election/bully.h"

#include <vector>

namespace baton {

namespace {

// The costs of the field's tables are stated for processes that number themselves 0 … N−1.
Expected count(std::uint64_t value) { return Expected::exactly(static_cast<double>(value)); }

void second_highest_notices(ElectionCase& c, Chooser&) {
  c.down = {{c.setup.size - 1}};
  c.initiators = {{c.setup.size - 2}};
}
void lowest_starts(ElectionCase& c, Chooser&) {
  c.down = {{c.setup.size - 1}};
  c.initiators = {{0}};
}

}  // namespace

// There and back, and one tick more, so that a message of the last moment has arrived.
Bully::Bully(NodeId self, const Setup& setup)
    : self_(self), setup_(&setup), answer_within_(2 * setup.delay_bound + Ticks{1}) {}

void Bully::elect(Out& out) {
  if (state_.phase != Phase::settled) return;
  std::vector<NodeId> above;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (is_above({i}, self_)) above.push_back({i});
  }
  if (above.empty()) {
    win(out);
    return;
  }
  state_.phase = Phase::asking;
  out.multicast(self_, above, Election{});
  out.arm(patience, answer_within_);
}

void Bully::receive(NodeId from, const Message& message, Out& out) {
  std::visit(
      upon{[&](const Election&) { upon_election(from, out); }, [&](const Ok&) { upon_ok(out); },
           [&](const Coordinator&) { upon_coordinator(from, out); }},
      message);
}

void Bully::upon_election(NodeId from, Out& out) {
  out.send(from, Ok{});
  elect(out);
}

void Bully::upon_ok(Out& out) {
  if (state_.phase != Phase::asking) return;
  state_.phase = Phase::waiting;
  // A process that answered asks those above itself, waits for them, and announces the result.
  out.arm(patience, 4 * setup_->delay_bound + Ticks{1});
}

void Bully::upon_coordinator(NodeId from, Out& out) {
  if (is_above(self_, from)) {
    elect(out);
    return;
  }
  state_.phase = Phase::settled;
  state_.leader = from;
  out.cancel(patience);
  out.emit(Elected{from});
}

void Bully::expire(TimerId, Out& out) {
  const Phase before = state_.phase;
  state_.phase = Phase::settled;
  if (before == Phase::asking) {
    win(out);
  } else {
    elect(out);
  }
}

// A process that has asked in vain until now announces itself after two delay bounds at most, and
// everyone has heard of it after three.
void Bully::hold_back(Out& out) {
  state_.phase = Phase::holding_back;
  out.arm(patience, 3 * setup_->delay_bound + Ticks{1});
}

void Bully::win(Out& out) {
  state_.phase = Phase::settled;
  state_.leader = self_;
  announce(out);
  out.emit(Elected{self_});
}

void Bully::announce(Out& out) {
  std::vector<NodeId> below;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (is_above(self_, {i})) below.push_back({i});
  }
  if (!below.empty()) out.multicast(self_, below, Coordinator{});
}

void Bully::suspect(NodeId node, Out& out) {
  // A process that knows of no leader may have waited for one that this process was about to
  // announce.
  if (node != state_.leader && state_.leader != nobody) return;
  state_.leader = nobody;
  elect(out);
}

// A process that has become reachable may believe in another leader, or was not asked.
void Bully::trust(NodeId, Out& out) {
  if (state_.leader == self_ || state_.phase != Phase::settled) hold_back(out);
}

const Info& Bully::info() {
  static const Info info{
      .name = "bully",
      .title = "Bully",
      .publication = "Garcia-Molina, IEEE Transactions on Computers C-31(1), 1982",
      .idea = "ask all above; if none answers, you are the leader",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::synchronous},
      .promises = {Promise::one_leader, Promise::right_leader, Promise::everyone_learns},
      .problem = "a timeout that is too short gives two leaders; O(N²) messages",
      .choice = Choice::highest_identity,
      .election_costs = {{"second-highest notices the crash", second_highest_notices, "", "N-1",
                          [](const ElectionCase& c) { return count(c.setup.size - 1); }},
                         {"second-highest notices the crash", second_highest_notices, "Coordinator",
                          "N-2", [](const ElectionCase& c) { return count(c.setup.size - 2); }},
                         {"second-highest notices the crash", second_highest_notices, "Election",
                          "1", [](const ElectionCase&) { return count(1); }},
                         {"lowest starts, highest is down", lowest_starts, "", "(N-1)^2 + N-2",
                          [](const ElectionCase& c) {
                            const std::uint64_t n = c.setup.size;
                            return count((n - 1) * (n - 1) + n - 2);
                          }},
                         {"lowest starts, highest is down", lowest_starts, "Election", "N(N-1)/2",
                          [](const ElectionCase& c) {
                            const std::uint64_t n = c.setup.size;
                            return count(n * (n - 1) / 2);
                          }},
                         {"lowest starts, highest is down", lowest_starts, "Ok", "(N-1)(N-2)/2",
                          [](const ElectionCase& c) {
                            const std::uint64_t n = c.setup.size;
                            return count((n - 1) * (n - 2) / 2);
                          }},
                         {"lowest starts, highest is down", lowest_starts, "Coordinator", "N-2",
                          [](const ElectionCase& c) { return count(c.setup.size - 2); }}},
      .seeds = {{"Canonical Problems", "messages, best case", "N-2",
                 "there only the announcement counts, not the ELECTION that nobody answers"}},
      .example = "-n 4 --first 0 --crash 3@0",
  };
  return info;
}

}  // namespace baton
