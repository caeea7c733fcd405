// InViews<P>: the protocol P in the views of a membership.
//
// In each view P starts from its beginning among the view's members, which get new numbers. So a
// ring, a tree, voting sets or a token are rebuilt, whatever part of them was lost. P's messages
// carry the epoch of their view, and every other view drops them. A process that was waiting asks
// again. If the membership carries the lock over, the process that was inside is inside as P
// starts.
//
// Every entry comes with a fence: the epoch, and a count that rises with every entry within it. The
// count rises because P lets a process in only after that process has heard, directly or not, from
// the one inside before.
//
// A process that cannot hear a majority in its epoch has no lease: it stops, enters nothing, and
// tells the application that it has lost what it held. An election likewise has no leader then.
//
// A membership can serve any number of these: Resilient<P> puts one on a membership, and a
// network's host one for each name. The owner passes on the membership's events (freeze, begin,
// stop, go_on) and carries out the decisions: send(to, InView), arm(timer, after), emit(event),
// chooser().
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/layer/membership.h"
#include "core/protocol.h"

namespace baton {

template <class P>
requires MutexProtocol<P> || ElectionProtocol<P>
class InViews {
 public:
  static constexpr bool is_lock = MutexProtocol<P>;

  // A message of P, with the epoch of its view.
  struct InView {
    static constexpr bool wraps = true;
    Epoch epoch;
    std::uint64_t count = 0;  // the largest count of a fence that the sender has seen
    typename P::Message message;
  };
  using Event = std::conditional_t<is_lock, FencedEvent, Elected>;

  enum class Wish : std::uint8_t { nothing, waits, inside };
  // A message of a view that this process has promised and not yet installed.
  struct Early {
    NodeId from;
    InView message;
  };
  struct Own {
    Wish wish = Wish::nothing;
    bool admitted = false;   // P has let it in, but it waits for a lease
    std::uint32_t idle = 0;  // ticks that it has waited for the lease
    FencingToken fence;      // while inside
    std::uint64_t count = 0;
    NodeId leader = nobody;  // elections: in the view's numbering
    std::vector<Early> early;
    std::vector<TimerId> timers;  // the timers of P that are armed
  };

  // `name`: the lock's name in the membership.
  InViews(NodeId self, const Setup& setup, std::string name = {})
      : self_(self), setup_(&setup), name_(std::move(name)) {}

  template <class Out>
  void request(Membership& membership, Out out) requires is_lock {
    own_.wish = Wish::waits;
    if (works(membership)) {
      step(membership, out, [](P& inner, auto& decided) { inner.request(decided); });
    }
  }

  template <class Out>
  void release(Membership& membership, Out out) requires is_lock {
    own_.wish = Wish::nothing;
    membership.give_up(name_);
    if (works(membership)) {
      step(membership, out, [](P& inner, auto& decided) { inner.release(decided); });
    }
  }

  template <class Out>
  void receive(NodeId from, const InView& message, Membership& membership, Out out) {
    const Epoch& promised = membership.promised();
    const bool unchecked = setup_->omission == Omission::epoch_check && works(membership) &&
                           membership.view().dense(from) != nobody;
    if ((works(membership) && message.epoch == promised) || unchecked) {
      own_.count = std::max(own_.count, message.count);
      const NodeId sender = membership.view().dense(from);
      step(membership, out,
           [&](P& inner, auto& decided) { inner.receive(sender, message.message, decided); });
    } else if (message.epoch == promised) {
      own_.early.push_back({from, message});
    }
  }

  template <class Out>
  void expire(TimerId timer, Membership& membership, Out out) {
    std::erase(own_.timers, timer);
    if constexpr (HasTimers<P>) {
      step(membership, out, [&](P& inner, auto& decided) { inner.expire(timer, decided); });
    }
  }

  // Called after each tick of the membership.
  template <class Out>
  void tick(Membership& membership, Out out) {
    if constexpr (is_lock) let_others_go_first(membership, out);
  }

  // The process has promised a newer view. Nothing of the old view counts any more, except that the
  // process inside may leave.
  template <class Out>
  void freeze(Out out) {
    for (const TimerId timer : own_.timers) out.arm(timer, forever);
    own_.timers.clear();
    own_.early.clear();
    own_.admitted = false;
  }

  // A new view has begun, and with it the group as it is there: P starts from its beginning.
  template <class Out>
  void begin(std::shared_ptr<const Setup> view_setup, Membership& membership, Out out) {
    const View& view = membership.view();
    view_setup_ = std::move(view_setup);
    freeze_but_early(membership, out);
    own_.count = 0;
    own_.leader = nobody;
    begun_in_ = view.epoch;
    const NodeId me = view.dense(self_);
    if constexpr (is_lock) {
      const ViewHold* hold = view.hold_of(name_);
      inner_.emplace(me, *view_setup_, hold == nullptr ? nobody : view.dense(hold->holder));
    } else {
      inner_.emplace(me, *view_setup_);
    }
    if constexpr (Starts<P>) {
      step(membership, out, [](P& inner, auto& decided) { inner.start(decided); });
    }
    if constexpr (is_lock) resume_lock(membership, out);
    const std::vector<Early> early = std::exchange(own_.early, {});
    for (const Early& one : early) receive(one.from, one.message, membership, out);
    if constexpr (!is_lock) {
      if (self_ == view.epoch.proposer) {
        step(membership, out, [](P& inner, auto& decided) { inner.elect(decided); });
      }
    }
  }

