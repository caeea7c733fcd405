// Membership: a group that agrees on who belongs to it, although processes crash, come back, and
// suspect each other wrongly.
//
// The group runs in views. A view has an epoch, members, and the locks that its members hold as it
// begins. All processes that could ever belong to it are configured; a view needs the approval of
// a majority of them, so that of two views one always knows of the other.
//
// How a view comes about: the smallest process that is not suspected proposes an epoch larger than
// any it has heard of. Who promises it stops all work in its own view, never again accepts a
// smaller epoch, not even after a restart, and reports what it holds. When everyone who is alive
// has promised, and that is a majority, the proposer decides what is held in the new view, and
// installs it. Who has crashed is left out; who comes back joins as new, by the next view.
//
// What keeps it safe, each of which can be left out to see what it is for (Omission):
// - Promises are durable before they are given. Epochs name the proposer and its life, so that
//   they never repeat.
// - A hold is carried into a view only if nobody who promised has promised an epoch in between the
//   view that last knew of the hold and this one. Otherwise a view in between may have given the
//   lock to another, and the old fence would come to outrank the newer one.
// - A process holds what it holds only while a majority keeps saying that it has promised nothing
//   newer (its lease); its own word counts as long as theirs does. A view that lacks the report of
//   a member of the one before, and has heard no farewell of it, waits until that member's lease
//   must have run out. Time is counted in ticks of the own timer; the two waits differ by enough
//   for clocks that run at slightly different speeds.
// - Members of a view that is well, or decided and about to be installed, do not promise another
//   that would exclude one of them, so that two that cannot see each other do not depose each other
//   for ever through a third.
//
// It is a protocol by itself, one per process and for any number of locks; Resilient<P> runs a
// lock in its views.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "algorithms/layer/heartbeat_detector.h"
#include "algorithms/layer/view.h"
#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

// The event of a membership: see where it is emitted.
struct Frozen {};     // a newer view is promised: nothing of the present one counts any more
struct Installed {};  // view() is new
struct LeaseEnded {};
struct LeaseBegun {};

class Membership {
 public:
  struct Heartbeat {
    static constexpr Phase phase = Phase::upkeep;
    static constexpr bool is_background = true;
    Incarnation incarnation;
    Epoch view;
    Epoch promised;
    std::uint64_t tick = 0;  // of the sender
    std::uint64_t echo = 0;  // the latest tick of the receiver that the sender has heard of
  };
  struct Propose {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    NodeSet members;  // whom the proposer takes for alive
  };
  struct Promise {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    Incarnation incarnation;
    std::vector<Epoch> before;  // other epochs that the sender has promised or installed
    View view;                  // that it is in
    std::vector<Claim> claims;
  };
  struct Refuse {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    Epoch promised;
  };
  // What the new view will be, while it waits to be installed.
  struct Decided {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    NodeSet members;
    NodeSet keepers;  // those who keep everything that they hold
  };
  struct Install {
    static constexpr Phase phase = Phase::upkeep;
    View view;
  };
  // The sender holds nothing, and in this life never will again.
  struct Farewell {
    static constexpr Phase phase = Phase::upkeep;
    Incarnation incarnation;
  };
  // The sender would like another view with the same members.
  struct Renew {
    static constexpr Phase phase = Phase::upkeep;
    Epoch view;  // instead of this one
  };
  using Message =
      std::variant<Heartbeat, Propose, Promise, Refuse, Decided, Install, Farewell, Renew>;
  using Event = std::variant<Frozen, Installed, LeaseEnded, LeaseBegun>;
  using Out = Outbox<Message, Event>;

