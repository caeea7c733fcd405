// Voting by majority: a process with more than half of the votes goes in; the others try again.
//
// S.-D. Lin, Q. Lian, M. Chen and Z. Zhang, "A practical distributed mutual exclusion protocol in
// dynamic peer-to-peer systems", IPTPS 2004, in the simplified form of A. S. Tanenbaum and M. van
// Steen, "Distributed Systems", where it is called the decentralized algorithm.
//
// Idea: each process is also a coordinator with one vote, which it gives to the first that asks and
// refuses to others at once. A process asks its coordinators and enters with m votes, more than
// half of all N. If it cannot reach m, it gives the votes back, pauses for a random time and tries
// again.
//
// Parameters: `votes` is m, usually the smallest majority; `ask` is how many are asked, the process
// itself and those after it in ring order, usually all.
//
// Assumes: no message is lost and no process stops; a coordinator that crashed and forgot its vote
// could vote twice. Channels need not be FIFO, and may duplicate: each attempt has a number, an OK
// for an attempt that is over is answered by giving the vote back, and the request of a later
// attempt tells a coordinator that the earlier one is over.
// Promises: safety; freedom from deadlock in the sense that someone gets in with probability 1,
// since pauses are random and grow. Not freedom from starvation: others may always be faster.
// Costs: when asking a coordinators and alone, 3(a−1) messages, the own vote being free; delay 2.
// With k attempts at most 3(a−1)k: refused votes need no release.
//
// Differences from the paper: there, coordinators queue requests and hold leases; the textbook's
// refusal and random pause is what the comparison tables describe.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class MajorityVoting {
 public:
  static constexpr Parameter votes{
      .name = "votes",
      .help = "votes needed",
      .least = 1,
      .most = nobody.value,
      .usual = [](std::uint32_t size) { return std::int64_t{size / 2 + 1}; },
      .usual_text = "a majority",
      .depends_on_size = true};
  static constexpr Parameter ask{.name = "ask",
                                 .help = "voters asked",
                                 .least = 1,
                                 .most = nobody.value,
                                 .usual = [](std::uint32_t size) { return std::int64_t{size}; },
                                 .usual_text = "all",
                                 .depends_on_size = true};

  struct Request {
    SequenceNumber attempt;
  };
  struct Ok {
    static constexpr bool is_answer = true;
    SequenceNumber attempt;
  };
  struct Denied {
    static constexpr bool is_answer = true;
    SequenceNumber attempt;
  };
  // Gives the vote back: after the critical section, or because the attempt failed.
  struct Release {
    static constexpr Phase phase = Phase::exit;
    SequenceNumber attempt;
  };
  struct GiveUp {
    SequenceNumber attempt;
  };
  using Message = std::variant<Request, Ok, Denied, Release, GiveUp>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  static constexpr bool numbers_by_process = true;
  static constexpr bool piles_up = true;  // messages to a slow process
  // If a process does not ask all, the ring decides whom it asks.
  static Symmetry symmetry(const Setup& setup);

  enum class Mode : std::uint8_t { released, asking, pausing, held };
  struct State {
    // The requester's part:
    Mode mode = Mode::released;
    SequenceNumber attempt;      // the latest; attempts are numbered across requests
    std::uint32_t failures = 0;  // of the present request, as far as they lengthen the pause
    NodeSet granted;             // the processes that gave me a vote in this attempt
    std::uint32_t refusals = 0;  // in this attempt

    // The coordinator's part:
    Numbered voted_for{nobody, {}};  // its attempt
  };

  MajorityVoting(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  // The length of pauses does not matter to a host whose timers may expire at any time.
  void forget_durations() { state_.failures = 0; }
  static const Info& info();

 private:
  void try_again(Out& out);
  void give_up(Out& out);

  void upon_request(NodeId from, SequenceNumber attempt, Out& out);
  void upon_ok(NodeId from, SequenceNumber attempt, Out& out);
  void upon_denied(SequenceNumber attempt, Out& out);
  void upon_vote_back(NodeId from, SequenceNumber attempt);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
