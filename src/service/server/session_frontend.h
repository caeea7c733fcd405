// The frontend connects clients with their sessions. It speaks the client protocol with each
// client, renews and expires leases, and sends clients the effects that the engine lets out. No
// sockets.
//
// A client says Hello first, then opens or resumes a session. The frontend binds the session to the
// client that opened or resumed it last, and sends that client all messages of the session. A
// client without a session may read, watch, write files that are not tied, and break locks.
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
  // If the server has not run for longer than this, it was paused (LeaseServer).
  service::Duration longest_turn{500'000};
  std::size_t watches_per_client = 1000;
  OtherServers* others = nullptr;  // or none
  // Of a gated state. The frontend grants no lease longer than the gate can promise. It renews the
  // session of a holder only while the gate promises the names for as long as the new lease.
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

  // Replaces the engine; the caller has dismissed the clients of the one before. Until the new
  // engine has read the journal, clients may ask only for the status.
  void attach(Engine& engine);
  // The engine leads. The frontend takes over the sessions of the leader before, which may have
  // renewed their leases for up to `promised` from now on.
  void open(service::Duration promised = {});
  // Another server leads (empty: none that is known). The frontend tells clients so.
  void follow(std::string leader_url);
  // Refuses requests from now on.
  void close();
  // Hangs up on all clients.
  void dismiss(Error error, const std::string& message);

  void arrive(ClientPort& client);
  // Handles one frame. The frontend may hang up on the client meanwhile.
  void receive(ClientPort& client, std::string_view frame);
  void receive(ClientPort& client, proto::ClientMessage& message);
  void leave(ClientPort& client);

  // Sends clients the effects that the engine lets out.
  void deliver(service::Effects& effects);

  // In each turn the host calls wake(), then reads what has arrived, then calls expire(); it does
  // so at least once in every `longest_turn`.
  void wake();
  void expire();

  // True if everything that the session holds stays its own for a whole lease from now on.
  bool is_covered(service::SessionId session) const;
  // Why nothing is granted now; empty if it is.
  std::string trouble() const { return options_.gate == nullptr ? "" : options_.gate->trouble(); }

  std::size_t clients() const { return clients_.size(); }
  // Changes up to this one have been told to those who watch.
  service::Revision told() const { return watches_.told(); }
  const FrontendCounters& counters() const { return counters_; }
  // This server's HTTP addresses, for the answer to `baton status`.
  void set_http_addresses(std::vector<std::string> urls) { http_addresses_ = std::move(urls); }
  // The number of sessions that have a client.
  std::size_t bound_sessions() const { return bound_.size(); }

 private:
  void greet(ClientPort& client, const proto::Hello& hello);
  void request(ClientPort& client, proto::Request& request);
  void open_session(ClientPort& client, proto::Request& request);
  // True also while the frontend does not know yet which server leads.
  bool is_following() const { return role_ == Role::loading || role_ == Role::following; }
  // If this server does not serve clients now, hangs up on this one with the reason, and returns
  // true.
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
  // Tells the client of holds that were ended. It is told again at each resume until it
  // acknowledges them.
  void remind(ClientPort& client, service::SessionId session,
              std::vector<service::HoldOver> endings);

  void reply(ClientPort* client, const service::Reply& reply);
  void explain(proto::Reply& refusal) const;
  void refuse(ClientPort& client, std::uint64_t request, Error error, std::string message);
  ClientPort* client_of(service::SessionId session) const;
  // Does it when all commands applied so far are durable, if the client is still connected.
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
