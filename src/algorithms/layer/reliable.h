// Reliable<P>: the protocol P over channels that lose, duplicate and reorder.
//
// The sender numbers its messages per channel. The receiver hands messages to P in that order, once
// each, and confirms how far it has come; the sender repeats each message that is not confirmed in
// time. The confirmation rides on the next message in the other direction. If there is none for
// half a message time, it goes alone. So under load confirmations cost nothing, and never more than
// one message per message.
//
// Assumes: no process stops, and a message that is sent again and again arrives in the end.
// Promises: the promises of P over reliable FIFO channels, except order, since oracles judge
// happened-before by the messages that cross the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/layer/layers.h"
#include "core/protocol.h"

namespace baton {

template <Protocol P>
class Reliable {
 public:
  struct Data {
    static constexpr bool wraps = true;
    SequenceNumber number;    // of this message on its channel
    SequenceNumber expected;  // confirms all messages of the other direction before this one
    typename P::Message message;
  };
  struct Ack {
    static constexpr Phase phase = Phase::upkeep;
    SequenceNumber expected;
  };
  using Message = std::variant<Data, Ack>;
  using Event = typename P::Event;
  using Out = Outbox<Message, Event>;

  // One end of the channels to and from another process.
  struct Channel {
    SequenceNumber next;                                  // number of the next message
    std::vector<typename P::Message> unconfirmed;         // the last before `next`
    std::uint32_t patience = 1;                           // grows with every repetition in vain
    SequenceNumber expected;                              // number of the next message to hand to P
    std::map<SequenceNumber, typename P::Message> early;  // arrived before their turn
    SequenceNumber confirmed;  // the number that the other side was last told to be expected
    bool owes_ack = false;
  };
  struct State {
    std::map<NodeId, Channel> channels;
    typename P::State inside;
  };

  Reliable(NodeId self, const Setup& setup) : self_(self), setup_(&setup), inner_(self, setup) {}
  Reliable(NodeId self, const Setup& setup, NodeId inside) requires MutexProtocol<P>
      : self_(self), setup_(&setup), inner_(self, setup, inside) {}

  void start(Out& out) requires Starts<P> {
    step(out, [](P& inner, auto& inner_out) { inner.start(inner_out); });
  }
  void request(Out& out) requires MutexProtocol<P> {
    step(out, [](P& inner, auto& inner_out) { inner.request(inner_out); });
  }
  void release(Out& out) requires MutexProtocol<P> {
    step(out, [](P& inner, auto& inner_out) { inner.release(inner_out); });
  }
  void elect(Out& out) requires ElectionProtocol<P> {
    step(out, [](P& inner, auto& inner_out) { inner.elect(inner_out); });
  }

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const Data& data) { upon_data(from, data, out); },
                    [&](const Ack& ack) { confirm(from, ack.expected, out); }},
               message);
  }

  void expire(TimerId timer, Out& out) {
    const std::uint32_t own = 2 * setup_->size;
    if (timer.value < own) {
      const NodeId peer{timer.value / 2};
      if (timer == repetition(peer)) {
        repeat(peer, out);
      } else {
        acknowledge(peer, out);
      }
      return;
    }
    if constexpr (HasTimers<P>) {
      step(out,
           [&](P& inner, auto& inner_out) { inner.expire(TimerId{timer.value - own}, inner_out); });
    }
  }

  const P& inside() const { return inner_; }
  State state() const { return {channels_, inner_.state()}; }

  static const Info& info(const Setup& setup) {
    return layered_info(Layers::reliable, info_of<P>(setup));
  }

 private:
  static constexpr Ticks ack_delay{message_time.value / 2};
  // There, the delay of the confirmation, and back.
  static constexpr Ticks repeat_after = 4 * message_time;
  static constexpr std::uint32_t most_patience = 4;

  static TimerId repetition(NodeId peer) { return {2 * peer.value}; }
  static TimerId acknowledgement(NodeId peer) { return {2 * peer.value + 1}; }

  template <class Handler>
  void step(Out& out, Handler handler) {
    OutboxOf<P> decided(out.chooser());
    handler(inner_, decided);
    for (const auto& send : decided.sends()) transmit(send.to, decided.message(send), out);
    for (const auto& timer : decided.timers()) {
      out.arm(TimerId{timer.id.value + 2 * setup_->size}, timer.after);
    }
    for (const auto& event : decided.events()) out.emit(event);
  }

  void transmit(NodeId to, const typename P::Message& message, Out& out) {
    if (to == self_) {
      out.send(to, Data{{}, {}, message});
      return;
    }
    Channel& channel = channels_[to];
    if (channel.unconfirmed.empty()) out.arm(repetition(to), repeat_after);
    channel.unconfirmed.push_back(message);
    send(to, channel, channel.next, message, out);
    channel.next = next(channel.next);
  }

  void send(NodeId to, Channel& channel, SequenceNumber number, const typename P::Message& message,
            Out& out) {
    out.send(to, Data{number, channel.expected, message});
    channel.confirmed = channel.expected;
    if (!channel.owes_ack) return;
    channel.owes_ack = false;
    out.cancel(acknowledgement(to));
  }

  void upon_data(NodeId from, const Data& data, Out& out) {
    if (from == self_) {
      hand_over(from, data.message, out);
      return;
    }
    confirm(from, data.expected, out);
    Channel& channel = channels_[from];
    const bool is_old = data.number < channel.expected;
    if (!is_old) channel.early.emplace(data.number, data.message);
    while (!channel.early.empty() && channel.early.begin()->first == channel.expected) {
      const typename P::Message message = std::move(channel.early.begin()->second);
      channel.early.erase(channel.early.begin());
      channel.expected = next(channel.expected);
      hand_over(from, message, out);
    }
    // A message that comes again shows that the sender has missed the confirmation.
    if (!channel.owes_ack && (is_old || channel.confirmed < channel.expected)) {
      channel.owes_ack = true;
      out.arm(acknowledgement(from), ack_delay);
    }
  }

  void hand_over(NodeId from, const typename P::Message& message, Out& out) {
    step(out, [&](P& inner, auto& inner_out) { inner.receive(from, message, inner_out); });
  }

  // The other side expects the message of this number: it has all earlier ones.
  void confirm(NodeId peer, SequenceNumber expected, Out& out) {
    Channel& channel = channels_[peer];
    const std::uint64_t missing = channel.next.value - std::min(expected, channel.next).value;
    if (missing >= channel.unconfirmed.size()) return;
    channel.unconfirmed.erase(channel.unconfirmed.begin(),
                              channel.unconfirmed.end() - static_cast<std::ptrdiff_t>(missing));
    channel.patience = 1;
    if (channel.unconfirmed.empty()) {
      out.cancel(repetition(peer));
    } else {
      out.arm(repetition(peer), repeat_after);
    }
  }

  void repeat(NodeId peer, Out& out) {
    Channel& channel = channels_[peer];
    SequenceNumber number{channel.next.value - channel.unconfirmed.size()};
    for (const auto& message : channel.unconfirmed) {
      send(peer, channel, number, message, out);
      number = next(number);
    }
    channel.patience = std::min(2 * channel.patience, most_patience);
    out.arm(repetition(peer), channel.patience * repeat_after);
  }

  void acknowledge(NodeId peer, Out& out) {
    Channel& channel = channels_[peer];
    channel.owes_ack = false;
    channel.confirmed = channel.expected;
    out.send(peer, Ack{channel.expected});
  }

  NodeId self_;
  const Setup* setup_;
  std::map<NodeId, Channel> channels_;
  P inner_;
};

}  // namespace baton
