// A connection between a client and a server: in order, with delays, and it may break at any
// moment. What was under way when it breaks arrives up to some point. While the two are cut off
// from each other nothing arrives, but the connection stands.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "service/cluster_sim/scene.h"
#include "service/server/client_port.h"

namespace baton::cluster_sim {

class SimClient;
class SimServer;

// One direction.
class Pipe {
 public:
  explicit Pipe(Scene& scene) : scene_(scene) {}

  void push(std::function<void()> what);
  // From now on nothing arrives, or again.
  void set_blocked(bool is_blocked);
  // Loses the end of what is under way, and then only says that it is over.
  void cut(std::function<void()> over);

 private:
  struct Item {
    std::int64_t due_us = 0;
    std::function<void()> what;
  };
  void schedule();
  void arrive();

  Scene& scene_;
  std::deque<Item> items_;
  std::int64_t last_due_us_ = 0;
  bool is_scheduled_ = false;
  bool is_blocked_ = false;
  bool is_cut_ = false;
};

class Wire final : public server::ClientPort, public std::enable_shared_from_this<Wire> {
 public:
  Wire(Scene& scene, SimClient& client, SimServer& server);

  // At the client's end.
  void connect();
  void say(const proto::ClientMessage& message);
  void hang_up_by_client();

  // At the server's end.
  void send(const proto::ServerMessage& message) override;
  void hang_up(Error error, const std::string& message) override;
  void accepted() { is_at_server_ = true; }
  // The server has died: it does not know this one any more.
  void lose_server();

  // By chance.
  void cut();
  void set_blocked(bool is_blocked);

  SimClient& client() const { return client_; }
  SimServer& server() const { return server_; }

 private:
  void end_at_client();
  void end_at_server();

  Scene& scene_;
  SimClient& client_;
  SimServer& server_;
  Pipe to_server_;
  Pipe to_client_;
  bool is_at_client_ = true;
  bool is_at_server_ = false;
  bool is_arriving_ = true;  // it may still be accepted
};

}  // namespace baton::cluster_sim
