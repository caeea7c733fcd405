// A server for another protocol than the client protocol, such as HTTP (src/service/http/). It runs
// on the same loop and thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "baton/error.h"

namespace baton::server {

class Host;

class SideServer {
 public:
  virtual ~SideServer() = default;

  // The engine leads, and the frontend is open.
  virtual void open() = 0;
  // The addresses on which it listens, with the ports that the system chose.
  virtual std::vector<std::string> addresses() const = 0;
  virtual std::size_t connections() const = 0;

  // No new connections.
  virtual void stop_listening() = 0;
  // Answers every waiting request with this error, and hangs up.
  virtual void dismiss(Error error, const std::string& message) = 0;
  // All answers are written to their sockets.
  virtual bool is_all_written() const = 0;
};

// Listens, and throws io::ListenError if it cannot. The host outlives it.
using MakeSideServer = std::function<std::unique_ptr<SideServer>(Host&)>;

}  // namespace baton::server
