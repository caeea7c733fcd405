// Where a server listens: "unix:PATH", "HOST:PORT" or "baton://HOST:PORT". Without a host it is
// this machine alone.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace baton::server {

struct Address {
  std::string path;  // of a Unix socket, or empty
  std::string host;
  std::uint16_t port = 0;

  bool is_unix() const { return !path.empty(); }
  bool is_loopback() const;
  // As a client takes it.
  std::string url() const;
};

// Cannot be listened on: what is wrong, and what to do about it.
class ListenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws ListenError.
Address parse_address(const std::string& text);

}  // namespace baton::server
