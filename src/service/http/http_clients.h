// The clients that stand for HTTP requests, between the frontend and the connections.
//
// The frontend calls a client in the middle of its own work. The client may then write to a
// connection, but must not call the frontend: it does that later, in a turn of its own (later()).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "service/http/exchange.h"
#include "service/server/client_port.h"
#include "service/server/host.h"

namespace baton::http {

class HttpClient;

class HttpClients {
 public:
  explicit HttpClients(server::Host& host) : host_(host) {}
  ~HttpClients();
  HttpClients(const HttpClients&) = delete;
  HttpClients& operator=(const HttpClients&) = delete;

  // Brings it to the frontend, and greets.
  void add(const std::shared_ptr<HttpClient>& client);
  // Later; it is not told anything any more.
  void remove(std::shared_ptr<HttpClient> client);
  // In a turn of its own.
  void later(std::function<void()> what);

  server::Host& host() { return host_; }

 private:
  server::Host& host_;
  std::unordered_set<std::shared_ptr<HttpClient>> all_;
};

class HttpClient : public server::ClientPort, public std::enable_shared_from_this<HttpClient> {
 public:
  explicit HttpClient(HttpClients& clients) : clients_(clients) {}

 protected:
  void say(proto::ClientMessage& message);
  void leave() { clients_.remove(shared_from_this()); }
  HttpClients& clients() { return clients_; }

 private:
  HttpClients& clients_;
};

// One question, or one request that needs no session.
class OneShot final : public HttpClient {
 public:
  using OfAnswer = std::function<Response(const std::vector<proto::Answer>&)>;
  using OfReply = std::function<Response(const proto::Reply&)>;

  OneShot(HttpClients& clients, std::shared_ptr<Exchange> exchange)
      : HttpClient(clients), exchange_(std::move(exchange)) {}

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
class Stream final : public HttpClient {
 public:
  Stream(HttpClients& clients, std::shared_ptr<Exchange> exchange)
      : HttpClient(clients), exchange_(std::move(exchange)) {}

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
