// Several resources, each with a lock of its own, for any mutual-exclusion algorithm P.
//
// Idea: one instance of P per resource. The instances know nothing of each other; their messages
// travel together, and each names its resource. What remains is the order in which a process
// acquires the resources that it needs, and this is where deadlocks arise (E. G. Coffman, M. J.
// Elphick and A. Shoshani, "System deadlocks", Computing Surveys 3(2), 1971, name the four
// conditions):
//   naive      one after the other in the order in which the application names them. Deadlocks: 0
//              holds A and waits for B, held by 1, which waits for A.
//   ascending  one after the other, the smallest first (J. W. Havender, "Avoiding deadlock in
//              multitasking systems", IBM Systems Journal 7(2), 1968). Nobody waits for a resource
//              that is smaller than one it holds, so no cycle can close.
//   atomic     all at once, behind a gate: one more instance of P. A process inside the gate asks
//              for everything and leaves the gate when it holds it all. Only one process at a
//              time holds something while it waits, and the processes it waits for hold all they
//              need. The price is parallelism: everyone waits for the process inside the gate.
//   detect     as naive, but the coordinator watches the wait-for graph. Before a process that
//              holds something waits for more, it tells the coordinator what it holds and wants.
//              If that closes a cycle, the coordinator refuses: the process releases everything,
//              pauses for a random time that grows, and starts again.
//
// Why `detect` misses no deadlock, however late messages are: suppose that there is a cycle. Each
// of its processes holds something, so it has told the coordinator what it holds and wants, and
// nothing has changed since, because it is waiting. When the last of these reports arrived, the
// coordinator knew the whole cycle, and refused. The coordinator may however refuse needlessly if
// it has not yet heard that a process released something; that costs time and nothing else.
//
// Assumes: what P assumes, and no more.
// Promises: each resource is held by at most one process if P promises that. Freedom from deadlock
// if P promises it, but for naive. Freedom from starvation, likewise, for ascending and atomic.
// Costs: P's per resource; atomic adds P's for the gate; detect adds for each resource but the
// first a question and an answer, and one message at the end if anything was asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/layer/layers.h"
#include "algorithms/resource/protocol.h"
#include "core/reflect.h"

namespace baton {

// A message of the lock that guards one resource.
template <class Message>
struct Guarding {
  static constexpr bool wraps = true;
  ResourceId resource;
  Message message;

  // "(A <1,0>)": the resource before the message's own fields.
  std::string text() const {
    const std::string body = reflect::message_body(message);
    return "(" + resource.text() + (body == "()" ? ")" : " " + body.substr(1));
  }
};

// A process asks the coordinator, which watches the wait-for graph, and the coordinator answers.
// Each process numbers its questions, so that the coordinator can tell late and repeated ones.
struct MayIWait {
  SequenceNumber question;
  std::vector<ResourceId> holding;
  ResourceId wanted;
};
struct Wait {
  SequenceNumber question;
};
struct DoNotWait {
  SequenceNumber question;
  Cycle cycle;
};
struct HaveLetGo {
  static constexpr Phase phase = Phase::exit;
  SequenceNumber question;
};

template <MutexProtocol P>
class MultiLock {
 public:
  using OfLock = Guarding<typename P::Message>;
  using Message = std::variant<OfLock, MayIWait, Wait, DoNotWait, HaveLetGo>;
  using Event = ResourceEvent;
  using Out = Outbox<Message, Event>;

  enum class Mode : std::uint8_t { idle, waiting, asking, pausing, holding };
  // The coordinator's knowledge about one process.
  struct Claim {
    NodeId node;
    SequenceNumber question;
    std::vector<ResourceId> holding;  // empty: it has released everything
    ResourceId wanted;
  };
  // The application's wish, and the progress towards it.
  struct Progress {
    Mode mode = Mode::idle;
    std::vector<ResourceId> wanted;  // in the order in which they are acquired
    std::vector<ResourceId> held;
    bool in_gate = false;
    SequenceNumber question;     // the latest to the coordinator; numbered across acquisitions
    bool asked = false;          // in this attempt
    std::uint32_t refusals = 0;  // for the present wish, as far as they lengthen the pause
  };
  struct State {
    std::vector<typename P::State> locks;  // per resource, and the gate if there is one
    Progress progress;
    std::vector<Claim> claims;
  };

