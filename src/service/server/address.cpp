#include "service/server/address.h"

#include <sys/un.h>

#include <charconv>
#include <string_view>

namespace baton::server {

namespace {

constexpr std::string_view unix_scheme = "unix:";
constexpr std::string_view tcp_scheme = "baton://";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw ListenError("'" + text + "' " + why);
}

std::uint16_t parse_port(const std::string& text, std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    refuse(text, "has no port between 0 and 65535: say unix:PATH or HOST:PORT");
  }
  return port;
}

}  // namespace

bool Address::is_loopback() const {
  return is_unix() || host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string Address::url() const {
  if (is_unix()) return std::string(unix_scheme) + path;
  const bool has_colons = host.find(':') != std::string::npos;
  return std::string(tcp_scheme) + (has_colons ? "[" + host + "]" : host) + ":" +
         std::to_string(port);
}

Address parse_address(const std::string& text) {
  std::string_view rest = text;
  Address address;
  if (rest.starts_with(unix_scheme)) {
    rest.remove_prefix(unix_scheme.size());
    if (rest.empty()) refuse(text, "names no path");
    if (rest.size() >= sizeof(sockaddr_un::sun_path)) {
      refuse(text, "is too long: the path of a Unix socket has at most " +
                       std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
    }
    address.path = rest;
    return address;
  }
  if (rest.starts_with(tcp_scheme)) rest.remove_prefix(tcp_scheme.size());
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) refuse(text, "is neither unix:PATH nor HOST:PORT");
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  address.host = host.empty() ? "127.0.0.1" : host;
  address.port = parse_port(text, rest.substr(colon + 1));
  return address;
}

}  // namespace baton::server
