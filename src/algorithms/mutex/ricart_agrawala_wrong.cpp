#include "algorithms/mutex/ricart_agrawala_wrong.h"

#include <algorithm>

namespace baton {

namespace {

// The variant's description as its believer would write it, and its flaw.
Info believed(std::string_view name, std::string_view title, std::string_view idea, Flaw flaw,
              std::string_view example = Info().example, CheckedInstance caught = {}) {
  Info info = variant_of(RicartAgrawala::info());
  info.name = name;
  info.title = title;
  info.idea = idea;
  info.costs.clear();
  info.seeds.clear();
  info.example = example;
  info.checked = {caught};
  info.flaws = {flaw};
  return info;
}

}  // namespace

void WrongRicartAgrawalaCountsReplies::receive(NodeId from, const Message& message, Out& out) {
  if (const auto* reply = std::get_if<Reply>(&message)) {
    upon_reply(*reply, out);
  } else {
    RicartAgrawala::receive(from, message, out);
  }
}

void WrongRicartAgrawalaCountsReplies::upon_reply(const Reply& reply, Out& out) {
  state_.clock = std::max(state_.clock, reply.at);
  if (state_.mode != Mode::wanted) return;
  // Only the size of the set matters here: it is the number of replies still to come.
  NodeId any = nobody;
  state_.awaited.for_each([&](NodeId node) { any = node; });
  state_.awaited.erase(any);
  enter_if_all_replied(out);
}

const Info& WrongRicartAgrawalaCountsReplies::info() {
  static const Info info = believed(
      "wrong-ricart-agrawala-counts-replies", "Ricart–Agrawala counting replies",
      "ask everyone; enter when N-1 replies have come, whosoever and to whatever request",
      {Promise::safety,
       {Assumption::no_duplication},
       "a duplicated REPLY counts for a process that has not replied, or a stale one for a "
       "request that it does not answer"},
      "-n 3 --delay exponential --duplicate 0.2");
  return info;
}

void WrongRicartAgrawalaComparesClock::receive(NodeId from, const Message& message, Out& out) {
  if (const auto* request = std::get_if<Request>(&message)) {
    upon_request(*request, out);
  } else {
    RicartAgrawala::receive(from, message, out);
  }
}

void WrongRicartAgrawalaComparesClock::upon_request(const Request& request, Out& out) {
  const Timestamp now{state_.clock, self_};
  state_.clock = std::max(state_.clock, request.at.clock);
  const bool mine_goes_first =
      state_.mode == Mode::held || (state_.mode == Mode::wanted && now < request.at);
  if (mine_goes_first) {
    state_.deferred.push_back(request.at);
  } else {
    out.send(request.at.node, Reply{request.at, state_.clock});
  }
}

const Info& WrongRicartAgrawalaComparesClock::info() {
  static const Info info =
      believed("wrong-ricart-agrawala-compares-clock", "Ricart–Agrawala comparing the clock",
               "ask everyone; who is inside or whose clock is smaller replies later",
               {Promise::safety,
                {},
                "the clock of a process that waits goes on, so that it consents to a request "
                "whose sender has consented to its own"},
               "-n 3 --delay exponential --workload closed --think 2 --entries 9 --seed 116");
  return info;
}

void WrongRicartAgrawalaNoTieBreak::receive(NodeId from, const Message& message, Out& out) {
  if (const auto* request = std::get_if<Request>(&message)) {
    upon_request(*request, out);
  } else {
    RicartAgrawala::receive(from, message, out);
  }
}

void WrongRicartAgrawalaNoTieBreak::upon_request(const Request& request, Out& out) {
  state_.clock = std::max(state_.clock, request.at.clock);
  const bool other_goes_first = request.at.clock < state_.mine.clock;
  if (state_.mode == Mode::held || (state_.mode == Mode::wanted && !other_goes_first)) {
    state_.deferred.push_back(request.at);
  } else {
    out.send(request.at.node, Reply{request.at, state_.clock});
  }
}

const Info& WrongRicartAgrawalaNoTieBreak::info() {
  static const Info info = believed(
      "wrong-ricart-agrawala-no-tie-break", "Ricart–Agrawala without ids to break ties",
      "ask everyone; who is inside or has no later clock replies later",
      {Promise::deadlock_freedom, {}, "two requests with the same clock wait for each other"});
  return info;
}

void WrongRicartAgrawalaForgotten::release(Out& out) {
  RicartAgrawala::release(out);
  forget_if_idle();
}

void WrongRicartAgrawalaForgotten::receive(NodeId from, const Message& message, Out& out) {
  RicartAgrawala::receive(from, message, out);
  forget_if_idle();
}

void WrongRicartAgrawalaForgotten::forget_if_idle() {
  if (state_.mode == Mode::released) state_ = State{};
}

const Info& WrongRicartAgrawalaForgotten::info() {
  static const Info info = believed(
      "wrong-ricart-agrawala-forgotten", "Ricart–Agrawala forgotten while idle",
      "as Ricart–Agrawala, but an idle instance is dropped and made anew when needed",
      {Promise::safety,
       {},
       "the new instance's clock restarts, so that it asks with an earlier timestamp "
       "than a request to which it has consented"},
      "-n 2 --delay exponential --reorder --workload closed --think 1 --entries 6 --seed 133",
      {.options = "-n 2"});
  return info;
}

}  // namespace baton
