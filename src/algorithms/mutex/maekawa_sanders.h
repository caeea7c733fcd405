// Maekawa made free of deadlock: a voter may ask for its vote back.
//
// M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems", ACM Transactions on
// Computer Systems 3(2), 1985, with the correction of B. A. Sanders, "The information structure of
// distributed mutual exclusion algorithms", ACM Transactions on Computer Systems 5(3), 1987.
//
// Idea: requests carry timestamps, and a voter prefers the earliest. If it has voted for a later
// one, it asks with INQUIRE for its vote back. A process that cannot enter before another, as it
// knows from a FAILED or from having yielded elsewhere, answers YIELD. A voter has sent FAILED to
// every process that waits for it, except to the best one if that is better than the one voted for:
// Then an INQUIRE is under way on its behalf.
//
// Assumes: reliable FIFO channels, no process stops. What FIFO protects: an INQUIRE that overtakes
// its GRANT looks stale and is ignored, and then the group may stop. Safety does not need it.
// Promises: safety, freedom from deadlock and starvation.
// Costs: 3(K−1) messages uncontended; delay 2 when idle; hand-over as in Maekawa. Under contention
// each arrival of a request at a voter causes one FAILED at most, or one INQUIRE, one YIELD and one
// more GRANT; so 6(K−1)+3 messages per entry are an upper bound on any average, and 6(K−1) where
// all have asked before the first message arrives.
//
// Differences from the paper:
// - Every message names the request it is about, so that an INQUIRE which crosses the RELEASE is
//   seen to be stale by what it says, and not by reasoning about channels.
// - A GRANT carries the voter's clock. Without it a process that has long been idle would ask with
//   old stamps and overtake those who wait many times in a row.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"

namespace baton {

class MaekawaSanders {
 public:
  struct Request {
    Timestamp at;
  };
  struct Grant {
    Timestamp to;
    Clock at;
  };
  struct Failed {
    Timestamp request;
  };
  struct Inquire {
    Timestamp request;
  };
  struct Yield {
    Timestamp request;
  };
  struct Release {
    static constexpr Phase phase = Phase::exit;
    Timestamp request;
  };
  using Message = std::variant<Request, Grant, Failed, Inquire, Yield, Release>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  enum class Mode : std::uint8_t { released, wanted, held };
  enum class Vote : std::uint8_t {
    open,      // no answer yet
    failed,    // told FAILED, or yielded
    granted,   // given to me
    inquired,  // given to me, and asked back
  };
  struct State {
    Clock clock;

    // The requester's part:
    Mode mode = Mode::released;
    Timestamp mine;                   // my request, while wanted or held
    std::vector<Vote> votes;          // while wanted: by the voter's place in my voting set
    std::uint32_t votes_granted = 0;  // how many are granted or inquired
    std::uint32_t votes_failed = 0;

    // The voter's part:
    std::optional<Timestamp> voted_for;
    bool has_inquired = false;     // asked for the vote back
    std::vector<Timestamp> queue;  // requests that wait for my vote, earliest first
  };

  // Needs setup.voting.
  MaekawaSanders(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  void simplify(NodeId from, Message& message) const;
  static const Info& info();

 protected:
  void upon_request(const Timestamp& request, Out& out);
  void upon_yield(const Timestamp& request, Out& out);
  void upon_release(const Timestamp& request, Out& out);
  void enqueue(const Timestamp& request);
  void vote_for(const Timestamp& request, Out& out);
  void vote_for_the_best(Out& out);
  void inquire(Out& out);

  void upon_grant(NodeId voter, const Grant& grant, Out& out);
  void upon_failed(NodeId voter, const Timestamp& request, Out& out);
  void upon_inquire(NodeId voter, const Timestamp& request, Out& out);
  void yield(NodeId voter, Vote& vote, Out& out);
  // The voter's vote on my pending request, or null if `request` is not that.
  Vote* vote_on(const Timestamp& request, NodeId voter);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
