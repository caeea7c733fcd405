// Four ways to get Ricart–Agrawala wrong, each of which somebody has written down. Each class
// replaces one clause of the right algorithm, and shows what that clause is for.
#pragma once

#include "algorithms/mutex/ricart_agrawala.h"

namespace baton {

// Counts REPLYs, as in the paper and in Cardellini, instead of asking who sent them and to which
// request. Over channels that duplicate, one process's consent then counts for two, or the consent
// to an old request for a new one.
class WrongRicartAgrawalaCountsReplies : public RicartAgrawala {
 public:
  using RicartAgrawala::RicartAgrawala;
  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();

 private:
  void upon_reply(const Reply& reply, Out& out);
};

// Compares a REQUEST with the current clock, as the Notes say word for word, instead of the
// timestamp of its own request. The clock goes on while a process waits. A process that lets others
// go first by the clock may already have been let go first by the timestamp. It takes three
// processes: of two, only the other's request can move a waiting process's clock.
class WrongRicartAgrawalaComparesClock : public RicartAgrawala {
 public:
  using RicartAgrawala::RicartAgrawala;
  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();

 private:
  void upon_request(const Request& request, Out& out);
};

// Compares clocks alone, which is what Canonical Problems says word for word: a reply if the
// other's is smaller, else the queue. Two requests with the same clock wait for each other.
class WrongRicartAgrawalaNoTieBreak : public RicartAgrawala {
 public:
  using RicartAgrawala::RicartAgrawala;
  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();

 private:
  void upon_request(const Request& request, Out& out);
};

// Drops an idle instance to save memory, and makes it anew when it is next needed. Its clock
// restarts, so a process can ask with an earlier timestamp than a request to which it has
// consented. Two processes suffice where the new request overtakes the consent; over FIFO channels
// it takes three.
class WrongRicartAgrawalaForgotten : public RicartAgrawala {
 public:
  using RicartAgrawala::RicartAgrawala;
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();

 private:
  void forget_if_idle();
};

}  // namespace baton
