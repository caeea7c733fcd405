// A member of a group of peers that serves local clients: the host of the service
// (service/server/host.h), whose names are opened by the group (peers/net/peer.h).
//
// The member asks the group for a name when the first client here waits for it, and gives it back
// when that client releases it, so that clients of other members get their turn. It asks the other
// members for their holders and waiters, and tells them who leads an election here.
//
// The member promises its clients no more than the group has promised it. A client's lease is
// shorter than the member's; the member does not renew it while its own promise is too short; and
// it expires before the group gives the name to another member. So whatever happens to a member,
// its clients stop in time.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "baton/peer.pb.h"
#include "peers/net/peer.h"
#include "service/server/gate.h"
#include "service/server/host.h"

namespace baton::peer {

// A group's fencing token as the single number that clients know. The order is the same.
std::uint64_t token_of(const FencingToken& fence);

class Member final : public server::Gate, private net::PeerEvents {
 public:
  // Throws GroupFileError if its lease is too short for clients.
  explicit Member(net::PeerOptions options);
  ~Member() override;

  // The host for which this is the gate. Joins the group: throws io::ListenError,
  // net::PromisesError.
  void attend(server::Host& host);
  // Leaves the group. The host does not run any more.
  void leave_host();
  // Calls `told` whenever the member gains or loses the majority of the group.
  void on_change(std::function<void(bool)> told) { on_change_ = std::move(told); }
  const net::Peer& peer() const { return *peer_; }

 private:
  using Key = std::pair<service::Namespace, std::string>;
  enum class Stage : std::uint8_t {
    queued,  // this member uses as many names as it may
    asked,
    abandoned,
    had,     // but not promised for long enough for a client
    open,    // to a client
    noticed  // open, and its client was told to release it
  };
  struct Wish {
    Stage stage = Stage::queued;
    FencingToken fence{};  // once it is had
    std::uint32_t ticks_had = 0;
  };
  using Wishes = std::map<Key, Wish>;
  struct Asking {
    std::set<NodeId> missing;  // members that have not answered
    server::OthersLocks found;
    std::function<void(server::OthersLocks)> done;
    std::unique_ptr<boost::asio::steady_timer> patience;
  };
  struct Leader {
    baton::ViewMember at;
    std::uint64_t fence = 0;
  };

  // Gate.
  void want(service::Namespace space, const std::string& name) override;
  void leave(service::Namespace space, const std::string& name) override;
  void close() override;
  std::string trouble() const override;
  service::Duration promised() const override;
  service::Duration longest_promise() const override;
  bool is_congested() const override;
  bool stays_awake() override { return peer_ != nullptr && peer_->stays_awake(); }
  void led(const service::Change& change) override;
  void complete_locks(const proto::Read::Locks& asked,
                      std::function<void(server::OthersLocks)> done) override;
  void complete_status(proto::Status status,
                       std::function<void(const proto::Status&)> done) override;

  // PeerEvents.
  void granted(Namespace space, const std::string& name, const FencingToken& fence) override;
  void lost(Namespace space, const std::string& name) override;
  void view_changed() override;
  void ticked() override;
  void told(NodeId from, std::string_view words) override;
  void warned(const std::string& what) override;

  bool has_room_for(const Key& key) const;
  void ask(Wishes::iterator wish);
  void forget(Wishes::iterator wish);
  void open_if_promised(const Key& key);
  void give_back(const Key& key);
  std::string out_of_touch() const;
  std::vector<proto::Lock> locks_here(const proto::Read::Locks& asked) const;
  void tell_locks(NodeId to, const proto::PeerWords::AskLocks& asked);
  void answered(NodeId by, const proto::PeerWords::Locks& locks);
  void finish(std::uint64_t number);
  void heard_of_leader(NodeId from, const proto::PeerWords::Leader& leader);
  void forget_leaders_of_others();
  void tell_others(const proto::PeerWords& words);
  void log_view();

  net::PeerOptions options_;
  server::Host* host_ = nullptr;
  std::unique_ptr<net::Peer> peer_;
  Wishes wishes_;
  std::deque<Key> queue_;       // wishes that have to wait
  std::size_t used_bytes_ = 0;  // of the others
  std::map<std::string, proto::PeerWords::Leader> leaders_here_;
  std::map<std::string, Leader> leaders_elsewhere_;
  std::uint64_t last_asking_ = 0;
  std::map<std::uint64_t, Asking> askings_;
  bool is_slow_ = false;  // messages are, for a lease as short as it is
  std::set<NodeId> not_understood_;
  std::string logged_;  // the last that was said of the view
  std::function<void(bool)> on_change_;
};

}  // namespace baton::peer