  // Survives a crash.
  struct Durable {
    Incarnation incarnation;
    Epoch promised;
    std::vector<Epoch> before;  // the view, then what was promised after it; the last is `promised`
  };
  // The latest that is known of another process.
  struct Peer {
    Incarnation incarnation;
    Incarnation left;  // the last life that has said farewell
    Epoch view;
    Epoch promised;
    std::uint64_t tick = 0;  // its own
    std::uint64_t echo = 0;  // of ours
    // The latest of our ticks at which it had promised nothing newer than our view.
    std::uint64_t vouched = 0;
  };
  struct Proposal {
    Epoch epoch;
    NodeSet members;
    std::map<NodeId, Promise> promises;
    std::optional<View> decided;
    std::uint32_t wait = 0;      // ticks until it is installed
    std::uint64_t asked_at = 0;  // tick
  };
  struct State {
    Durable durable;
    View view;
    NodeSet decided;            // members of the promised view, once its proposer has decided
    bool kept = false;          // ... and that view keeps what is held here
    std::uint64_t left_at = 0;  // the last tick in the view, or with all kept in the next one
    bool has_lease = false;
    std::uint64_t tick = 0;
    EpochNumber highest;  // heard of anywhere
    Epoch own_installed;  // the latest view that this process installed in this life
    std::vector<Peer> peers;
    std::vector<Claim> claims;
    std::optional<Proposal> proposal;
    HeartbeatDetector::State detector;
  };

  static constexpr Ticks tick_time = 2 * message_time;

  Membership(NodeId self, const Setup& setup);
  Membership(NodeId self, const Setup& setup, const Durable& durable);

  void start(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);
  void suspect(NodeId node, Out&) { detector_.suspect(node); }

  // Another view with the same members, so that what is kept for each view can begin anew. As
  // always only one process proposes it: if two did, neither view could keep what is held.
  void renew(Out& out) const;

  // Its process ends. Whether it has told the others, so that nobody waits for its lease.
  bool leave(Out& out) const;

  // The locks that this process holds.
  void claim(const std::string& lock, const FencingToken& fence);
  void give_up(const std::string& lock);

  const View& view() const { return state_.view; }
  // In a view, and free to work in it.
  bool is_active() const {
    return state_.view.epoch != Epoch{} && state_.durable.promised == state_.view.epoch;
  }
  bool has_lease() const { return state_.has_lease; }
  // For so many ticks it has one, if nothing more is heard.
  std::uint64_t lease_left() const;
  const Epoch& promised() const { return state_.durable.promised; }
  const Durable& durable() const { return state_.durable; }

  State state() const;
  static const Info& info();

 private:
  static constexpr TimerId tick_timer{0};

  void upon_heartbeat(NodeId from, const Heartbeat& heartbeat, Out& out);
  void upon_propose(NodeId from, const Propose& propose, Out& out);
  void upon_promise(NodeId from, const Promise& promise, Out& out);
  void upon_refuse(const Refuse& refuse);
  void upon_decided(const Decided& decided, Out& out);
  void upon_install(const View& view, Out& out);
  void upon_farewell(NodeId from, const Farewell& farewell);
  void upon_renew(const Renew& renew, Out& out);

  void send_heartbeats(Out& out);
  void propose(Out& out);
  void pursue(Out& out);
  void decide(Out& out);
  void tell_decision(Out& out) const;
  void install(Out& out);
  void check_lease(Out& out);
  // The tick until which its word counts that nothing newer than the view is promised.
  std::uint64_t vouched_until(NodeId node) const;

  bool needs_new_view() const;
  bool is_well() const;
  bool is_loyal_against(const NodeSet& proposed) const;
  // A lease ends after Setup::lease ticks without confirmation; a view waits for a quarter longer.
  std::uint32_t wait_for_leases() const { return setup_->lease + (setup_->lease + 3) / 4; }
  bool is_majority(std::size_t count) const { return 2 * count > setup_->size; }
  bool is_own_in_vain(const Epoch& epoch) const;
  bool omits(Omission what) const { return setup_->omission == what; }
  NodeSet trusted() const;
  Promise report(const Epoch& epoch) const;
  Epoch latest_possible_view() const;
  std::vector<ViewHold> holds_to_keep() const;
  bool must_wait() const;
  void note(const Epoch& epoch) {
    if (epoch.number > state_.highest) state_.highest = epoch.number;
  }

  NodeId self_;
  const Setup* setup_;
  HeartbeatDetector detector_;
  State state_;
};

}  // namespace baton
