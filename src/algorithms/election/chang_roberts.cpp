#include "algorithms/election/chang_roberts.h"

#include "algorithms/election/arrangements.h"

namespace baton {

namespace {

double harmonic(std::uint32_t n) {
  double sum = 0;
  for (std::uint32_t i = n; i > 0; --i) sum += 1.0 / i;
  return sum;
}

// At every hop a higher identity replaces it, until the highest goes all the way round.
void successor_of_highest_starts(ElectionCase& c, Chooser&) {
  c.setup.identities.clear();
  c.initiators = {{0}};
}
void highest_starts(ElectionCase& c, Chooser&) {
  c.setup.identities.clear();
  c.initiators = {{c.setup.size - 1}};
}

double size_of(const ElectionCase& c) { return c.setup.size; }

Expected announcement(const ElectionCase& c) { return Expected::exactly(size_of(c)); }

}  // namespace

ChangRoberts::ChangRoberts(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

void ChangRoberts::elect(Out& out) {
  if (state_.takes_part) return;
  state_.takes_part = true;
  out.send(setup_->successor(self_), Election{self_});
}

void ChangRoberts::receive(NodeId, const Message& message, Out& out) {
  std::visit(upon{[&](const Election& m) { upon_election(m.candidate, out); },
                  [&](const Leader& m) { upon_leader(m.leader, out); }},
             message);
}

void ChangRoberts::upon_election(NodeId candidate, Out& out) {
  if (candidate == self_) {
    believe(self_, out);
  } else if (setup_->identity(candidate) > setup_->identity(self_)) {
    state_.takes_part = true;
    out.send(setup_->successor(self_), Election{candidate});
  } else {
    elect(out);
  }
}

void ChangRoberts::upon_leader(NodeId leader, Out& out) {
  if (leader != self_) believe(leader, out);
}

void ChangRoberts::believe(NodeId leader, Out& out) {
  state_.takes_part = false;
  state_.leader = leader;
  out.emit(Elected{leader});
  out.send(setup_->successor(self_), Leader{leader});
}

const Info& ChangRoberts::info() {
  static const Info info{
      .name = "chang-roberts",
      .title = "Chang–Roberts",
      .publication = "Chang and Roberts, Communications of the ACM 22(5), 1979",
      .idea = "send your identity round; pass on only higher ones",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::one_leader, Promise::right_leader, Promise::everyone_learns},
      .problem = "one process down, and nobody ever wins; O(N²) messages at worst",
      .choice = Choice::highest_identity,
      .election_costs =
          {{"all start, identities ascend along the ring", ascending_and_everyone_starts,
            "Election", "2N-1",
            [](const ElectionCase& c) { return Expected::exactly(2 * size_of(c) - 1); }},
           {"all start, identities descend along the ring", descending_and_everyone_starts,
            "Election", "N(N+1)/2",
            [](const ElectionCase& c) {
              return Expected::exactly(size_of(c) * (size_of(c) + 1) / 2);
            }},
           {"all start, identities in random order", shuffled_and_everyone_starts, "Election",
            "N·H(N)",
            [](const ElectionCase& c) {
              return Expected::mean(size_of(c) * harmonic(c.setup.size));
            }},
           {"all start, identities in random order", shuffled_and_everyone_starts, "Leader", "N",
            announcement},
           {"one starts, right behind the highest", successor_of_highest_starts, "", "3N-1",
            [](const ElectionCase& c) { return Expected::exactly(3 * size_of(c) - 1); }},
           {"one starts, right behind the highest", successor_of_highest_starts, "Leader", "N",
            announcement},
           {"the highest starts alone", highest_starts, "", "2N",
            [](const ElectionCase& c) { return Expected::exactly(2 * size_of(c)); }}},
      .example = "-n 4 --first 0",
  };
  return info;
}

}  // namespace baton
