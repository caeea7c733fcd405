// Termination detection by asking everyone, which does not work. Two wrong ways are kept, because
// each is what one thinks of first. Both ask all processes whether they are passive, and ask again
// until all are.
//
// F. Mattern, "Algorithms for distributed termination detection", Distributed Computing 2, 1987,
// shows why neither suffices.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "algorithms/observe/diffusion.h"
#include "algorithms/observe/observer.h"
#include "core/node_set.h"

namespace baton {

struct Ask {
  SequenceNumber round;
};
struct Answer {
  SequenceNumber round;
  bool passive = false;
  std::uint64_t sent = 0;  // messages of the computation, so far
  std::uint64_t received = 0;
};

template <Computation P>
class PollTermination : public Observer<P, std::variant<Announced>, Ask, Answer> {
  using Base = Observer<P, std::variant<Announced>, Ask, Answer>;

 public:
  using Message = typename Base::Message;
  using Out = typename Base::Out;
  using Base::let_observed;

  enum class Rule : std::uint8_t {
    all_passive,           // asks nothing else
    all_passive_and_even,  // also asks whether as much was received as was sent
  };

  struct Poll {
    SequenceNumber round;
    bool asking = false;
    NodeSet awaited;
    bool all_passive = true;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  struct State {
    typename P::State observed;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    Poll poll;
  };

  PollTermination(NodeId self, const Setup& setup, Rule rule) : Base(self, setup), rule_(rule) {}

  void observe(Out& out) {
    if (std::exchange(poll_.asking, true)) return;
    attempt(out);
  }

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const Ask& ask) { out.send(from, my_answer(ask.round)); },
                    [&](const Answer& answer) { upon_answer(from, answer, out); },
                    [&](const auto& inner) {
                      ++received_;
                      step(out, [&](P& protocol, auto& box) {
                        protocol.receive(from, typename P::Message(inner), box);
                      });
                    }},
               message);
  }

  void start(Out& out) requires Starts<P> {
    step(out, [](P& protocol, auto& box) { protocol.start(box); });
  }
  void expire(TimerId timer, Out& out) {
    if (timer == Base::own_timer) {
      attempt(out);
    } else {
      step(out, [&](P& protocol, auto& box) { protocol.expire(timer, box); });
    }
  }

  State state() const { return {observed_.state(), sent_, received_, poll_}; }

 private:
  template <class Handler>
  void step(Out& out, Handler handler) {
    let_observed(out, [&](P& protocol, auto& box) {
      handler(protocol, box);
      sent_ += box.sends().size();
    });
  }

  Answer my_answer(SequenceNumber round) const {
    return {round, P::is_passive(observed_.state()), sent_, received_};
  }

  void attempt(Out& out) {
    poll_ = {.round = next(poll_.round),
             .asking = true,
             .awaited = NodeSet::all_but(nobody, setup_->size)};
    out.broadcast(self_, setup_->size, Ask{poll_.round});
    upon_answer(self_, my_answer(poll_.round), out);
  }

  void upon_answer(NodeId from, const Answer& answer, Out& out) {
    if (answer.round != poll_.round) return;
    poll_.awaited.erase(from);
    poll_.all_passive = poll_.all_passive && answer.passive;
    poll_.sent += answer.sent;
    poll_.received += answer.received;
    if (!poll_.awaited.empty()) return;
    const bool even = poll_.sent == poll_.received;
    if (poll_.all_passive && (even || rule_ == Rule::all_passive)) {
      poll_.asking = false;
      out.emit(Announced{});
    } else {
      out.arm(Base::own_timer, message_time);
    }
  }

  using Base::observed_;
  using Base::self_;
  using Base::setup_;

  Rule rule_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  Poll poll_;
};

class WrongTerminationAsksOnly : public PollTermination<Diffusion> {
 public:
  WrongTerminationAsksOnly(NodeId self, const Setup& setup)
      : PollTermination(self, setup, Rule::all_passive) {}
  static const Info& info();
};

class WrongTerminationCountsOnce : public PollTermination<Diffusion> {
 public:
  WrongTerminationCountsOnce(NodeId self, const Setup& setup)
      : PollTermination(self, setup, Rule::all_passive_and_even) {}
  static const Info& info();
};

}  // namespace baton
