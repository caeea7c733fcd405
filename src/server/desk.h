// The desk: where guests (connections) meet sessions. It speaks the client protocol with each
// guest, keeps the leases, and passes on what the engine has to say. No sockets.
//
// A guest says Hello first, then opens a session or resumes one, which is then bound to it: what
// concerns the session is sent to the guest that spoke for it last. A guest without a session may
// read, watch, write files that are not tied, and break locks.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "server/answers.h"
#include "server/engine.h"
#include "server/guest.h"
#include "server/watches.h"
#include "service/lease.h"

namespace baton::server {

inline constexpr std::uint32_t protocol_version = 1;

struct DeskOptions {
  std::string program;  // "baton 0.1.0"
  std::string server;   // its name, for people
  std::string journal;
  std::string scope;  // for people: for whom this server is
  // A server that has not run for longer than this has been paused.
  service::Duration longest_turn{500'000};
  std::size_t watches_per_guest = 1000;
  // In a cluster: adds what this server knows of it. This and the next call back, now or later.
  std::function<void(proto::Status, std::function<void(const proto::Status&)>)> complete_status;
  // ... or in a group of peers: what is held and waited for at the others.
  std::function<void(const proto::Read::Locks&, std::function<void(OthersLocks)>)> complete_locks;
  // ... and why nothing is granted now; empty if it is.
  std::function<std::string()> trouble;
  // Of a gated state: no lease is longer, and who holds something is kept alive only while what is
  // open stays so for as long as the lease then lasts.
  std::optional<service::Duration> longest_ttl;
  std::function<service::Duration()> promised;
  // In a cluster: how old what a follower has read may be.
  std::function<service::Duration()> age;
};

struct DeskCounters {
  std::uint64_t requests = 0;
  std::uint64_t keepalives = 0;
  std::uint64_t expired = 0;                 // sessions
  std::array<std::uint64_t, 256> refused{};  // requests, by error
};

class Desk {
 public:
  Desk(Engine& engine, EngineHost& host, DeskOptions options);

  // Another engine takes the place of the one that it had, whose guests have been dismissed. Until
  // it has read the journal, only the status can be asked for.
  void attach(Engine& engine);
  // The engine leads: sessions of an earlier leader are taken over, which may have made promises
  // for so long from now on.
  void open(service::Duration promised = {});
  // Another server leads (empty: none that is known): guests are told so.
  void follow(std::string leader_url);
  // From now on requests are refused.
  void close();
  // Hangs up on everybody.
  void dismiss(Error error, const std::string& message);

  void arrive(Guest& guest);
  // One frame. The guest may have been hung up on when it returns.
  void receive(Guest& guest, std::string_view frame);
  void receive(Guest& guest, proto::ClientMessage& message);
  void leave(Guest& guest);

  // What the engine lets out.
  void deliver(service::Effects& effects);

  // In each turn, before what has arrived is read, and expire() after it; both at least once in
  // `longest_turn`.
  void wake();
  void expire();

  // Whether what a session holds is sure to stay its own for as long as its lease lasts from now
  // on.
  bool is_covered(service::SessionId session) const;
  // Why nothing is granted now; empty if it is.
  std::string trouble() const { return options_.trouble ? options_.trouble() : ""; }

  std::size_t guests() const { return guests_.size(); }
  // Changes up to this one have been told to those who watch.
  service::Revision told() const { return watches_.told(); }
  const DeskCounters& counters() const { return counters_; }
  // Where else this server can be reached, for people who ask how it is doing.
  void set_http_addresses(std::vector<std::string> urls) { http_addresses_ = std::move(urls); }
  // That have a guest.
  std::size_t bound_sessions() const { return bound_.size(); }

 private:
  void greet(Guest& guest, const proto::Hello& hello);
  void request(Guest& guest, proto::Request& request);
  void open_session(Guest& guest, proto::Request& request);
  // Also if it is not known yet whom.
  bool is_following() const { return role_ == Role::loading || role_ == Role::following; }
  // Why it is not served, if it is not: true, and hung up on.
  bool is_turned_away(Guest& guest);
  void resume(Guest& guest, const proto::Resume& resume);
  void keep_alive(Guest& guest, const proto::KeepAlive& message);
  void read(Guest& guest, const proto::Read& read);
  void read_locks(Guest& guest, const proto::Read& read);
  Asked asked() const;
  void tell(Guest& guest, std::vector<proto::Answer>& parts);
  const service::LeaseServer::Lease* find_lease(service::SessionId session) const;
  service::Duration lease_left(service::SessionId session) const;
  service::Duration age() const;
  void watch(Guest& guest, const proto::Watch& watch);

  bool is_reported(Guest& guest, const proto::Request& request);
  void opened(const service::Opened& opened);
  void bind(Guest& guest, service::SessionId session);
  void session_over(const service::SessionOver& over);
  // Of holds that are over, until it has acknowledged that it knows.
  void remind(Guest& guest, service::SessionId session, std::vector<service::HoldOver> endings);

  void reply(Guest* guest, const service::Reply& reply);
  void explain(proto::Reply& refusal) const;
  void refuse(Guest& guest, std::uint64_t request, Error error, std::string message);
  Guest* guest_of(service::SessionId session) const;
  // Does it when all that has been seen is durable, if the guest is still there.
  void later(Guest& guest, std::function<void(Guest&)> what);
  service::Time clock() const { return {host_.clock_us()}; }

  Engine* engine_;
  EngineHost& host_;
  DeskOptions options_;
  service::LeaseServer leases_;
  Watches watches_;
  enum class Role : std::uint8_t { closed, loading, following, leading };
  Role role_ = Role::closed;
  std::string leader_url_;
  std::uint64_t next_guest_ = 1;
  std::unordered_map<std::uint64_t, Guest*> guests_;
  std::unordered_map<std::uint64_t, Guest*> bound_;  // by session
  std::unordered_set<std::uint64_t> unreported_;     // sessions
  std::vector<std::string> http_addresses_;
  DeskCounters counters_;
  std::array<char, 4096> room_for_received_;
  google::protobuf::Arena received_;  // the message that is being served
  proto::ServerMessage sending_;
  proto::ServerMessage sending_reply_;  // the most frequent, which keeps its room
};

}  // namespace baton::server
