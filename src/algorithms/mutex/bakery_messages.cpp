#include "algorithms/mutex/bakery_messages.h"

#include <algorithm>
#include <limits>

namespace baton {

namespace {

constexpr BakeryMessages::Ticket first_ticket{1};

}  // namespace

BakeryMessages::BakeryMessages(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  if (self == inside) state_.num = first_ticket;
}

void BakeryMessages::request(Out& out) {
  state_.choosing = true;
  state_.awaited = NodeSet::all_but(self_, setup_->size);
  out.broadcast(self_, setup_->size, ReadNum{});
  leave_doorway_if_all_read(out);
}

void BakeryMessages::release(Out&) { state_.num.reset(); }

void BakeryMessages::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const ReadNum&) { out.send(from, Num{state_.num}); },
                  [&](const ReadChoosing&) { out.send(from, Choosing{state_.choosing}); },
                  [&](const Num& read) { upon_num(from, read, out); },
                  [&](const Choosing& read) { upon_choosing(from, read, out); }},
             message);
}

void BakeryMessages::upon_num(NodeId from, const Num& read, Out& out) {
  if (state_.choosing) {
    state_.highest = std::max(state_.highest, read.num);
    state_.awaited.erase(from);
    leave_doorway_if_all_read(out);
    return;
  }
  const bool goes_before_me =
      read.num && Timestamp{*read.num, from} < Timestamp{*state_.num, self_};
  if (goes_before_me) {
    out.send(from, ReadNum{});
    return;
  }
  state_.awaited.erase(from);
  enter_if_none_before(out);
}

void BakeryMessages::upon_choosing(NodeId from, const Choosing& read, Out& out) {
  if (read.choosing) {
    out.send(from, ReadChoosing{});
  } else {
    out.send(from, ReadNum{});
  }
}

void BakeryMessages::leave_doorway_if_all_read(Out& out) {
  if (!state_.awaited.empty()) return;
  state_.num = state_.highest ? next(*state_.highest) : first_ticket;
  state_.highest.reset();
  state_.choosing = false;
  state_.awaited = NodeSet::all_but(self_, setup_->size);
  out.broadcast(self_, setup_->size, ReadChoosing{});
  enter_if_none_before(out);
}

void BakeryMessages::enter_if_none_before(Out& out) {
  if (state_.awaited.empty()) out.emit(Entered{});
}

namespace {

// A read that arrives just before the exit gets the answer "wait"; repeating it costs 2 more.
Expected handover_delay(const Case&) { return Expected::between(1, 3); }

// A process polls as long as others stay inside, for which there is no bound.
Expected when_all_ask(const Case& c) {
  return Expected::between(per_peer<6>(c).low, std::numeric_limits<double>::infinity());
}

}  // namespace

const Info& BakeryMessages::info() {
  static const Info info{
      .name = "bakery-messages",
      .title = "Bakery over messages",
      .publication = "Lamport, CACM 17(8), 1974",
      .idea = "take a ticket above all others; read everyone's variables until yours is the least",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "crash of any process; polls while waiting",
      .costs = {{Scenario::alone, Metric::messages, "6(N-1)", per_peer<6>},
                {Scenario::alone, Metric::enter, "6(N-1)", per_peer<6>},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::delay, "6", constant<6>},
                {Scenario::again, Metric::messages, "6(N-1)", per_peer<6>},
                {Scenario::again, Metric::delay, "6", constant<6>},
                {Scenario::handover, Metric::delay, "1 ... 3", handover_delay},
                {Scenario::everyone, Metric::messages, "at least 6(N-1)", when_all_ask}},
      .seeds = {{"Cardellini", "messages to enter", "6N",
                 "there reading the own variables counts too; here it takes no message"}},
      .checked = {{.is_quick = false}, {.options = "--requests 2", .is_quick = false}},
  };
  return info;
}

}  // namespace baton
