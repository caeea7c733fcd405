#include "algorithms/mutex/token_ring.h"

namespace baton {

namespace {

// Before the last of N entries the token makes N−1 or N hops, depending on whether its first
// holder asks before it passes the token on, and one more when the last one leaves.
Expected about_one(const Case& c) {
  const double size = c.setup.size;
  return Expected::between((size - 1) / size, (size + 1) / size);
}

Expected at_most_one_round(const Case& c) { return Expected::between(0, c.setup.size); }

// The token is equally likely to be at any process.
Expected half_a_round(const Case& c) { return Expected::mean(c.setup.size / 2.0); }

Expected ring_distance(const Case& c) {
  return Expected::exactly(c.setup.ring_distance(c.before, c.requester));
}

}  // namespace

TokenRing::TokenRing(NodeId self, const Setup& setup, NodeId inside) : self_(self), setup_(&setup) {
  state_.has_token = self == (inside == nobody ? setup.coordinator : inside);
  if (self == inside) state_.mode = Mode::held;
}

void TokenRing::start(Out& out) {
  if (state_.has_token && state_.mode == Mode::released) pass_on(out);
}

void TokenRing::request(Out& out) {
  state_.mode = Mode::wanted;
  if (state_.has_token) enter(out);
}

void TokenRing::release(Out& out) {
  state_.mode = Mode::released;
  pass_on(out);
}

void TokenRing::receive(NodeId, const Message&, Out& out) { upon_token(out); }

void TokenRing::upon_token(Out& out) {
  state_.has_token = true;
  if (state_.mode == Mode::wanted) {
    enter(out);
  } else {
    pass_on(out);
  }
}

void TokenRing::enter(Out& out) {
  state_.mode = Mode::held;
  out.emit(Entered{});
}

void TokenRing::pass_on(Out& out) {
  if (setup_->size == 1) return;
  state_.has_token = false;
  out.send(setup_->successor(self_), Token{});
}

const Info& TokenRing::info() {
  static const Info info{
      .name = "token-ring",
      .title = "Token ring",
      .publication = "Le Lann, IFIP Congress 1977",
      .idea = "one token travels round a ring for ever; its holder may go in",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "lost token, crash of any process",
      .perpetual = true,
      .costs = {{Scenario::alone, Metric::delay, "0 ... N", at_most_one_round},
                {Scenario::again, Metric::delay, "0 ... N", at_most_one_round},
                {Scenario::handover, Metric::delay, "ring distance, 1 ... N-1", ring_distance},
                {Scenario::everyone, Metric::messages, "1", about_one},
                {Scenario::everyone, Metric::enter, "0", constant<0>},
                {Scenario::everyone, Metric::exit, "1", about_one},
                {Scenario::saturated, Metric::messages, "1", constant<1>},
                {Scenario::saturated, Metric::enter, "0", constant<0>},
                {Scenario::saturated, Metric::exit, "1", constant<1>},
                {Scenario::sequential, Metric::delay, "N/2", half_a_round}},
      .seeds =
          {{"Cardellini", "messages to enter and exit", "1 to infinity (if bidirectional)",
            "1 when all want it; one-way too it is without bound when nobody does"},
           {"Cardellini", "messages to enter", "0 to N-1",
            "there the hops towards who waits count; here each belongs to the exit of its sender"},
           {"Canonical Problems", "delay before entry", "0 to n-1",
            "who has just passed the token on waits N"},
           {"the Chubby Slides", "client delay", "0 to N", ""},
           {"the Chubby Slides", "synchronization delay", "1 to N-1", ""},
           {"the Chubby Slides", "messages per exit", "1", ""}},
      .example = "-n 4",
      .checked = {{},
                  {.options = "--requests 2"},
                  {.options = "-n 4"},
                  {.options = "--resilient", .is_quick = false}},
      .traps = {{.options = "--crashes 1", .what = "one crash, and everyone waits for ever"}},
  };
  return info;
}

}  // namespace baton
