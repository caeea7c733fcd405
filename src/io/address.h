// The address of a server: the path of a Unix socket, or a host and a port.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace baton::io {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;

  // "HOST:PORT", or "[HOST]:PORT" where the host has colons of its own.
  std::string host_and_port() const;
};

// None if it is not HOST:PORT or [HOST]:PORT. The host may be empty.
std::optional<HostPort> parse_host_port(std::string_view text);

struct Address : HostPort {
  std::string path;  // of a Unix socket; empty: a host and a port

  bool is_unix() const { return !path.empty(); }
  bool is_loopback() const;
  // As clients take it: "unix:PATH" or "baton://HOST:PORT".
  std::string url() const;
};

// The message names the text and the problem.
class AddressError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of a server: "unix:PATH", "HOST:PORT" or "baton://HOST:PORT". An empty host is this machine
// alone. Throws AddressError.
Address parse_address(std::string_view text);
// For a client: "unix:PATH", or "baton://HOST:PORT,HOST:PORT,…" of servers to be tried in turn.
// Throws AddressError.
std::vector<Address> parse_url(std::string_view url);

}  // namespace baton::io
