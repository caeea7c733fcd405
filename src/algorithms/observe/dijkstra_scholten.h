// Dijkstra–Scholten: termination of a diffusing computation, at one signal per message.
//
// E. W. Dijkstra and C. S. Scholten, "Termination detection for diffusing computations",
// Information Processing Letters 11(1), 1980.
//
// Idea: every message of the computation is answered by one SIGNAL, sooner or later. A message that
// finds its receiver disengaged engages it: its sender becomes the parent, and the receiver owes it
// that signal. The receiver answers all other messages at once. A passive process that has a signal
// for each of its messages pays the signal that it owes and is disengaged. The engaged processes
// form a tree; when its root, the coordinator, is passive and lacks no signal, no other process is
// in it.
//
// Assumes: the computation begins at the coordinator alone; no message is lost or duplicated and no
// process stops. Channels need not be FIFO.
// Promises: termination is announced, and never before it is true.
// Costs: exactly one signal per message of the computation.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "algorithms/observe/diffusion.h"
#include "algorithms/observe/observer.h"

namespace baton {

struct Signal {};

template <Computation P>
class DiffusingDetection : public Observer<P, std::variant<Announced>, Signal> {
  using Base = Observer<P, std::variant<Announced>, Signal>;

 public:
  using Message = typename Base::Message;
  using Out = typename Base::Out;

  struct Engagement {
    NodeId parent = nobody;     // the process to which it owes a signal
    std::uint64_t deficit = 0;  // messages sent for which no signal has come yet
    bool announced = false;     // at the root
  };
  struct State {
    typename P::State observed;
    Engagement engagement;
  };

  DiffusingDetection(NodeId self, const Setup& setup) : Base(self, setup) {}

  void start(Out& out) {
    if constexpr (Starts<P>) step(out, [](P& protocol, auto& box) { protocol.start(box); });
    disengage_if_done(out);
  }

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const Signal&) { --engagement_.deficit; },
                    [&](const auto& inner) {
                      if (is_engaged()) {
                        out.send(from, Signal{});
                      } else {
                        engagement_.parent = from;
                      }
                      step(out, [&](P& protocol, auto& box) {
                        protocol.receive(from, typename P::Message(inner), box);
                      });
                    }},
               message);
    disengage_if_done(out);
  }

  void expire(TimerId timer, Out& out) requires HasTimers<P> {
    step(out, [&](P& protocol, auto& box) { protocol.expire(timer, box); });
    disengage_if_done(out);
  }

  State state() const { return {observed_.state(), engagement_}; }

 private:
  bool is_root() const { return self_ == setup_->coordinator; }
  bool is_engaged() const { return is_root() || engagement_.parent != nobody; }

  template <class Handler>
  void step(Out& out, Handler handler) {
    Base::let_observed(out, [&](P& protocol, auto& box) {
      handler(protocol, box);
      engagement_.deficit += box.sends().size();
    });
  }

  void disengage_if_done(Out& out) {
    if (engagement_.deficit != 0 || !P::is_passive(observed_.state())) return;
    if (is_root()) {
      if (!std::exchange(engagement_.announced, true)) out.emit(Announced{});
    } else if (engagement_.parent != nobody) {
      out.send(std::exchange(engagement_.parent, nobody), Signal{});
    }
  }

  using Base::observed_;
  using Base::self_;
  using Base::setup_;

  Engagement engagement_;
};

class DijkstraScholten : public DiffusingDetection<Diffusion> {
 public:
  using DiffusingDetection<Diffusion>::DiffusingDetection;
  static const Info& info();
};

}  // namespace baton
