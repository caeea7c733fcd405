#include "algorithms/mutex/maekawa.h"

#include "algorithms/mutex/voting_costs.h"

namespace baton {

Maekawa::Maekawa(NodeId self, const Setup& setup, NodeId inside) : self_(self), setup_(&setup) {
  if (inside == nobody) return;
  if (self == inside) state_.mode = Mode::held;
  if (setup.voting->contains(inside, self)) state_.voted_for = inside;
}

void Maekawa::request(Out& out) {
  state_.mode = Mode::wanted;
  state_.votes = 0;
  out.multicast(self_, setup_->voting->of(self_), Request{});
}

void Maekawa::release(Out& out) {
  state_.mode = Mode::released;
  out.multicast(self_, setup_->voting->of(self_), Release{});
}

void Maekawa::receive(NodeId from, const Message& message, Out& out) {
  std::visit(
      upon{[&](const Request&) { upon_request(from, out); }, [&](const Reply&) { upon_reply(out); },
           [&](const Release&) { upon_release(out); }},
      message);
}

void Maekawa::upon_request(NodeId from, Out& out) {
  if (state_.voted_for != nobody) {
    state_.queue.push_back(from);
  } else {
    state_.voted_for = from;
    out.send(from, Reply{});
  }
}

void Maekawa::upon_reply(Out& out) {
  ++state_.votes;
  if (state_.votes == setup_->voting->set_size()) {
    state_.mode = Mode::held;
    state_.votes = 0;
    out.emit(Entered{});
  }
}

void Maekawa::upon_release(Out& out) {
  if (state_.queue.empty()) {
    state_.voted_for = nobody;
  } else {
    state_.voted_for = state_.queue.front();
    state_.queue.erase(state_.queue.begin());
    out.send(state_.voted_for, Reply{});
  }
}

const Info& Maekawa::info() {
  using namespace voting_costs;
  static const Info info{
      .name = "maekawa",
      .title = "Maekawa",
      .publication = "Maekawa, ACM TOCS 3(2), 1985",
      .idea = "ask your voting set; each voter votes for one at a time",
      .assumes = reliable_channels,
      .promises = {Promise::safety},
      .problem = "possible deadlock",
      .costs = {{Scenario::alone, Metric::messages, "3(K-1)", per_voter<3>},
                {Scenario::alone, Metric::enter, "2(K-1)", per_voter<2>},
                {Scenario::alone, Metric::exit, "K-1", per_voter<1>},
                {Scenario::alone, Metric::multicast, "K+1", with_multicast},
                {Scenario::alone, Metric::delay, "2", round_trip},
                {Scenario::again, Metric::messages, "3(K-1)", per_voter<3>},
                {Scenario::handover, Metric::delay, "2, or 1 without a third common voter",
                 handover},
                {Scenario::sequential, Metric::messages, "3(K-1)", per_voter<3>}},
      .seeds = {{"Cardellini", "messages to enter and exit", "3√N",
                 "there K is √N and the own vote counts; here it is free"},
                {"Cardellini", "messages to enter", "2√N", "as above"},
                {"the Chubby Slides", "messages per enter()", "2√N",
                 "there K is √N and the own vote counts"},
                {"the Chubby Slides", "messages per exit()", "√N", "as above"},
                {"the Chubby Slides", "client delay", "one round trip", ""},
                {"the Chubby Slides", "synchronization delay", "2",
                 "1 where the common voters are only the two processes themselves"}},
      .example = "-n 4 --requesters 2",
      .checked = {{}, {.options = "--requests 2"}, {.options = "-n 4"}},
      .traps = {{.options = "--demand deadlock-freedom",
                 .what = "all ask at once, and each has one vote and waits for another"},
                {.options = "-n 4 --demand deadlock-freedom",
                 .what = "four processes wait for votes in a cycle"}},
  };
  return info;
}

}  // namespace baton
