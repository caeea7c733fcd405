// The steps of one protocol's class. Only this part of the checker is compiled for each algorithm.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/carry_out.h"
#include "core/reflect.h"
#include "lab/check/bounds.h"
#include "lab/check/rewrite.h"
#include "lab/check/steps.h"

namespace baton::check {

namespace detail {

// True if messages of this kind are sent again and again, whatever happens.
template <class Message>
bool is_background(const Message& message) {
  if constexpr (reflect::Opaque<Message>) {
    return message.is_background();
  } else {
    return std::visit(
        []<class M>(const M& one) {
          if constexpr (reflect::Wraps<M>) {
            return is_background(one.message);
          } else {
            return requires { M::is_background; };
          }
        },
        message);
  }
}

// True if the state that a snapshot shows has lost or made nothing of the quantity.
template <class Observed>
bool conserves(const GlobalState<Observed>& global, const Setup& setup) {
  if constexpr (Conserves<Observed>) {
    std::uint64_t amount = 0;
    for (const auto& state : global.states) amount += Observed::amount_in(state);
    for (const auto& one : global.channels) amount += Observed::amount_in(one.message);
    return amount == Observed::amount_in_all(setup);
  } else {
    return true;
  }
}

}  // namespace detail

template <Protocol P>
class StepsOf : public Steps {
 public:
  using Message = typename P::Message;
  using Out = OutboxOf<P>;

  // The caller keeps the bounds, and the setup in them, alive as long as this.
  explicit StepsOf(const Bounds& bounds)
      : Steps(traits_of<P>()), bounds_(&bounds), processes_(bounds.setup.size) {}

  std::uint64_t memory() const final {
    std::uint64_t bytes = messages_.memory();
    for (const auto& processes : processes_) bytes += processes.memory();
    return bytes;
  }
  std::vector<Renaming> symmetries() const final { return check::symmetries<P>(bounds_->setup); }

  Id make(NodeId node) final {
    Process process;
    if constexpr ((MutexProtocol<P> ||
                   FencedMutexProtocol<P>)&&std::constructible_from<P, NodeId, const Setup&,
                                                                    NodeId>) {
      process.protocol.emplace(node, bounds_->setup, bounds_->inside);
    } else {
      process.protocol.emplace(node, bounds_->setup);
    }
    return intern(node, std::move(process));
  }

  Id take(NodeId node, Id process, const Happening& happening, Chooser& chooser,
          StepHost& host) final {
    Process next = processes_[node.value][process];
    Out out(chooser);
    if (happening.clause == Happening::Clause::recover) {
      recover(node, next, out);
    } else {
      run(*next.protocol, happening, out);
    }
    P& protocol = *next.protocol;
    carry_out(node, protocol, out, Duties{*this, node, host});
    look(protocol, host);
    if constexpr (requires { protocol.forget_durations(); }) {
      const bool matter = bounds_->time.counts || !bounds_->reductions.canonical;
      if (!matter) protocol.forget_durations();
    }
    return intern(node, std::move(next));
  }

  Id crashed(NodeId node, Id process) final {
    Process down;
    if constexpr (HasDurable<P>) down.durable = at(node, process).durable();
    return intern(node, std::move(down));
  }

  bool is_passive(NodeId node, Id process) const final {
    if constexpr (ObservationProtocol<P>) {
      using Observed = typename P::Observed;
      if constexpr (Computation<Observed>) {
        const auto& protocol = processes_[node.value][process].protocol;
        return !protocol || Observed::is_passive(protocol->observed().state());
      }
    }
    return true;
  }

  Numbers numbers_in(NodeId node, Id process) const final {
    Numbers found{};
    if constexpr (rewritable) {
      if (const auto& protocol = processes_[node.value][process].protocol) {
        auto note = noting(found);
        const auto& state = protocol->state();
        visit_numbers<by_process>(state, node, note);
      }
    }
    return found;
  }
  Id moved(NodeId node, Id process, Domain domain, NumberSet from, NumberSet to) final {
    if constexpr (rewritable) {
      const P& protocol = at(node, process);
      typename P::State state = protocol.state();
      auto move = moving(domain, from, to);
      visit_numbers<by_process>(state, node, move);
      return intern_resumed(protocol, node, std::move(state));
    }
    return process;
  }
  Id renamed(NodeId node, Id process, const Renaming& renaming) final {
    if constexpr (rewritable) {
      const NodeId becomes{renaming[node.value]};
      const Process& process_here = processes_[node.value][process];
      if (!process_here.protocol) return intern(becomes, Process(process_here));
      typename P::State state = process_here.protocol->state();
      check::rename(state, renaming);
      return intern_resumed(P(becomes, bounds_->setup), becomes, std::move(state));
    }
    return process;
  }