  // The lease has expired.
  template <class Out>
  void stop(Membership& membership, Out out) {
    if constexpr (is_lock) {
      if (own_.wish != Wish::inside) return;
      lose(membership, out);
      if (works(membership)) {
        step(membership, out, [](P& inner, auto& decided) { inner.release(decided); });
      }
    } else {
      out.emit(Elected{nobody, {}});
    }
  }

  // The lease has begun.
  template <class Out>
  void go_on(Membership& membership, Out out) {
    if constexpr (is_lock) {
      grant_if_leased(membership, out);
    } else {
      announce(membership, out);
    }
  }

  const Own& own() const { return own_; }
  const std::optional<P>& inside() const { return inner_; }

 private:
  bool works(const Membership& membership) const {
    return inner_.has_value() && membership.is_active() && begun_in_ == membership.view().epoch;
  }

  // Runs a handler of P.
  template <class Out, class Handler>
  void step(Membership& membership, Out out, Handler handler) {
    OutboxOf<P> decided(out.chooser());
    handler(*inner_, decided);
    const View& view = membership.view();
    for (const auto& send : decided.sends()) {
      out.send(view.members[send.to.value].node,
               InView{view.epoch, own_.count, decided.message(send)});
    }
    for (const auto& timer : decided.timers()) {
      std::erase(own_.timers, timer.id);
      if (timer.after != forever) own_.timers.push_back(timer.id);
      out.arm(timer.id, timer.after);
    }
    for (const auto& event : decided.events()) told(event, membership, out);
  }

  template <class Out>
  void told(const Entered&, Membership& membership, Out out) requires is_lock {
    own_.admitted = true;
    own_.idle = 0;
    grant_if_leased(membership, out);
  }
  template <class Out>
  void told(const Elected& elected, Membership& membership, Out out) requires(!is_lock) {
    own_.leader = elected.leader;
    announce(membership, out);
  }

  template <class Out>
  void freeze_but_early(const Membership& membership, Out out) {
    std::vector<Early> early = std::exchange(own_.early, {});
    freeze(out);
    std::erase_if(early,
                  [&](const Early& one) { return one.message.epoch != membership.view().epoch; });
    own_.early = std::move(early);
  }

  template <class Out>
  void resume_lock(Membership& membership, Out out) requires is_lock {
    const ViewHold* hold = membership.view().hold_of(name_);
    const bool carried = hold != nullptr && hold->holder == self_;
    if (own_.wish == Wish::inside && !carried) lose(membership, out);
    if (carried && own_.wish != Wish::inside && setup_->omission != Omission::release_replay) {
      // The process left while the view was changing.
      step(membership, out, [](P& inner, auto& decided) { inner.release(decided); });
    }
    if (own_.wish == Wish::waits) {
      step(membership, out, [](P& inner, auto& decided) { inner.request(decided); });
    }
  }

  template <class Out>
  void lose(Membership& membership, Out out) requires is_lock {
    own_.wish = Wish::nothing;
    membership.give_up(name_);
    out.emit(Lost{});
  }

  template <class Out>
  void grant_if_leased(Membership& membership, Out out) requires is_lock {
    if (!own_.admitted || !membership.has_lease() || !works(membership)) return;
    own_.admitted = false;
    own_.wish = Wish::inside;
    own_.fence = {membership.view().epoch, ++own_.count};
    membership.claim(name_, own_.fence);
    out.emit(Granted{own_.fence});
  }

  // A process that P has let in but that gets no lease must not keep the others out for long.
  template <class Out>
  void let_others_go_first(Membership& membership, Out out) requires is_lock {
    if (!own_.admitted || !works(membership) || ++own_.idle <= setup_->lease) return;
    own_.admitted = false;
    step(membership, out, [](P& inner, auto& decided) { inner.release(decided); });
    step(membership, out, [](P& inner, auto& decided) { inner.request(decided); });
  }

  template <class Out>
  void announce(Membership& membership, Out out) requires(!is_lock) {
    if (own_.leader == nobody || !membership.has_lease() || !works(membership)) return;
    const View& view = membership.view();
    out.emit(Elected{view.members[own_.leader.value].node, view.epoch});
  }

  NodeId self_;
  const Setup* setup_;
  std::string name_;
  Own own_;
  Epoch begun_in_;                           // the view of inner_
  std::shared_ptr<const Setup> view_setup_;  // of the view; inner_ refers to it
  std::optional<P> inner_;
};

}  // namespace baton
