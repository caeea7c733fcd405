// What serves beside the client protocol, on the same loop and thread, such as HTTP
// (src/service/http/).
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
  // What it listens on, with the ports that were found.
  virtual std::vector<std::string> addresses() const = 0;
  virtual std::size_t connections() const = 0;

  // No new connections.
  virtual void stop_listening() = 0;
  // Everybody who still waits for something is told why, and hung up on.
  virtual void dismiss(Error error, const std::string& message) = 0;
  // All that was said is on its way.
  virtual bool is_all_written() const = 0;
};

// Listens, and throws io::ListenError if it cannot. The host outlives it.
using MakeSideServer = std::function<std::unique_ptr<SideServer>(Host&)>;

}  // namespace baton::server
