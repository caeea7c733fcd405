// The lock service inside this process: for embedding, and for tests.
//
//   auto server = baton::Server::start({.listen = {"unix:/tmp/example/socket"}}).value();
//   auto client = baton::Client::connect({.url = server.url()}).value();
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "baton/export.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

struct ServerOptions {
  // unix:PATH or baton://HOST:PORT (port 0: any that is free). TCP has no authentication: keep to
  // loopback.
  std::vector<std::string> listen{};
  // The directory for the state that must survive (one SQLite database); empty: in memory only.
  std::string directory{};
  std::string name{};  // for people
};

class BATON_EXPORT Server {
 public:
  // Starts serving on a thread of its own.
  static Result<Server> start(ServerOptions options);

  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  // Stops cleanly, as stop() does.
  ~Server();

  // The addresses that it listens on, in the form that a client takes, with the actual port.
  std::vector<std::string> urls() const;
  std::string url() const { return urls().front(); }

  // Stops cleanly. Sessions continue with the next server on the same directory.
  Result<void> stop();

 private:
  struct Running;
  explicit Server(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace v1
}  // namespace baton