  std::string text_of(Id message) const final {
    const Message& one = messages_[message];
    return std::string(reflect::message_name(one)) + reflect::message_body(one);
  }
  bool is_background(Id message) const final { return detail::is_background(messages_[message]); }
  bool is_observed(Id message) const final {
    if constexpr (ObservationProtocol<P>) return messages_[message].index() >= P::own_messages;
    return false;
  }
  Numbers numbers_in(Id message, NodeId from, NodeId to) const final {
    Numbers found{};
    if constexpr (rewritable) {
      auto note = noting(found);
      visit_numbers<by_process>(messages_[message], from, note, to);
    }
    return found;
  }
  Id moved(Id message, NodeId from, NodeId to, Domain domain, NumberSet of,
           NumberSet becomes) final {
    if constexpr (rewritable) {
      Message changed = messages_[message];
      auto move = moving(domain, of, becomes);
      visit_numbers<by_process>(changed, from, move, to);
      return intern(std::move(changed));
    }
    return message;
  }
  Id renamed(Id message, const Renaming& renaming) final {
    if constexpr (rewritable) {
      Message changed = messages_[message];
      check::rename(changed, renaming);
      return intern(std::move(changed));
    }
    return message;
  }
  Id simplified(Id message, NodeId from, NodeId to, Id receiver) final {
    if constexpr (detail::Simplifies<P>) {
      Message changed = messages_[message];
      at(to, receiver).simplify(from, changed);
      return intern(std::move(changed));
    }
    return message;
  }

 protected:
  // Called at the end of a step, for applications that need more than events.
  virtual void look(const P&, StepHost&) const {}

 private:
  struct Process {
    std::optional<P> protocol;  // empty: down
    DurableOf<P> durable{};     // while down
  };
  static constexpr bool rewritable = detail::Resumable<P>;
  static constexpr bool by_process = detail::numbers_by_process<P>();

  const P& at(NodeId node, Id process) const { return *processes_[node.value][process].protocol; }

  Id intern(NodeId node, Process&& process) {
    Encoding encoding;
    encoding.add(process.protocol.has_value());
    if (process.protocol) {
      encoding.add(process.protocol->state());
    } else {
      encoding.add(process.durable);
    }
    return processes_[node.value].intern(encoding.take(), [&] { return std::move(process); });
  }
  // Changes the state of the protocol.
  Id intern_resumed(P protocol, NodeId node, typename P::State&& state) {
    protocol.assume(std::move(state));
    Process process;
    process.protocol.emplace(std::move(protocol));
    return intern(node, std::move(process));
  }
  Id intern(Message&& message) {
    return messages_.intern(Encoding().add(message).take(), [&] { return std::move(message); });
  }

  void run(P& protocol, const Happening& happening, Out& out) {
    using Clause = Happening::Clause;
    switch (happening.clause) {
      case Clause::start:
        if constexpr (Starts<P>) protocol.start(out);
        break;
      case Clause::request:
        if constexpr (ElectionProtocol<P>) {
          protocol.elect(out);
        } else if constexpr (BeginsWhenTold<P>) {
          protocol.observe(out);
        } else if constexpr (!ObservationProtocol<P>) {
          protocol.request(out);
        }
        break;
      case Clause::release:
        if constexpr (!ElectionProtocol<P> && !ObservationProtocol<P>) protocol.release(out);
        break;
      case Clause::receive:
        protocol.receive(happening.peer, messages_[happening.message], out);
        break;
      case Clause::returned:
        if constexpr (HeedsReturns<P>) {
          protocol.returned(happening.peer, messages_[happening.message], out);
        }
        break;
      case Clause::expire:
        if constexpr (HasTimers<P>) protocol.expire(happening.timer, out);
        break;
      case Clause::suspect:
        if constexpr (HeedsSuspicion<P>) protocol.suspect(happening.peer, out);
        break;
      case Clause::trust:
        if constexpr (HeedsTrust<P>) protocol.trust(happening.peer, out);
        break;
      case Clause::leave:
        if constexpr (Leaves<P>) protocol.leave(out);
        break;
      case Clause::recover:
        break;
    }
  }
  void recover(NodeId node, Process& process, Out& out) {
    if constexpr (HasDurable<P>) {
      process.protocol.emplace(node, bounds_->setup, process.durable);
    } else {
      process.protocol.emplace(node, bounds_->setup);
    }
    process.durable = {};
    if constexpr (Recovers<P>) {
      process.protocol->recover(out);
    } else if constexpr (Starts<P>) {
      process.protocol->start(out);
    }
  }

  // The host's duties (core/carry_out.h) for one process, passed on to the search.
  struct Duties {
    StepsOf& steps;
    NodeId self;
    StepHost& host;

    void send(const Message& message, std::span<const typename Out::Send> sends) {
      for (const auto& send : sends) {
        if (send.to != self) host.send(send.to, steps.intern(Message(message)));
      }
    }
    void arm(TimerId timer, Ticks after) { host.arm(timer, after); }
    void tell(const typename P::Event& event) { steps.tell(event, host); }
  };

  template <class E>
  void tell(const E& event, StepHost& host) const {
    if constexpr (reflect::detail::is_variant<E>) {
      std::visit([&](const auto& one) { tell(one, host); }, event);
    } else if constexpr (requires { Told(std::in_place_type<E>, event); }) {
      host.tell(Told(std::in_place_type<E>, event));
    } else if constexpr (requires { detail::conserves(event, bounds_->setup); }) {
      host.tell(Completed{detail::conserves(event, bounds_->setup)});
    }
  }

  static auto noting(Numbers& found) {
    return [&found](Domain domain, std::uint64_t number) {
      found[domain] |= NumberSet{1} << std::min(number, largest_number);
    };
  }
  static auto moving(Domain domain, NumberSet from, NumberSet to) {
    return [=](Domain of, std::uint64_t& number) {
      if (of == domain) number = check::moved(number, from, to);
    };
  }

  const Bounds* bounds_;
  std::vector<Interner<Process>> processes_;  // of each node
  Interner<Message> messages_;
};

}  // namespace baton::check
