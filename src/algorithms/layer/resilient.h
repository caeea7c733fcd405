// Resilient<P>: the protocol P despite crashes. A membership (algorithms/layer/membership.h) agrees
// on views of the living processes, and P runs in these views (algorithms/layer/in_views.h).
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "algorithms/layer/in_views.h"
#include "algorithms/layer/layers.h"
#include "algorithms/layer/membership.h"
#include "core/protocol.h"

namespace baton {

template <class P>
requires MutexProtocol<P> || ElectionProtocol<P>
class Resilient {
 public:
  static constexpr bool is_lock = MutexProtocol<P>;

  // The message of the membership.
  struct Control {
    static constexpr bool wraps = true;
    Membership::Message message;
  };
  using InView = typename InViews<P>::InView;
  using Message = std::variant<Control, InView>;
  using Event = typename InViews<P>::Event;
  using Out = Outbox<Message, Event>;
  using Durable = Membership::Durable;

  struct State {
    Membership::State membership;
    typename InViews<P>::Own own;
    std::optional<typename P::State> inside;
  };

  Resilient(NodeId self, const Setup& setup)
      : setup_(&setup), membership_(self, setup), inner_(self, setup) {}
  Resilient(NodeId self, const Setup& setup, const Durable& durable)
      : setup_(&setup), membership_(self, setup, durable), inner_(self, setup) {}

  void start(Out& out) {
    direct(out, [](Membership& membership, auto& decided) { membership.start(decided); });
  }

  void request(Out& out) requires is_lock { inner_.request(membership_, Sink{&out}); }
  void release(Out& out) requires is_lock { inner_.release(membership_, Sink{&out}); }

  // Every view begins with an election, so elect() has nothing to do.
  void elect(Out&) requires(!is_lock) {}

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const Control& control) {
                      direct(out, [&](Membership& membership, auto& decided) {
                        membership.receive(from, control.message, decided);
                      });
                    },
                    [&](const InView& in_view) {
                      inner_.receive(from, in_view, membership_, Sink{&out});
                    }},
               message);
  }

  void expire(TimerId timer, Out& out) {
    if (timer.value >= own_timers) {
      inner_.expire({timer.value - own_timers}, membership_, Sink{&out});
      return;
    }
    direct(out, [&](Membership& membership, auto& decided) { membership.expire(timer, decided); });
    inner_.tick(membership_, Sink{&out});
  }

  void leave(Out& out) {
    direct(out, [](Membership& membership, auto& decided) { membership.leave(decided); });
  }

  void suspect(NodeId node, Out& out) {
    direct(out, [&](Membership& membership, auto& decided) { membership.suspect(node, decided); });
  }

  const Durable& durable() const { return membership_.durable(); }
  const Membership& membership() const { return membership_; }
  State state() const {
    State all{membership_.state(), inner_.own(), std::nullopt};
    if (inner_.inside()) all.inside = inner_.inside()->state();
    return all;
  }

  static const Info& info(const Setup& setup) {
    return layered_info(Layers::resilient, info_of<P>(setup));
  }

 private:
  static constexpr std::uint32_t own_timers = 1;

  // P's decisions go into the one outbox.
  struct Sink {
    Out* out;
    void send(NodeId to, InView message) { out->send(to, std::move(message)); }
    void arm(TimerId timer, Ticks after) { out->arm({timer.value + own_timers}, after); }
    void emit(const Event& event) { out->emit(event); }
    Chooser& chooser() { return out->chooser(); }
  };

  // Runs a handler of the membership, and acts on its events.
  template <class Handler>
  void direct(Out& out, Handler handler) {
    OutboxOf<Membership> decided(out.chooser());
    handler(membership_, decided);
    for (const auto& send : decided.sends()) out.send(send.to, Control{decided.message(send)});
    for (const auto& timer : decided.timers()) out.arm(timer.id, timer.after);
    const Sink sink{&out};
    for (const auto& event : decided.events()) {
      std::visit(upon{[&](const Frozen&) { inner_.freeze(sink); },
                      [&](const Installed&) {
                        const View& view = membership_.view();
                        inner_.begin(std::make_shared<const Setup>(setup_of(view, *setup_)),
                                     membership_, sink);
                      },
                      [&](const LeaseEnded&) { inner_.stop(membership_, sink); },
                      [&](const LeaseBegun&) { inner_.go_on(membership_, sink); }},
                 event);
    }
  }

  const Setup* setup_;
  Membership membership_;
  InViews<P> inner_;
};

}  // namespace baton
