// Resilient<P>: the protocol P despite crashes.
//
// A membership (layer/membership.h) agrees on views of who is alive. In each view P runs from its
// beginning, among the view's members, numbered anew; a ring, a tree, voting sets or a token are
// thereby rebuilt, whatever was lost of them. P's messages carry the epoch of their view, and are
// dropped in any other. What was asked for is asked for again; who was inside when the view changed
// is inside as P begins, if the membership carries the lock over.
//
// Every entry comes with a fence: the epoch, and a count that rises with every entry within it,
// for P lets nobody in who has not heard, directly or not, from who was inside before.
//
// A process that cannot hear a majority in its epoch stops: it has no lease, enters nothing, and
// is told that it has lost what it held. Elections likewise have no leader then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "layer/membership.h"

namespace baton {

template <class P>
requires MutexProtocol<P> || ElectionProtocol<P>
class Resilient {
 public:
  static constexpr bool is_lock = MutexProtocol<P>;

  // Of the membership.
  struct Control {
    static constexpr bool wraps = true;
    Membership::Message message;
  };
  // Of P, in a view.
  struct InView {
    static constexpr bool wraps = true;
    Epoch epoch;
    std::uint64_t count = 0;  // the largest count of a fence that the sender has heard of
    typename P::Message message;
  };
  using Message = std::variant<Control, InView>;
  using Event = std::conditional_t<is_lock, FencedEvent, Elected>;
  using Out = Outbox<Message, Event>;
  using Durable = Membership::Durable;

  enum class Wish : std::uint8_t { nothing, waits, inside };
  // A message of a view that this process has promised and that is not yet here.
  struct Early {
    NodeId from;
    InView message;
  };
  struct Own {
    Wish wish = Wish::nothing;
    bool admitted = false;   // P has let it in, but it has no lease
    std::uint32_t idle = 0;  // ticks since then
    Fence fence;             // while inside
    std::uint64_t count = 0;
    NodeId leader = nobody;  // elections: in the view's numbering
    std::vector<Early> early;
    std::vector<TimerId> timers;  // of P, as far as they are armed
  };
  struct State {
    Membership::State membership;
    Own own;
    std::optional<typename P::State> inside;
  };

  Resilient(NodeId self, const Setup& setup)
      : self_(self), setup_(&setup), membership_(self, setup) {}
  Resilient(NodeId self, const Setup& setup, const Durable& durable)
      : self_(self), setup_(&setup), membership_(self, setup, durable) {}

  void start(Out& out) {
    direct(out, [](Membership& membership, auto& decided) { membership.start(decided); });
  }

  void request(Out& out) requires is_lock {
    own_.wish = Wish::waits;
    if (works()) step(out, [](P& inner, auto& decided) { inner.request(decided); });
  }

  void release(Out& out) requires is_lock {
    own_.wish = Wish::nothing;
    membership_.give_up(lock_name);
    if (works()) step(out, [](P& inner, auto& decided) { inner.release(decided); });
  }

