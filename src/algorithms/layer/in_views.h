// InViews<P>: the protocol P in the views of a membership.
//
// In each view P runs from its beginning, among the view's members, numbered anew; a ring, a tree,
// voting sets or a token are thereby rebuilt, whatever was lost of them. P's messages carry the
// epoch of their view, and are dropped in any other. What was asked for is asked for again; who was
// inside when the view changed is inside as P begins, if the membership carries the lock over.
//
// Every entry comes with a fence: the epoch, and a count that rises with every entry within it,
// for P lets nobody in who has not heard, directly or not, from who was inside before.
//
// A process that cannot hear a majority in its epoch stops: it has no lease, enters nothing, and
// is told that it has lost what it held. Elections likewise have no leader then.
//
// A membership serves any number of these: Resilient<P> puts one of them on one, a network's host
// one for each name. It passes on what the membership tells (freeze, begin, stop, go_on), and takes
// what is decided: send(to, InView), arm(timer, after), emit(event), chooser().
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

  // A message of P, in a view.
  struct InView {
    static constexpr bool wraps = true;
    Epoch epoch;
    std::uint64_t count = 0;  // the largest count of a fence that the sender has heard of
    typename P::Message message;
  };
  using Event = std::conditional_t<is_lock, FencedEvent, Elected>;

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
    FencingToken fence;      // while inside
    std::uint64_t count = 0;
    NodeId leader = nobody;  // elections: in the view's numbering
    std::vector<Early> early;
    std::vector<TimerId> timers;  // of P, as far as they are armed
  };

  // `name`: of the lock, by which the membership knows it.
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

  // After each tick of the membership.
  template <class Out>
  void tick(Membership& membership, Out out) {
    if constexpr (is_lock) let_others_go_first(membership, out);
  }

  // Nothing of the old view counts any more, but that who is inside may leave.
  template <class Out>
  void freeze(Out out) {
    for (const TimerId timer : own_.timers) out.arm(timer, forever);
    own_.timers.clear();
    own_.early.clear();
    own_.admitted = false;
  }

  // A new view, and the group as it is in it: P begins anew.
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

  // The lease has ended.
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

  // ... has begun.
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

  // Lets P act.
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
      // It left while the view was being changed.
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

  // Who is let in but has no lease for long must not keep the others out.
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
  Epoch begun_in_;                           // the view that inner_ is of
  std::shared_ptr<const Setup> view_setup_;  // of the view; inner_ looks into it
  std::optional<P> inner_;
};

}  // namespace baton
