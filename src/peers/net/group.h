// One member of a group of processes without a server. It takes part in the membership, which makes
// views; in each view it runs one instance of an algorithm for every name in use. No sockets, no
// clock.
//
// For a lock the group runs the algorithm that its file names. For elections, the group's election
// algorithm chooses one member in every view, the arbiter. The arbiter then decides all named
// elections, by the algorithm `central`: it lets in one of the candidates, which leads.
//
// The group makes an instance when its name is first used in a view, here or elsewhere, and keeps
// it until the view ends. An instance that ended earlier and was made anew would have forgotten its
// promises.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/layer/membership.h"
#include "core/clocks.h"
#include "core/namespace.h"
#include "core/trace.h"
#include "peers/net/catalog.h"
#include "peers/net/instance.h"

namespace baton::net {

// Names a timer of the group.
struct GroupTimer {
  std::uint32_t instance = 0;  // 0: the membership's
  TimerId timer;

  friend auto operator<=>(const GroupTimer&, const GroupTimer&) = default;
};

// The process around a group, as the group sees it.
class GroupHost {
 public:
  // If `lasting`, the message arrives in order and once, as long as both processes live. Otherwise
  // it may be lost.
  virtual void send(NodeId to, std::string_view bytes, bool lasting) = 0;
  virtual void arm(GroupTimer timer, Ticks after) = 0;  // forever: cancel
  // Durable when it returns.
  virtual void keep(const Membership::Durable& durable) = 0;

  virtual void granted(Namespace space, const std::string& name, const FencingToken& fence) = 0;
  // It is no longer held, without having been released.
  virtual void lost(Namespace space, const std::string& name) = 0;
  virtual void view_changed() = 0;
  // A member says something to the host of this one.
  virtual void told(NodeId from, std::string_view words) = 0;
  // The member came back with the number of an earlier life: it has forgotten its promises.
  virtual void has_forgotten(NodeId) {}
  // The member sent bytes that no member of this program and group sends.
  virtual void received_nonsense(NodeId from) = 0;

 protected:
  ~GroupHost() = default;
};

// Receives the events of a trace.
using Recorder = std::function<void(const TraceEvent&)>;

// The clocks with which a process's trace continues when the group begins anew.
struct TraceClocks {
  LamportClock lamport;
  VectorClock vector;
  std::uint64_t messages = 0;
};

struct GroupOptions {
  NodeId self;
  std::shared_ptr<const Setup> setup;
  const AnyClass* algorithm = nullptr;
  const AnyClass* election = nullptr;
  Recorder record;  // or none
  std::uint64_t seed = 0;
  std::function<Ticks()> now;  // for traces
  TraceClocks clocks{};
  // Instances go with their view; if there are more, another view begins.
  std::size_t most_instances = 50'000;
};

struct GroupCounters {
  std::uint64_t enter = 0;  // messages of algorithms, by phase
  std::uint64_t exit = 0;
  std::uint64_t upkeep = 0;  // of the membership, and of starting what is used
  std::uint64_t received = 0;
  // Messages of instances, to other members and from them. If the group has taken as many as it
  // sent, none is on its way.
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
  std::uint64_t bytes = 0;  // of those sent, without what links add
  std::uint64_t grants = 0;
  std::uint64_t views = 0;

  std::uint64_t of_algorithms() const { return enter + exit; }
};

class Group final : private InstanceHost {
 public:
  Group(GroupHost& host, GroupOptions options, const Membership::Durable& durable);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void start();
  void receive(NodeId from, std::string_view bytes);
  void expire(GroupTimer timer);
  // The network has reason to believe that it is gone.
  void suspect(NodeId node);
  // See Membership.
  bool leave();

  // Asks for a name that this member has not asked for and does not hold. granted() follows, now or
  // later.
  void request(Namespace space, const std::string& name);
  // Releases a name that this member holds, or has just lost.
  void release(Namespace space, const std::string& name);
  void tell(NodeId to, std::string_view words, bool lasting = true);

