#include "algorithms/mutex/naimi_trehel.h"

namespace baton {

namespace {

// At first everyone's father is the coordinator. When `before` has entered, it is the father of
// the coordinator only, so a third process reaches it in two hops.
Expected path_and_token(const Case& c) {
  const NodeId coordinator = c.setup.coordinator;
  return Expected::exactly(c.before == coordinator || c.requester == coordinator ? 2 : 3);
}

Expected all_through_one(const Case& c) {
  const double size = c.setup.size;
  return Expected::exactly(size == 1 ? 0 : (3 * size - 4) / size);
}

Expected harmonic_number(const Case& c) {
  double sum = 0;
  for (std::uint32_t i = 1; i < c.setup.size; ++i) sum += 1.0 / i;
  return Expected::mean(sum);
}

}  // namespace

NaimiTrehel::NaimiTrehel(NodeId self, const Setup& setup, NodeId inside) : self_(self) {
  const NodeId first_holder = inside == nobody ? setup.coordinator : inside;
  state_.father = self == first_holder ? nobody : first_holder;
  state_.requesting = self == inside;
}

void NaimiTrehel::request(Out& out) {
  state_.requesting = true;
  if (state_.father == nobody) {
    out.emit(Entered{});
    return;
  }
  out.send(state_.father, Request{self_});
  state_.father = nobody;
}

void NaimiTrehel::release(Out& out) {
  state_.requesting = false;
  if (state_.next == nobody) return;
  out.send(state_.next, Token{});
  state_.next = nobody;
}

void NaimiTrehel::receive(NodeId, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) { upon_request(request.requester, out); },
                  [&](const Token&) { out.emit(Entered{}); }},
             message);
}

void NaimiTrehel::upon_request(NodeId requester, Out& out) {
  if (state_.father != nobody) {
    out.send(state_.father, Request{requester});
  } else if (state_.requesting) {
    state_.next = requester;
  } else {
    out.send(requester, Token{});
  }
  state_.father = requester;
}

const Info& NaimiTrehel::info() {
  static const Info info{
      .name = "naimi-trehel",
      .title = "Naimi–Trehel",
      .publication = "Naimi and Trehel, ICDCS 1987",
      .idea = "requests follow and reverse the trail of those who asked before",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "lost token, crash of any process",
      .costs = {{Scenario::alone, Metric::messages, "0 ... N: hops + 1", path_and_token},
                {Scenario::alone, Metric::enter, "0 ... N: hops + 1", path_and_token},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::delay, "hops + 1", path_and_token},
                {Scenario::again, Metric::messages, "0", constant<0>},
                {Scenario::again, Metric::delay, "0", constant<0>},
                {Scenario::handover, Metric::delay, "1", constant<1>},
                {Scenario::everyone, Metric::messages, "(3N-4) / N", all_through_one},
                {Scenario::sequential, Metric::messages, "H(N-1) = 1 + 1/2 + ... + 1/(N-1)",
                 harmonic_number}},
      .example = "-n 4",
      .checked = {{}, {.options = "--requests 2"}, {.options = "-n 4"}},
  };
  return info;
}

}  // namespace baton