  // Every view begins with an election, and needs no other.
  void elect(Out&) requires(!is_lock) {}

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const Control& control) {
                      direct(out, [&](Membership& membership, auto& decided) {
                        membership.receive(from, control.message, decided);
                      });
                    },
                    [&](const InView& in_view) { upon_in_view(from, in_view, out); }},
               message);
  }

  void expire(TimerId timer, Out& out) {
    if (timer.value < own_timers) {
      direct(out,
             [&](Membership& membership, auto& decided) { membership.expire(timer, decided); });
      if constexpr (is_lock) let_others_go_first(out);
      return;
    }
    std::erase(own_.timers, timer);
    if constexpr (HasTimers<P>) {
      step(out, [&](P& inner, auto& decided) {
        inner.expire(TimerId{timer.value - own_timers}, decided);
      });
    }
  }

  void suspect(NodeId node, Out& out) {
    direct(out, [&](Membership& membership, auto& decided) { membership.suspect(node, decided); });
  }

  const Durable& durable() const { return membership_.durable(); }
  const Membership& membership() const { return membership_; }
  State state() const {
    State all{membership_.state(), own_, std::nullopt};
    if (inner_) all.inside = inner_->state();
    return all;
  }

  static const Info& info() {
    static const std::string name = "resilient " + std::string(P::info().name);
    static const Info info = [] {
      Info made = P::info();
      made.name = name;
      // Of what P assumes of channels nothing is taken away; of processes, everything.
      Assumptions channels;
      for (const Assumption one :
           {Assumption::no_loss, Assumption::no_duplication, Assumption::fifo}) {
        if (made.assumes.has(one)) channels.add(one);
      }
      made.assumes = channels;
      Promises kept;
      for (const Promise one : {Promise::safety, Promise::deadlock_freedom, Promise::one_leader,
                                Promise::right_leader, Promise::everyone_learns}) {
        if (made.promises.has(one)) kept.add(one);
      }
      made.promises = kept;
      made.perpetual = true;
      made.survives_crashes = true;
      made.costs.clear();
      made.election_costs.clear();
      return made;
    }();
    return info;
  }

 private:
  static constexpr std::uint32_t own_timers = 1;
  static inline const std::string lock_name;  // one lock, which needs no name

  bool works() const { return inner_.has_value() && membership_.is_active(); }

  // Lets the membership act, and follows it.
  template <class Handler>
  void direct(Out& out, Handler handler) {
    OutboxOf<Membership> decided(out.chooser());
    handler(membership_, decided);
    for (const auto& send : decided.sends()) out.send(send.to, Control{decided.message(send)});
    for (const auto& timer : decided.timers()) out.arm(timer.id, timer.after);
    for (const auto& event : decided.events()) {
      std::visit(
          upon{[&](const Frozen&) { freeze(out); }, [&](const Installed&) { begin(out); },
               [&](const LeaseEnded&) { stop(out); }, [&](const LeaseBegun&) { go_on(out); }},
          event);
    }
  }

  // Lets P act.
  template <class Handler>
  void step(Out& out, Handler handler) {
    OutboxOf<P> decided(out.chooser());
    handler(*inner_, decided);
    const View& view = membership_.view();
    for (const auto& send : decided.sends()) {
      out.send(view.members[send.to.value].node,
               InView{view.epoch, own_.count, decided.message(send)});
    }
    for (const auto& timer : decided.timers()) {
      const TimerId outer{timer.id.value + own_timers};
      std::erase(own_.timers, outer);
      if (timer.after != forever) own_.timers.push_back(outer);
      out.arm(outer, timer.after);
    }
    for (const auto& event : decided.events()) told(event, out);
  }

  void told(const Entered&, Out& out) requires is_lock {
    own_.admitted = true;
    own_.idle = 0;
    grant_if_leased(out);
  }
  void told(const Elected& elected, Out& out) requires(!is_lock) {
    own_.leader = elected.leader;
    announce(out);
  }

  void upon_in_view(NodeId from, const InView& message, Out& out) {
    const Epoch& promised = membership_.promised();
    const bool unchecked = setup_->omission == Omission::epoch_check && works() &&
                           membership_.view().dense(from) != nobody;
    if ((works() && message.epoch == promised) || unchecked) {
      own_.count = std::max(own_.count, message.count);
      const NodeId sender = membership_.view().dense(from);
      step(out, [&](P& inner, auto& decided) { inner.receive(sender, message.message, decided); });
    } else if (message.epoch == promised) {
      own_.early.push_back({from, message});
    }
  }

  // Nothing of the old view counts any more, but that who is inside may leave.
  void freeze(Out& out) {
    for (const TimerId timer : own_.timers) out.cancel(timer);
    own_.timers.clear();
    own_.early.clear();
    own_.admitted = false;
  }

  // A new view: P begins anew.
  void begin(Out& out) {
    const View& view = membership_.view();
    view_setup_ = std::make_shared<const Setup>(setup_of(view, *setup_));
    freeze_but_early(out);
    own_.count = 0;
    own_.leader = nobody;
    const NodeId me = view.dense(self_);
    if constexpr (is_lock) {
      const Hold* hold = view.hold_of(lock_name);
      inner_.emplace(me, *view_setup_, hold == nullptr ? nobody : view.dense(hold->holder));
    } else {
      inner_.emplace(me, *view_setup_);
    }
    if constexpr (Starts<P>) {
      step(out, [](P& inner, auto& decided) { inner.start(decided); });
    }
    if constexpr (is_lock) resume_lock(out);
    const std::vector<Early> early = std::exchange(own_.early, {});
    for (const Early& one : early) upon_in_view(one.from, one.message, out);
    if constexpr (!is_lock) {
      if (self_ == view.epoch.proposer) {
        step(out, [](P& inner, auto& decided) { inner.elect(decided); });
      }
    }
  }

  void freeze_but_early(Out& out) {
    std::vector<Early> early = std::exchange(own_.early, {});
    freeze(out);
    std::erase_if(early,
                  [&](const Early& one) { return one.message.epoch != membership_.view().epoch; });
    own_.early = std::move(early);
  }

  void resume_lock(Out& out) requires is_lock {
    const Hold* hold = membership_.view().hold_of(lock_name);
    const bool carried = hold != nullptr && hold->holder == self_;
    if (own_.wish == Wish::inside && !carried) lose(out);
    if (carried && own_.wish != Wish::inside && setup_->omission != Omission::release_replay) {
      // It left while the view was being changed.
      step(out, [](P& inner, auto& decided) { inner.release(decided); });
    }
    if (own_.wish == Wish::waits) {
      step(out, [](P& inner, auto& decided) { inner.request(decided); });
    }
  }

  void lose(Out& out) requires is_lock {
    own_.wish = Wish::nothing;
    membership_.give_up(lock_name);
    out.emit(Lost{});
  }

  void stop(Out& out) {
    if constexpr (is_lock) {
      if (own_.wish != Wish::inside) return;
      lose(out);
      if (works()) step(out, [](P& inner, auto& decided) { inner.release(decided); });
    } else {
      out.emit(Elected{nobody, {}});
    }
  }

  void go_on(Out& out) {
    if constexpr (is_lock) {
      grant_if_leased(out);
    } else {
      announce(out);
    }
  }

  void grant_if_leased(Out& out) requires is_lock {
    if (!own_.admitted || !membership_.has_lease() || !works()) return;
    own_.admitted = false;
    own_.wish = Wish::inside;
    own_.fence = {membership_.view().epoch, ++own_.count};
    membership_.claim(lock_name, own_.fence);
    out.emit(Granted{own_.fence});
  }

  // Who is let in but has no lease for long must not keep the others out.
  void let_others_go_first(Out& out) requires is_lock {
    if (!own_.admitted || !works() || ++own_.idle <= setup_->lease) return;
    own_.admitted = false;
    step(out, [](P& inner, auto& decided) { inner.release(decided); });
    step(out, [](P& inner, auto& decided) { inner.request(decided); });
  }

  void announce(Out& out) requires(!is_lock) {
    if (own_.leader == nobody || !membership_.has_lease() || !works()) return;
    out.emit(Elected{membership_.view().members[own_.leader.value].node, membership_.view().epoch});
  }

  NodeId self_;
  const Setup* setup_;
  Membership membership_;
  Own own_;
  std::shared_ptr<const Setup> view_setup_;  // of the view; inner_ looks into it
  std::optional<P> inner_;
};

}  // namespace baton
