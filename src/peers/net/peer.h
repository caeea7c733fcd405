// One member of a group of processes without a server, on the network: the group
// (peers/net/group.h) with links to the others (peers/net/links.h), a clock, and a file for what
// must survive a crash.
//
// Everything runs on the io_context's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peers/net/group.h"
#include "peers/net/group_file.h"
#include "peers/net/links.h"
#include "peers/net/promises.h"

namespace baton::net {

struct PeerOptions {
  GroupFile group;
  NodeId self;
  // Where promises are kept; empty: nowhere, then this member must never come back.
  std::string promises;
  Recorder record;  // or none
};

// The peer calls these. A handler may call the peer, but must not destroy it.
class PeerEvents {
 public:
  virtual void granted(Namespace space, const std::string& name, const FencingToken& fence) = 0;
  virtual void lost(Namespace space, const std::string& name) = 0;
  virtual void view_changed() {}
  // A heartbeat's time has passed.
  virtual void ticked() {}
  virtual void told(NodeId, std::string_view) {}
  // For people.
  virtual void warned(const std::string&) {}

 protected:
  ~PeerEvents() = default;
};

class Peer final : private GroupHost, private LinkEvents {
 public:
  // Listens. Throws io::ListenError, PromisesError.
  Peer(boost::asio::io_context& io, PeerOptions options, PeerEvents& events);
  ~Peer() override;

  void start();
  // See Group.
  void request(Namespace space, const std::string& name);
  void release(Namespace space, const std::string& name);
  // Leaves the group. If it holds nothing, the others go on without it at once. After that the peer
  // does nothing.
  void leave();
  void tell(NodeId to, std::string_view words);

  const Group& group() const { return *group_; }
  const GroupFile& file() const { return options_.group; }
  NodeId self() const { return options_.self; }
  const Links& links() const { return *links_; }
  std::string name_of(NodeId node) const { return options_.group.members[node.value].id; }
  // The member is in a view, and a majority has confirmed its lease lately.
  bool is_working() const { return group_->members().is_active() && group_->members().has_lease(); }
  // For how long from now on no other member can hold the names that are held here.
  std::chrono::microseconds promised() const;
  // For people: why this member grants nothing now, and for which members it waits; empty if it
  // works.
  std::string trouble() const;
  // Never while more members than processors run on this machine: they need the processors.
  bool stays_awake() { return has_a_processor_ && links_->stays_awake(); }

 private:
  void send(NodeId to, std::string_view bytes, bool lasting) override;
  void arm(GroupTimer timer, Ticks after) override;
  void keep(const Membership::Durable& durable) override;
  void granted(Namespace space, const std::string& name, const FencingToken& fence) override;
  void lost(Namespace space, const std::string& name) override;
  void view_changed() override;
  void told(NodeId from, std::string_view words) override { events_.told(from, words); }
  void has_forgotten(NodeId member) override;
  void received_nonsense(NodeId from) override;

  void received(NodeId from, std::string_view bytes) override;
  void connected(NodeId peer) override;
  void disconnected(NodeId peer, const std::string& why) override;
  void restarted(NodeId peer) override { send_again(peer); }
  void was_reset(NodeId peer) override { send_again(peer); }
  void refused(NodeId peer, const std::string& why) override;
  void overflowed(NodeId peer) override;

  void keep_for(NodeId to, std::string_view bytes);
  void send_again(NodeId peer);
  void make_group();
  void begin();
  void begin_later();
  void start_over(const std::string& why);
  void rearm();
  void rang();
  void expire_due();
  void suspect_unreachable();
  std::int64_t in_us(Ticks ticks) const;

  boost::asio::io_context& io_;
  PeerOptions options_;
  PeerEvents& events_;
  std::shared_ptr<const Setup> setup_;
  std::unique_ptr<Promises> promises_;
  std::unique_ptr<Links> links_;
  std::unique_ptr<Group> group_;
  std::int64_t began_us_;
  bool has_a_processor_;

  boost::asio::steady_timer timer_;
  std::map<GroupTimer, std::int64_t> due_;                 // microseconds
  std::set<std::pair<std::int64_t, GroupTimer>> in_time_;  // the same, the earliest first
  std::int64_t armed_for_us_ = 0;
  // Waiting: clients of this member's earlier life may still rely on promises that have not
  // expired.
  enum class Phase : std::uint8_t { waiting, working, left };
  Phase phase_ = Phase::waiting;
  boost::asio::steady_timer wait_;
  bool is_starting_over_ = false;
  bool is_expiring_ = false;
  std::int64_t last_tick_us_ = 0;                   // when it was due
  std::vector<std::int64_t> unreachable_since_us_;  // 0: connected
  std::vector<bool> has_sent_to_;                   // what must arrive, since the link was reset
  // The messages sent in this view to members that have not answered in it yet.
  Epoch kept_in_;
  std::vector<std::vector<std::string>> kept_for_;
  std::vector<bool> is_known_to_err_;                  // has sent nonsense, and that was said
  std::vector<std::string> last_loss_;                 // why the connection broke, as was said
  std::set<std::pair<Namespace, std::string>> held_;   // to be lost if all begins anew
  std::set<std::pair<Namespace, std::string>> asked_;  // to be asked for again if all begins anew
};

}  // namespace baton::net
