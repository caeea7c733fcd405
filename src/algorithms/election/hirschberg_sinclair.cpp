#include "algorithms/election/hirschberg_sinclair.h"

#include "algorithms/election/arrangements.h"

namespace baton {

namespace {

using Way = HirschbergSinclair::Way;

Way opposite(Way way) { return way == Way::forward ? Way::backward : Way::forward; }

// The phase in which the winner's probes get round: the first with 2ᵏ at least N.
std::uint32_t last_phase(std::uint32_t size) {
  std::uint32_t phase = 0;
  while ((std::uint64_t{1} << phase) < size) ++phase;
  return phase;
}

// PROBEs and REPLYs if all start. In phase 0 each process probes both neighbours, and of each two
// neighbours one replies; the last phase is the winner's alone, and its probes get no reply. In
// between each candidate of phase k causes at most 4·2ᵏ messages, and the winner just as many.
double least(std::uint32_t size) {
  double sum = 5.0 * size;
  for (std::uint32_t k = 1; k < last_phase(size); ++k) {
    sum += 4 * static_cast<double>(std::uint64_t{1} << k);
  }
  return sum;
}
double most(std::uint32_t size) {
  double sum = 5.0 * size;
  for (std::uint32_t k = 1; k < last_phase(size); ++k) {
    const std::uint64_t reach = std::uint64_t{1} << k;
    const std::uint64_t candidates = size / (reach / 2 + 1);
    sum += static_cast<double>(4 * reach * candidates);
  }
  return sum;
}

Expected with_announcement(double low, double high, std::uint32_t size) {
  return Expected::between(low + size, high + size);
}

}  // namespace

HirschbergSinclair::HirschbergSinclair(NodeId self, const Setup& setup)
    : self_(self), setup_(&setup) {}

void HirschbergSinclair::elect(Out& out) {
  if (state_.is_candidate) return;
  state_.is_candidate = true;
  begin_phase(0, out);
}

void HirschbergSinclair::begin_phase(std::uint32_t phase, Out& out) {
  state_.phase = phase;
  state_.answered_forward = false;
  state_.answered_backward = false;
  for (const Way way : {Way::forward, Way::backward}) {
    out.send(neighbour(way), Probe{self_, way, phase, 1});
  }
}

void HirschbergSinclair::receive(NodeId, const Message& message, Out& out) {
  std::visit(upon{[&](const Probe& probe) { upon_probe(probe, out); },
                  [&](const Reply& reply) { upon_reply(reply, out); },
                  [&](const Leader& m) { upon_leader(m.leader, out); }},
             message);
}

void HirschbergSinclair::upon_probe(Probe probe, Out& out) {
  if (probe.candidate == self_) {
    win(out);
  } else if (setup_->identity(probe.candidate) < setup_->identity(self_)) {
    elect(out);
  } else if (probe.hops < std::uint64_t{1} << probe.phase) {
    ++probe.hops;
    out.send(neighbour(probe.way), probe);
  } else {
    out.send(neighbour(opposite(probe.way)), Reply{probe.candidate, probe.way, probe.phase});
  }
}

void HirschbergSinclair::upon_reply(const Reply& reply, Out& out) {
  if (reply.candidate != self_) {
    out.send(neighbour(opposite(reply.way)), reply);
    return;
  }
  if (!state_.is_candidate || reply.phase != state_.phase) return;
  (reply.way == Way::forward ? state_.answered_forward : state_.answered_backward) = true;
  if (state_.answered_forward && state_.answered_backward) begin_phase(state_.phase + 1, out);
}

// Both of the winner's probes come home; the first is enough.
void HirschbergSinclair::win(Out& out) {
  if (state_.is_candidate) believe(self_, out);
}

void HirschbergSinclair::upon_leader(NodeId leader, Out& out) {
  if (leader != self_) believe(leader, out);
}

void HirschbergSinclair::believe(NodeId leader, Out& out) {
  state_.is_candidate = false;
  state_.leader = leader;
  out.emit(Elected{leader});
  out.send(setup_->successor(self_), Leader{leader});
}

const Info& HirschbergSinclair::info() {
  static const Info info{
      .name = "hirschberg-sinclair",
      .title = "Hirschberg–Sinclair",
      .publication = "Hirschberg and Sinclair, Communications of the ACM 23(11), 1980",
      .idea = "be the highest among your neighbours, then among twice as many",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::one_leader, Promise::right_leader, Promise::everyone_learns},
      .problem = "one process down, and nobody ever wins; channels must go both ways",
      .choice = Choice::highest_identity,
      .election_costs = {{"all start, identities ascend along the ring",
                          ascending_and_everyone_starts, "", "6N + 4(2^K - 2), K = ceil(log2 N)",
                          [](const ElectionCase& c) {
                            return with_announcement(least(c.setup.size), least(c.setup.size),
                                                     c.setup.size);
                          }},
                         {"all start, identities in random order", shuffled_and_everyone_starts, "",
                          "up to 6N + sum of 4·2^k·floor(N/(2^(k-1)+1)), 0<k<K",
                          [](const ElectionCase& c) {
                            return with_announcement(least(c.setup.size), most(c.setup.size),
                                                     c.setup.size);
                          }},
                         {"all start, identities in random order", shuffled_and_everyone_starts,
                          "Leader", "N",
                          [](const ElectionCase& c) { return Expected::exactly(c.setup.size); }}},
      .example = "-n 4 --first 0",
      .checked = {{.is_quick = false}},
  };
  return info;
}

}  // namespace baton
