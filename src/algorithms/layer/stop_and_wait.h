// Stop-and-wait, the simplest automatic repeat request: the sender waits for the acknowledgement of
// each message, and sends the message again if none comes in time.
//
// K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, "A note on reliable full-duplex
// transmission over half-duplex links", Communications of the ACM 12(5), 1969.
//
// Idea: a process has one message under way at a time, to the process after it in the ring. It
// sends the message again each time the timer runs out. The receiver acknowledges every copy, for
// its last acknowledgement may be what was lost, and takes only the first.
//
// Assumes: delays have a bound (else copies are sent that nobody needs). Messages may be lost.
// Promises nothing that an oracle judges: it is here to be measured.
// Costs: with loss p each way, p(3−2p)/(1−p)² transmissions per message besides the two that would
// do without loss (docs/formulas.md).
#pragma once

#include <variant>

#include "core/protocol.h"

namespace baton {

class StopAndWait {
 public:
  struct Data {
    SequenceNumber number;
  };
  struct Acknowledgement {
    SequenceNumber number;
  };
  using Message = std::variant<Data, Acknowledgement>;
  // The receiver has acknowledged the latest message.
  struct Acknowledged {};
  using Event = Acknowledged;
  using Out = Outbox<Message, Event>;

  struct State {
    SequenceNumber sent;  // the latest
    bool under_way = false;
    SequenceNumber received;  // the latest, in the other direction
    std::uint64_t delivered = 0;
  };

  StopAndWait(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

  // Sends the next message. The application waits for Acknowledged before it sends another.
  void send(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);

  const State& state() const { return state_; }
  static const Info& info();

 private:
  void transmit(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
