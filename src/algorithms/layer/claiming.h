// The plainest lock on a membership, which shows the membership's promises by themselves: a process
// that asks in a view in which nobody held the lock is inside at once.
//
// Within one view an algorithm would decide who gets the lock; there is none here. Between views
// the membership decides: it keeps a hold or gives it up, and an old hold never comes back after a
// newer one.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "algorithms/layer/membership.h"
#include "algorithms/layer/pass_on.h"
#include "core/protocol.h"

namespace baton {

class ClaimingMembership {
 public:
  using Message = Membership::Message;
  using Event = std::variant<Installed, Granted, Lost>;
  using Out = Outbox<Message, Event>;
  using Durable = Membership::Durable;
  struct State {
    Membership::State membership;
    std::optional<FencingToken> held;
  };

  ClaimingMembership(NodeId self, const Setup& setup) : self_(self), membership_(self, setup) {}
  ClaimingMembership(NodeId self, const Setup& setup, const Durable& durable)
      : self_(self), membership_(self, setup, durable) {}

  bool may_request() const {
    return membership_.is_active() && membership_.has_lease() && view().holds.empty() && !held_;
  }
  void request(Out& out) {
    held_ = FencingToken{view().epoch, self_.value + 1};
    membership_.claim("", *held_);
    out.emit(Granted{*held_});
  }
  void release(Out&) { give_up(); }

  void start(Out& out) {
    let(out, [](Membership& membership, auto& box) { membership.start(box); });
  }
  void receive(NodeId from, const Message& message, Out& out) {
    let(out, [&](Membership& membership, auto& box) { membership.receive(from, message, box); });
  }
  void expire(TimerId timer, Out& out) {
    let(out, [&](Membership& membership, auto& box) { membership.expire(timer, box); });
  }
  void leave(Out& out) {
    let(out, [](Membership& membership, auto& box) { membership.leave(box); });
  }
  void suspect(NodeId node, Out& out) {
    let(out, [&](Membership& membership, auto& box) { membership.suspect(node, box); });
  }

  const View& view() const { return membership_.view(); }
  const Membership& membership() const { return membership_; }
  const std::optional<FencingToken>& held() const { return held_; }
  const Durable& durable() const { return membership_.durable(); }
  State state() const { return {membership_.state(), held_}; }
  static const Info& info() { return Membership::info(); }

 private:
  template <class Handler>
  void let(Out& out, Handler handler) {
    Membership::Out box(out.chooser());
    handler(membership_, box);
    out.pass_on_messages(box, [](const Message& message) { return message; });
    pass_on_timers(box, out);
    for (const auto& event : box.events()) {
      if (std::holds_alternative<Installed>(event)) out.emit(Installed{});
    }
    if (held_ && is_lost()) {
      give_up();
      out.emit(Lost{});
    }
  }
  // The lease has expired, or a newer view has not kept the hold.
  bool is_lost() const {
    if (!membership_.has_lease()) return true;
    if (held_->epoch == view().epoch) return false;
    const ViewHold* kept = view().hold_of("");
    return kept == nullptr || kept->holder != self_ || kept->fence != *held_;
  }
  void give_up() {
    held_.reset();
    membership_.give_up("");
  }

  NodeId self_;
  Membership membership_;
  std::optional<FencingToken> held_;
};

}  // namespace baton
