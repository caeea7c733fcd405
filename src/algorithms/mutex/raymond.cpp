#include "algorithms/mutex/raymond.h"

#include <algorithm>
#include <cstddef>

namespace baton {

namespace {

double distance(const Case& c) { return c.setup.tree.distance(c.before, c.requester); }

Expected way(const Case& c) { return Expected::exactly(distance(c)); }
Expected way_and_back(const Case& c) { return Expected::exactly(2 * distance(c)); }

// The process served last is a leaf, as seen from the holder. In level order, the leaves are those
// behind the parent of the last process; the root is one too if it has one child.
Expected walk_round_the_tree(const Case& c) {
  const Setup& setup = c.setup;
  if (setup.size == 1) return Expected::exactly(0);
  const std::uint32_t last = setup.size - 1;
  std::uint32_t nearest = setup.size;
  std::uint32_t farthest = 0;
  const auto consider = [&](NodeId leaf) {
    if (leaf == setup.coordinator) return;
    const std::uint32_t hops = setup.tree.distance(setup.coordinator, leaf);
    nearest = std::min(nearest, hops);
    farthest = std::max(farthest, hops);
  };
  for (std::uint32_t i = setup.tree.parent({last}).value + 1; i <= last; ++i) consider({i});
  const bool root_has_one_child = last == 1 || setup.tree.parent({2}).value != 0;
  if (root_has_one_child) consider({0});
  const double size = setup.size;
  return Expected::between((4 * (size - 1) - 2 * farthest) / size,
                           (4 * (size - 1) - 2 * nearest) / size);
}

// Twice the average distance between two processes drawn independently. An edge that cuts off s
// processes lies between 2s(N−s) of the N² pairs.
Expected twice_the_average_distance(const Case& c) {
  const Setup& setup = c.setup;
  const double size = setup.size;
  std::vector<double> cut_off(setup.size, 1);
  double pairs = 0;
  for (std::uint32_t i = setup.size; i-- > 1;) {
    cut_off[setup.tree.parent({i}).value] += cut_off[i];
    pairs += 2 * cut_off[i] * (size - cut_off[i]);
  }
  return Expected::mean(2 * pairs / (size * size));
}

}  // namespace

Raymond::Raymond(NodeId self, const Setup& setup, NodeId inside) : self_(self) {
  const NodeId first_holder = inside == nobody ? setup.coordinator : inside;
  state_.holder = self == first_holder ? self : setup.tree.step_towards(self, first_holder);
  state_.inside = self == inside;
}

void Raymond::request(Out& out) {
  state_.queue.push(self_);
  assign_token(out);
  make_request(out);
}

void Raymond::release(Out& out) {
  state_.inside = false;
  assign_token(out);
  make_request(out);
}

void Raymond::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request&) { state_.queue.push(from); },
                  [&](const Token&) { state_.holder = self_; }},
             message);
  assign_token(out);
  make_request(out);
}

void Raymond::assign_token(Out& out) {
  if (state_.holder != self_ || state_.inside || state_.queue.empty()) return;
  state_.holder = state_.queue.pop();
  state_.asked = false;
  if (state_.holder == self_) {
    state_.inside = true;
    out.emit(Entered{});
  } else {
    out.send(state_.holder, Token{});
  }
}

void Raymond::make_request(Out& out) {
  if (state_.holder == self_ || state_.queue.empty() || state_.asked) return;
  state_.asked = true;
  out.send(state_.holder, Request{});
}

const Info& Raymond::info() {
  static const Info info{
      .name = "raymond",
      .title = "Raymond",
      .publication = "Raymond, ACM TOCS 7(1), 1989",
      .idea = "the token moves along a tree; each process points towards it and asks once for all",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "lost token, crash of any process",
      .costs = {{Scenario::alone, Metric::messages, "2d", way_and_back},
                {Scenario::alone, Metric::enter, "2d", way_and_back},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::delay, "2d", way_and_back},
                {Scenario::again, Metric::messages, "0", constant<0>},
                {Scenario::again, Metric::delay, "0", constant<0>},
                {Scenario::handover, Metric::delay, "d", way},
                {Scenario::everyone, Metric::messages, "(4(N-1) - 2 depth of the last served) / N",
                 walk_round_the_tree},
                {Scenario::sequential, Metric::messages, "2 average distance",
                 twice_the_average_distance}},
      .example = "-n 4 --tree line",
      .checked = {{}, {.options = "--requests 2"}, {.options = "-n 4"}},
  };
  return info;
}

}  // namespace baton
