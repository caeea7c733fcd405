// Membership: a group that agrees on its members, although processes crash, come back, and suspect
// each other wrongly.
//
// The group runs in views. A view has an epoch, members, and the locks that its members hold as it
// begins. The configuration names every process that can ever be a member. A majority of them must
// approve each view, so two views always have a member that approved both.
//
// How a view comes about: the smallest process that is not suspected proposes an epoch larger than
// any it has heard of. A process that promises this epoch stops all work in its own view, never
// again accepts a smaller epoch, not even after a restart, and reports what it holds. When every
// living process has promised, and they are a majority, the proposer decides which holds the new
// view keeps, and installs it. A crashed process is left out; a process that comes back joins as
// new, in the next view.
//
// Four rules keep it safe. A run can leave out each of them, to show what it is for (Omission):
// - A process writes a promise to disk before it sends it. Epochs name the proposer and its life,
//   so that they never repeat.
// - The new view keeps a hold only if no process that promised has promised an epoch in between:
//   later than the last view that knew of the hold, and earlier than the new one. A view of that
//   epoch may have given the lock to another process, and the old hold must not come back after it.
//   Membership::holds_to_keep() has an example.
// - A process holds a lock only while it has a lease: while a majority, itself included, keeps
//   saying that it has promised nothing newer. If the proposer lacks the report of a member of the
//   view before, and has not heard its farewell, the new view waits until that member's lease must
//   have expired. Each process counts time in its own ticks; the wait is a quarter longer than the
//   lease, for clocks that run at slightly different speeds.
// - Members of a view that is well, or that is decided and about to be installed, refuse a proposal
//   that would exclude one of them. Otherwise two processes that cannot hear each other could
//   depose each other for ever through a third.
//
// The membership is a protocol by itself, one per process and for any number of locks; Resilient<P>
// runs a lock in its views.
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

// The events of a membership.
struct Frozen {};     // a newer view is promised; nothing of the present one counts any more
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
    std::uint64_t tick = 0;  // the sender's tick
    std::uint64_t echo = 0;  // the latest tick of the receiver that the sender knows
  };
  struct Propose {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    NodeSet members;  // the processes that the proposer takes for alive
  };
  struct Promise {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    Incarnation incarnation;
    std::vector<Epoch> before;  // other epochs that the sender has promised or installed
    View view;                  // the sender's present view
    std::vector<Claim> claims;
  };
  struct Refuse {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    Epoch promised;
  };
  // Tells the members of the new view, while it waits to be installed.
  struct Decided {
    static constexpr Phase phase = Phase::upkeep;
    Epoch epoch;
    NodeSet members;
    NodeSet keepers;  // members that keep everything that they hold
  };
  struct Install {
    static constexpr Phase phase = Phase::upkeep;
    View view;
  };
  // The sender holds nothing, and will hold nothing again in this life.
  struct Farewell {
    static constexpr Phase phase = Phase::upkeep;
    Incarnation incarnation;
  };
  // The sender asks for another view with the same members.
  struct Renew {
    static constexpr Phase phase = Phase::upkeep;
    Epoch view;  // instead of this one
  };
  using Message =
      std::variant<Heartbeat, Propose, Promise, Refuse, Decided, Install, Farewell, Renew>;
  using Event = std::variant<Frozen, Installed, LeaseEnded, LeaseBegun>;
  using Out = Outbox<Message, Event>;

  // The part of the state that survives a crash.
  struct Durable {
    Incarnation incarnation;
    Epoch promised;
    // The view, then every epoch promised after it; the last is `promised`.
    std::vector<Epoch> before;
  };
  // The latest news of another process.
  struct Peer {
    Incarnation incarnation;
    Incarnation left;  // the last life that has said farewell
    Epoch view;
    Epoch promised;
    std::uint64_t tick = 0;  // its tick
    std::uint64_t echo = 0;  // the latest of our ticks that it knows
    // Our latest tick at which it had promised nothing newer than our view.
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
    bool kept = false;          // the promised view keeps everything that this process holds
    std::uint64_t left_at = 0;  // the last tick in the view, or in a decided view that keeps all
    bool has_lease = false;
    std::uint64_t tick = 0;
    EpochNumber highest;  // the highest epoch number heard of
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

  // Asks for another view with the same members, so that everything kept per view can begin anew.
  // As always, only one process proposes it: if two did, neither view could keep the holds.
  void renew(Out& out) const;

  // Called as the process ends. True if it has told the others, so that nobody waits for its lease.
  bool leave(Out& out) const;

  // The locks that this process holds.
  void claim(const std::string& lock, const FencingToken& fence);
  void give_up(const std::string& lock);

  const View& view() const { return state_.view; }
  // True if the process is in a view and free to work in it.
  bool is_active() const {
    return state_.view.epoch != Epoch{} && state_.durable.promised == state_.view.epoch;
  }
  bool has_lease() const { return state_.has_lease; }
  // The ticks for which it still has a lease if it hears nothing more.
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
  // The tick until which the word of `node` counts that it has promised nothing newer than the
  // view.
  std::uint64_t vouched_until(NodeId node) const;

  bool needs_new_view() const;
  bool is_well() const;
  bool is_loyal_against(const NodeSet& proposed) const;
  // A lease expires after Setup::lease ticks without confirmation; a view waits a quarter longer.
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
