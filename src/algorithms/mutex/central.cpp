#include "algorithms/mutex/central.h"

namespace baton {

Central::Central(NodeId self, const Setup& setup, NodeId inside) : self_(self), setup_(&setup) {
  if (self == inside) state_.mode = Mode::held;
  if (self == setup.coordinator) state_.coordination = Coordination{inside, {}};
}

void Central::request(Out& out) {
  state_.mode = Mode::wanted;
  out.send(setup_->coordinator, Enter{});
}

void Central::release(Out& out) {
  state_.mode = Mode::released;
  out.send(setup_->coordinator, Released{});
}

void Central::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Enter&) { upon_enter(from, out); },
                  [&](const Granted&) { upon_granted(out); }, [&](const Denied&) { upon_denied(); },
                  [&](const Released&) { upon_released(from, out); }},
             message);
}

void Central::upon_enter(NodeId from, Out& out) {
  // A process ignores requests if it is not the coordinator.
  if (!state_.coordination) return;
  if (state_.coordination->holder == nobody) {
    state_.coordination->holder = from;
    out.send(from, Granted{});
    return;
  }
  state_.coordination->queue.push_back(from);
  if (setup_->value(tell_queued) != 0) out.send(from, Denied{});
}

void Central::upon_granted(Out& out) {
  state_.mode = Mode::held;
  out.emit(Entered{});
}

void Central::upon_denied() {
  if (state_.mode == Mode::wanted) state_.mode = Mode::denied;
}

void Central::upon_released(NodeId from, Out& out) {
  if (!state_.coordination || state_.coordination->holder != from) return;
  state_.coordination->holder = nobody;
  if (state_.coordination->queue.empty()) return;
  state_.coordination->holder = state_.coordination->queue.front();
  state_.coordination->queue.pop_front();
  out.send(state_.coordination->holder, Granted{});
}

namespace {

// The cost for a process other than the coordinator; the coordinator pays nothing.
template <int value>
Expected unless_coordinator(const Case& c) {
  return Expected::exactly(c.requester == c.setup.coordinator ? 0 : value);
}

// RELEASED travels to the coordinator, GRANTED from it.
Expected handover_delay(const Case& c) {
  return Expected::exactly((c.before == c.setup.coordinator ? 0 : 1) +
                           (c.requester == c.setup.coordinator ? 0 : 1));
}

// At most one request finds the critical section free: the coordinator's own, which arrives at
// once, unless the coordinator has left again before the others' requests arrive.
Expected when_all_ask(const Case& c) {
  const double size = c.setup.size;
  const double undenied = 3 * (size - 1) / size;
  if (c.setup.value(Central::tell_queued) == 0) return Expected::exactly(undenied);
  return Expected::between(undenied + (size - 2) / size, undenied + (size - 1) / size);
}

Expected when_drawn_uniformly(const Case& c) {
  const double size = c.setup.size;
  return Expected::mean(3 * (size - 1) / size);
}

}  // namespace

const Info& Central::info() {
  static const Info info{
      .name = "central",
      .title = "Centralized",
      .publication = "folklore; Tanenbaum and van Steen, Distributed Systems",
      .idea = "a coordinator grants to one at a time, first come first served",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "crash of the coordinator, which is also a bottleneck",
      .has_coordinator = true,
      .costs = {{Scenario::alone, Metric::messages, "3", unless_coordinator<3>},
                {Scenario::alone, Metric::enter, "2", unless_coordinator<2>},
                {Scenario::alone, Metric::exit, "1", unless_coordinator<1>},
                {Scenario::alone, Metric::delay, "2", unless_coordinator<2>},
                {Scenario::again, Metric::messages, "3", unless_coordinator<3>},
                {Scenario::again, Metric::delay, "2", unless_coordinator<2>},
                {Scenario::handover, Metric::delay, "2", handover_delay},
                {Scenario::everyone, Metric::messages, "3(N-1)/N", when_all_ask},
                {Scenario::sequential, Metric::messages, "3(N-1)/N", when_drawn_uniformly}},
      .seeds = {{"Cardellini", "messages to enter and exit", "3", ""},
                {"Cardellini", "messages to enter", "2", ""},
                {"Canonical Problems", "messages per entry/exit", "3", ""},
                {"Canonical Problems", "delay before entry", "2", ""},
                {"the Chubby Slides", "client delay", "2", ""},
                {"the Chubby Slides", "synchronization delay", "2", ""}},
      .parameters = {&tell_queued},
      .example = "-n 4",
      .checked = {{},
                  {.options = "--requests 2"},
                  {.options = "-n 4"},
                  {.options = "--reliable", .is_quick = false},
                  {.options = "--resilient", .is_quick = false},
                  {.options = "--resilient --quits 1 --crashes 0",
                   .what = "one quits",
                   .is_quick = false}},
  };
  return info;
}

}  // namespace baton