  MultiLock(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {
    const std::uint32_t count = setup.resources + (is(Acquisition::atomic) ? 1 : 0);
    locks_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) locks_.emplace_back(self, setup, nobody);
  }

  void start(Out& out) requires Starts<P> {
    for (std::uint32_t i = 0; i < locks_.size(); ++i) {
      step(resource_of(i), out, [](P& lock, auto& inner) { lock.start(inner); });
    }
  }

  void acquire(const std::vector<ResourceId>& wanted, Out& out) {
    progress_.wanted = wanted;
    progress_.refusals = 0;
    if (is(Acquisition::ascending)) std::sort(progress_.wanted.begin(), progress_.wanted.end());
    begin(out);
  }

  void release(Out& out) {
    progress_.mode = Mode::idle;
    let_go_of_everything(out);
  }

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const OfLock& guarding) {
                      step(guarding.resource, out, [&](P& lock, auto& inner) {
                        lock.receive(from, guarding.message, inner);
                      });
                    },
                    [&](const MayIWait& question) { upon_question(from, question, out); },
                    [&](const Wait& answer) { upon_wait(answer.question, out); },
                    [&](const DoNotWait& answer) { upon_do_not_wait(answer, out); },
                    [&](const HaveLetGo& news) {
                      claim(from, {from, news.question, {}, {}});
                    }},
               message);
  }

  void expire(TimerId timer, Out& out) {
    const std::uint32_t index = timer.value % timer_slots();
    if (index == locks_.size()) {
      if (progress_.mode == Mode::pausing) begin(out);
      return;
    }
    if constexpr (HasTimers<P>) {
      step(resource_of(index), out,
           [&](P& lock, auto& inner) { lock.expire(TimerId{timer.value / timer_slots()}, inner); });
    }
  }

  State state() const {
    State all{{}, progress_, claims_};
    for (const P& lock : locks_) all.locks.push_back(lock.state());
    return all;
  }

  static const Info& info(const Setup& setup) {
    return derived_info("", info_of<P>(setup), &promise_of_each_resource);
  }

 private:
  static constexpr std::uint32_t most_doublings = 8;

  static void promise_of_each_resource(Info& info) {
    const Promises of_lock = std::exchange(info.promises, {});
    for (const Promise promise : {Promise::safety, Promise::deadlock_freedom}) {
      if (of_lock.has(promise)) info.promises.add(promise);
    }
  }

  bool is(Acquisition acquisition) const { return setup_->acquisition == acquisition; }
  ResourceId resource_of(std::uint32_t index) const {
    return index < setup_->resources ? ResourceId{index} : gate;
  }
  P& lock_of(ResourceId resource) {
    return resource == gate ? locks_.back() : locks_[resource.value];
  }
  // Each lock has its own timers; the last slot is for this layer's.
  std::uint32_t timer_slots() const { return static_cast<std::uint32_t>(locks_.size()) + 1; }

  // Lets one lock take a step and passes its decisions on.
  template <class Handler>
  void step(ResourceId resource, Out& out, Handler handler) {
    OutboxOf<P> inner(out.chooser());
    handler(lock_of(resource), inner);
    out.pass_on_messages(inner, [&](const typename P::Message& message) {
      return OfLock{resource, message};
    });
    const auto index = static_cast<std::uint32_t>(&lock_of(resource) - locks_.data());
    for (const auto& timer : inner.timers()) {
      out.arm(TimerId{timer.id.value * timer_slots() + index}, timer.after);
    }
    if (!inner.events().empty()) upon_entered(resource, out);
  }

  void begin(Out& out) {
    progress_.mode = Mode::waiting;
    if (is(Acquisition::atomic)) {
      ask_for(gate, out);
    } else {
      ask_for(progress_.wanted.front(), out);
    }
  }

  void ask_for(ResourceId resource, Out& out) {
    out.emit(Waiting{resource});
    step(resource, out, [](P& lock, auto& inner) { lock.request(inner); });
  }

  void leave(ResourceId resource, Out& out) {
    out.emit(LetGo{resource});
    step(resource, out, [](P& lock, auto& inner) { lock.release(inner); });
  }

  void upon_entered(ResourceId resource, Out& out) {
    out.emit(Held{resource});
    if (resource == gate) {
      progress_.in_gate = true;
      // A copy, because the last entry at once may end the waiting of `progress`.
      const std::vector<ResourceId> wanted = progress_.wanted;
      for (const ResourceId each : wanted) ask_for(each, out);
      return;
    }
    progress_.held.push_back(resource);
    if (progress_.held.size() == progress_.wanted.size()) {
      progress_.mode = Mode::holding;
      if (std::exchange(progress_.in_gate, false)) leave(gate, out);
      out.emit(AllHeld{});
    } else if (is(Acquisition::detect)) {
      ask_whether_to_wait(out);
    } else if (!is(Acquisition::atomic)) {
      ask_for(progress_.wanted[progress_.held.size()], out);
    }
  }

  void let_go_of_everything(Out& out) {
    for (const ResourceId resource : std::exchange(progress_.held, {})) leave(resource, out);
    if (!std::exchange(progress_.asked, false)) return;
    progress_.question = next(progress_.question);
    out.send(setup_->coordinator, HaveLetGo{progress_.question});
  }

  // Does not ask about the first resource: nobody can wait for a process that holds nothing.
  void ask_whether_to_wait(Out& out) {
    progress_.mode = Mode::asking;
    progress_.asked = true;
    progress_.question = next(progress_.question);
    out.send(setup_->coordinator, MayIWait{progress_.question, progress_.held, next_wanted()});
  }

  ResourceId next_wanted() const { return progress_.wanted[progress_.held.size()]; }

  bool is_awaited(SequenceNumber question) const {
    return progress_.mode == Mode::asking && question == progress_.question;
  }

  void upon_wait(SequenceNumber question, Out& out) {
    if (!is_awaited(question)) return;
    progress_.mode = Mode::waiting;
    ask_for(next_wanted(), out);
  }

  void upon_do_not_wait(const DoNotWait& answer, Out& out) {
    if (!is_awaited(answer.question)) return;
    progress_.mode = Mode::pausing;
    out.emit(Refused{next_wanted(), answer.cycle});
    let_go_of_everything(out);
    progress_.refusals = std::min(progress_.refusals + 1, most_doublings);
    const std::uint32_t pause = 1 + out.choose(std::uint32_t{1} << progress_.refusals);
    out.arm(TimerId{static_cast<std::uint32_t>(locks_.size())}, std::int64_t{pause} * message_time);
  }

  // At the coordinator. False if it knows something newer about the process.
  bool claim(NodeId from, Claim news) {
    const auto known = std::find_if(claims_.begin(), claims_.end(),
                                    [&](const Claim& claim) { return claim.node == from; });
    if (known == claims_.end()) {
      claims_.push_back(std::move(news));
      return true;
    }
    if (news.question <= known->question) return false;
    *known = std::move(news);
    return true;
  }

  void upon_question(NodeId from, const MayIWait& question, Out& out) {
    if (!claim(from, {from, question.question, question.holding, question.wanted})) return;
    WaitForGraph graph;
    for (const Claim& claim : claims_) {
      for (const ResourceId resource : claim.holding) graph.holds(claim.node, resource);
      if (!claim.holding.empty()) graph.waits(claim.node, claim.wanted);
    }
    if (auto cycle = graph.cycle_through(from)) {
      out.send(from, DoNotWait{question.question, std::move(*cycle)});
    } else {
      out.send(from, Wait{question.question});
    }
  }

  NodeId self_;
  const Setup* setup_;
  std::vector<P> locks_;
  Progress progress_;
  std::vector<Claim> claims_;
};

}  // namespace baton
