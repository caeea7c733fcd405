// The frontend: where clients (connections) meet sessions. It speaks the client protocol with each
// client, keeps the leases, and passes on what the engine has to say. No sockets.
//
// A client says Hello first, then opens a session or resumes one, which is then bound to it: what
// concerns the session is sent to the client that spoke for it last. A client without a session may
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

#include "service/lease/lease.h"
#include "service/server/answers.h"
#include "service/server/client_port.h"
#include "service/server/engine.h"
#include "service/server/gate.h"
#include "service/server/watches.h"

namespace baton::server {

struct FrontendOptions {
  std::string program;  // "baton 0.1.0"
  std::string server;   // its name, for people
  std::string journal;
  std::string scope;  // for people: for whom this server is
  // A server that has not run for longer than this has been paused.
  service::Duration longest_turn{500'000};
  std::size_t watches_per_client = 1000;
  OtherServers* others = nullptr;  // or none
  // Of a gated state: no lease is longer than the gate can promise, and who holds something is kept
  // alive only while what is open stays so for as long as the lease then lasts.
  Gate* gate = nullptr;
};

struct FrontendCounters {
  std::uint64_t requests = 0;
  std::uint64_t keepalives = 0;
  std::uint64_t expired = 0;                 // sessions
  std::array<std::uint64_t, 256> refused{};  // requests, by error
};

class SessionFrontend {
 public:
  SessionFrontend(Engine& engine, EngineHost& host, FrontendOptions options);

  // Another engine takes the place of the one that it had, whose clients have been dismissed. Until
  // it has read the journal, only the status can be asked for.
  void attach(Engine& engine);
  // The engine leads: sessions of an earlier leader are taken over, which may have made promises
  // for so long from now on.
  void open(service::Duration promised = {});
  // Another server leads (empty: none that is known): clients are told so.
  void follow(std::string leader_url);
  // From now on requests are refused.
  void close();
  // Hangs up on everybody.
  void dismiss(Error error, const std::string& message);

  void arrive(ClientPort& client);
  // One frame. The client may have been hung up on when it returns.
  void receive(ClientPort& client, std::string_view frame);
  void receive(ClientPort& client, proto::ClientMessage& message);
  void leave(ClientPort& client);

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
  std::string trouble() const { return options_.gate == nullptr ? "" : options_.gate->trouble(); }

  std::size_t clients() const { return clients_.size(); }
  // Changes up to this one have been told to those who watch.
  service::Revision told() const { return watches_.told(); }
  const FrontendCounters& counters() const { return counters_; }
  // Where else this server can be reached, for people who ask how it is doing.
  void set_http_addresses(std::vector<std::string> urls) { http_addresses_ = std::move(urls); }
  // That have a client.
  std::size_t bound_sessions() const { return bound_.size(); }

 private:
  void greet(ClientPort& client, const proto::Hello& hello);
  void request(ClientPort& client, proto::Request& request);
  void open_session(ClientPort& client, proto::Request& request);
  // Also if it is not known yet whom.
  bool is_following() const { return role_ == Role::loading || role_ == Role::following; }
  // Why it is not served, if it is not: true, and hung up on.
  bool is_turned_away(ClientPort& client);
  void resume(ClientPort& client, const proto::Resume& resume);
  void keep_alive(ClientPort& client, const proto::KeepAlive& message);
  void read(ClientPort& client, const proto::Read& read);
  void read_locks(ClientPort& client, const proto::Read& read);
  Asked asked() const;
  void tell(ClientPort& client, std::vector<proto::Answer>& parts);
  const service::LeaseServer::Lease* find_lease(service::SessionId session) const;
  service::Duration lease_left(service::SessionId session) const;
  service::Duration age() const;
  void watch(ClientPort& client, const proto::Watch& watch);

  bool is_reported(ClientPort& client, const proto::Request& request);
  void opened(const service::Opened& opened);
  void bind(ClientPort& client, service::SessionId session);
  void session_over(const service::SessionOver& over);
  // Of holds that are over, until it has acknowledged that it knows.
  void remind(ClientPort& client, service::SessionId session,
              std::vector<service::HoldOver> endings);

  void reply(ClientPort* client, const service::Reply& reply);
  void explain(proto::Reply& refusal) const;
  void refuse(ClientPort& client, std::uint64_t request, Error error, std::string message);
  ClientPort* client_of(service::SessionId session) const;
  // Does it when all that has been seen is durable, if the client is still there.
  void later(ClientPort& client, std::function<void(ClientPort&)> what);
  service::Time clock() const { return {host_.clock_us()}; }

  Engine* engine_;
  EngineHost& host_;
  FrontendOptions options_;
  service::LeaseServer leases_;
  Watches watches_;
  enum class Role : std::uint8_t { closed, loading, following, leading };
  Role role_ = Role::closed;
  std::string leader_url_;
  std::uint64_t next_client_ = 1;
  std::unordered_map<std::uint64_t, ClientPort*> clients_;
  std::unordered_map<std::uint64_t, ClientPort*> bound_;  // by session
  std::unordered_set<std::uint64_t> unreported_;          // sessions
  std::vector<std::string> http_addresses_;
  FrontendCounters counters_;
  std::array<char, 4096> room_for_received_;
  google::protobuf::Arena received_;  // the message that is being served
  proto::ServerMessage sending_;
  proto::ServerMessage sending_reply_;  // the most frequent, which keeps its room
};

}  // namespace baton::server
