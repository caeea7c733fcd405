#include "algorithms/election/randomized.h"

#include <cmath>
#include <utility>

namespace baton {

namespace {

void one_starts(ElectionCase& c, Chooser& chooser) {
  c.initiators = {{chooser.choose(c.setup.size)}};
}

// With so many bits a tie is so unlikely that the first round decides.
void one_starts_with_many_bits(ElectionCase& c, Chooser& chooser) {
  c.setup.choose(Randomized::bits, Randomized::bits.most);
  one_starts(c, chooser);
}

double a_round(const ElectionCase& c) {
  const double n = c.setup.size;
  return n * (n - 1);
}

}  // namespace

Randomized::Randomized(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

void Randomized::Tally::add(NodeId by, std::uint32_t value) {
  if (drawn_by == nobody || value > highest) {
    highest = value;
    drawn_by = by;
    is_tied = false;
  } else if (value == highest) {
    is_tied = true;
  }
}

void Randomized::elect(Out& out) {
  if (state_.is_drawing) return;
  begin_round(draw(out), out);
  go_on(out);
}

void Randomized::receive(NodeId from, const Message& message, Out& out) {
  note(from, std::get<Draw>(message));
  go_on(out);
}

std::uint32_t Randomized::draw(Out& out) const { return out.choose(1U << setup_->value(bits)); }

void Randomized::begin_round(std::uint32_t value, Out& out) {
  state_.round = next(state_.round);
  state_.is_drawing = true;
  state_.now = std::exchange(state_.ahead, {});
  state_.now.add(self_, value);
  out.broadcast(self_, setup_->size, Draw{state_.round, value});
}

// No process can be further ahead than the next round, which needs everyone's draw to end.
void Randomized::note(NodeId from, const Draw& draw) {
  const bool is_now = draw.round == state_.round && state_.is_drawing;
  if (!is_now && draw.round != next(state_.round)) return;
  Tally& tally = is_now ? state_.now : state_.ahead;
  if (tally.heard.contains(from)) return;
  tally.heard.insert(from);
  tally.add(from, draw.value);
}

void Randomized::go_on(Out& out) {
  if (should_join()) begin_round(draw(out), out);
  while (has_heard_all()) {
    if (!state_.now.is_tied) {
      believe(state_.now.drawn_by, out);
      return;
    }
    begin_round(draw(out), out);
  }
}

void Randomized::believe(NodeId leader, Out& out) {
  state_.is_drawing = false;
  state_.leader = leader;
  out.emit(Elected{leader});
}

double Randomized::chance_of_one_round(std::uint32_t size, std::uint32_t bits) {
  const auto values = static_cast<double>(std::uint64_t{1} << bits);
  double sum = 0;
  for (double value = 1; value < values; ++value) sum += std::pow(value / values, size - 1.0);
  return size * sum / values;
}

const Info& Randomized::info() {
  static const Info info{
      .name = "randomized",
      .title = "Randomized election without names",
      .publication = "after Itai and Rodeh, Information and Computation 88(1), 1990",
      .idea = "all draw a random number; the highest leads, if it was drawn once",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::one_leader, Promise::everyone_learns},
      .problem = "no bound on the number of rounds, only a probability",
      .choice = Choice::anyone,
      .election_costs = {{"one starts, 31 bits", one_starts_with_many_bits, "Draw", "N(N-1)",
                          [](const ElectionCase& c) { return Expected::exactly(a_round(c)); }},
                         {"one starts", one_starts, "Draw",
                          "N(N-1)/P, P = N·sum of v^(N-1)/2^(bN), 0<v<2^b",
                          [](const ElectionCase& c) {
                            return Expected::mean(
                                a_round(c) /
                                chance_of_one_round(
                                    c.setup.size, static_cast<std::uint32_t>(c.setup.value(bits))));
                          }}},
      .parameters = {&bits},
      .example = "-n 3 --first 0 --bits 1",
  };
  return info;
}

}  // namespace baton
