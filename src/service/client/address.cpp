#include "service/client/address.h"

#include <sys/un.h>

#include <charconv>

namespace baton::client {

namespace {

constexpr std::string_view unix_scheme = "unix:";
constexpr std::string_view tcp_scheme = "baton://";

Failure bad(std::string_view url, const std::string& why) {
  return {Error::bad_request, "the URL '" + std::string(url) + "' " + why};
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port <= 65535;
}

// HOST:PORT, or [HOST]:PORT where the host has colons of its own.
bool parse_host(std::string_view text, Address& address) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !is_port(text.substr(colon + 1))) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return false;
  address.host = host;
  address.port = text.substr(colon + 1);
  return !host.empty();
}

}  // namespace

std::string Address::text() const {
  if (is_unix()) return std::string(unix_scheme) + path;
  const bool has_colons = host.find(':') != std::string::npos;
  return std::string(tcp_scheme) + (has_colons ? "[" + host + "]" : host) + ":" + port;
}

Result<std::vector<Address>> addresses_of(std::string_view url) {
  if (url.starts_with(unix_scheme)) {
    const std::string_view path = url.substr(unix_scheme.size());
    if (path.empty()) return bad(url, "names no path");
    if (path.size() >= sizeof(sockaddr_un::sun_path))
      return bad(url, "is too long for the path of a Unix socket");
    return std::vector{Address{.path = std::string(path)}};
  }
  if (!url.starts_with(tcp_scheme)) return bad(url, "begins with neither unix: nor baton://");
  std::string_view rest = url.substr(tcp_scheme.size());
  std::vector<Address> all;
  while (true) {
    const std::size_t comma = rest.find(',');
    Address address;
    if (!parse_host(rest.substr(0, comma), address))
      return bad(url, "is not baton://HOST:PORT,HOST:PORT,…");
    all.push_back(std::move(address));
    if (comma == std::string_view::npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace baton::client
