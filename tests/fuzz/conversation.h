// A server without sockets, threads or a real clock, that several clients talk with at once, and
// that can be paused, crashed and started again. Used by the fuzz targets of the service.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "service/server/engine_fixture.h"
#include "service/server/session_frontend.h"
#include "service/server/snapshot.h"

namespace baton::fuzz {

class FuzzClient final : public server::ClientPort {
 public:
  void send(const proto::ServerMessage& message) override;
  void hang_up(Error error, const std::string& message) override;

  // As of a connection: it leaves the frontend at once, whatever the frontend is doing.
  std::function<void()> on_gone;
  bool is_gone = false;
};

class Conversation {
 public:
  static constexpr std::size_t clients = 3;

  explicit Conversation(
      std::shared_ptr<journal::MemoryStore> store = std::make_shared<journal::MemoryStore>());
  ~Conversation();

  void receive(std::size_t client, std::string_view frame);
  // Another connection in its place.
  void replace(std::size_t client);
  void pass(std::int64_t time_us);
  // Time passes, but not for the server.
  void pause(std::int64_t time_us);
  void hold_up_journal() { life_->is_slow = true; }
  void crash();
  void stop();

  // What must be so at any moment.
  void check();
  const service::State& state() const { return life_->engine->state(); }

 private:
  void begin();
  void settle();
  void welcome(std::size_t client);

  std::shared_ptr<journal::MemoryStore> store_;
  std::unique_ptr<server::Life> life_;
  std::unique_ptr<server::SessionFrontend> frontend_;
  std::array<std::unique_ptr<FuzzClient>, clients> clients_;
  std::int64_t clock_ = 1000 * server::second_us;
};

}  // namespace baton::fuzz
