// Where the guests that speak for HTTP requests are kept, between the desk and the connections.
//
// The desk tells a guest things while it is in the middle of its own work, so a guest may write to
// a connection then, but must not turn to the desk: what follows is done later, in a turn of its
// own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "http/exchange.h"
#include "server/guest.h"
#include "server/host.h"

namespace baton::http {

class Visitor;

class Lobby {
 public:
  explicit Lobby(server::Host& host) : host_(host) {}
  ~Lobby();
  Lobby(const Lobby&) = delete;
  Lobby& operator=(const Lobby&) = delete;

  // Brings it to the desk, and greets.
  void admit(const std::shared_ptr<Visitor>& visitor);
  // Later; it is not told anything any more.
  void see_off(std::shared_ptr<Visitor> visitor);
  // In a turn of its own.
  void later(std::function<void()> what);

  server::Host& host() { return host_; }

 private:
  server::Host& host_;
  std::unordered_set<std::shared_ptr<Visitor>> visitors_;
};

class Visitor : public server::Guest, public std::enable_shared_from_this<Visitor> {
 public:
  explicit Visitor(Lobby& lobby) : lobby_(lobby) {}

 protected:
  void say(proto::ClientMessage& message);
  void leave() { lobby_.see_off(shared_from_this()); }
  Lobby& lobby() { return lobby_; }

 private:
  Lobby& lobby_;
};

// One question of nobody in particular, or a request that needs no session.
class Errand final : public Visitor {
 public:
  using OfAnswer = std::function<Response(const std::vector<proto::Answer>&)>;
  using OfReply = std::function<Response(const proto::Reply&)>;

  Errand(Lobby& lobby, std::shared_ptr<Exchange> exchange)
      : Visitor(lobby), exchange_(std::move(exchange)) {}

  void read(const proto::Read& read, OfAnswer words);
  void ask(const proto::Request& request, OfReply words);

  void send(const proto::ServerMessage& message) override;
  void hang_up(Error error, const std::string& message) override;

 private:
  void finish(const Response& response);

  std::shared_ptr<Exchange> exchange_;
  OfAnswer of_answer_;
  OfReply of_reply_;
  std::vector<proto::Answer> parts_;
  bool is_done_ = false;
};

// Changes as they come (server-sent events), until the listener goes.
class Stream final : public Visitor {
 public:
  Stream(Lobby& lobby, std::shared_ptr<Exchange> exchange)
      : Visitor(lobby), exchange_(std::move(exchange)) {}

  void watch(const proto::Watch& watch);
  // A sign of life. All changes up to this revision have been told.
  void beat(service::Revision told);
  bool is_done() const { return is_done_; }

  void send(const proto::ServerMessage& message) override;
  void hang_up(Error error, const std::string& message) override;

 private:
  void finish();

  std::shared_ptr<Exchange> exchange_;
  bool has_begun_ = false;
  bool is_done_ = false;
};

}  // namespace baton::http