  const Membership& members() const { return membership_; }
  // That member has told us itself, in the life that belongs to the present view, that it has
  // promised this view.
  bool has_heard_in_view(NodeId node) const;
  NodeId self() const { return options_.self; }
  NodeId arbiter() const { return arbiter_; }
  const GroupCounters& counters() const { return counters_; }
  const TraceClocks& clocks() const { return clocks_; }
  std::size_t instances() const { return by_name_.size(); }

 private:
  struct Running {
    Namespace space{};
    std::string name;
    std::unique_ptr<Instance> instance;
    bool has_begun = false;      // in the present view
    bool is_called_for = false;  // another member uses it in the view that is to come
    FencingToken last_fence;     // that was granted here
  };
  struct Heard {
    Incarnation incarnation;
    Epoch promised;
    bool is_of_the_past = false;  // the last was of an earlier life than this
  };
  using Key = std::pair<Namespace, std::string>;
  class Drawn final : public Chooser {
   public:
    explicit Drawn(std::uint64_t seed) : state_(seed) {}
    std::uint32_t choose(std::uint32_t bound) override;

   private:
    std::uint64_t state_;
  };

  // InstanceHost.
  Membership& membership() override { return membership_; }
  Chooser& chooser() override { return drawn_; }
  bool is_traced() const override { return options_.record != nullptr; }
  void send(std::uint32_t instance, const Outgoing& message) override;
  void arm(std::uint32_t instance, TimerId timer, Ticks after) override;
  void granted(std::uint32_t instance, const FencingToken& fence) override;
  void lost(std::uint32_t instance) override;
  void elected(NodeId leader, const Epoch& epoch) override;

  template <class Handler>
  void direct(Handler handler);
  void freeze();
  void begin_view();
  void begin_elections();
  void post(NodeId to, std::string bytes, bool lasting);
  void dispatch(NodeId from, std::string_view bytes);
  void receive_control(NodeId from, std::string_view bytes);
  void receive_in_view(NodeId from, std::string_view bytes);
  void receive_election(NodeId from, std::string_view bytes);
  void receive_use(std::string_view bytes);
  bool is_of_now(NodeId from, std::string_view in_view) const;
  void hand_over(NodeId from, std::string_view in_view, Running& running);
  const AnyClass& algorithm_of(Namespace space) const;
  Running& running(Namespace space, const std::string& name);
  std::uint32_t make(const AnyClass& algorithm, Namespace space, const std::string& name);
  bool may_begin(const Running& running) const;
  void begin(Running& running);
  void announce_use(const Running& running);
  void later(std::function<void()> what) { to_tell_.push_back(std::move(what)); }
  void settle();

  void begin_step();
  TraceEvent note(TraceKind kind, NodeId peer = nobody, std::string name = {});
  void record(TraceKind kind, const Running& one, std::string body = {});
  void stamp(NodeId to, std::string_view type, std::string body, std::string& bytes);
  void note_arrival(NodeId from, std::string_view type, std::string body);
  void note_drop(NodeId from);
  void write_stamp(const TraceEvent& event, std::string& to) const;

  GroupHost& host_;
  GroupOptions options_;
  Membership membership_;
  Membership::Durable kept_;
  std::vector<Heard> heard_;  // in heartbeats, by process
  Drawn drawn_;
  std::shared_ptr<const Setup> view_setup_;        // for locks
  std::shared_ptr<const Setup> election_setup_;    // for the group's own election
  std::shared_ptr<const Setup> arbitrated_setup_;  // for named elections: the arbiter coordinates
  NodeId arbiter_ = nobody;

  std::uint32_t last_number_ = 0;
  std::size_t kept_instances_ = 0;  // from the view before
  std::unordered_map<std::uint32_t, Running> running_;
  std::map<Key, std::uint32_t> by_name_;
  std::uint32_t election_ = 0;  // the number of the group's own

  std::deque<std::string> to_self_;
  std::deque<std::function<void()>> to_tell_;
  bool is_settling_ = false;

  GroupCounters counters_;
  TraceClocks clocks_;
  TraceEvent arriving_;  // the stamp of the message that is being received
  Ticks step_at_{0};     // what follows from one event happens at one time
};

}  // namespace baton::net
