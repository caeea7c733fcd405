#include "io/address.h"

#include <sys/un.h>

#include <charconv>

namespace baton::io {

namespace {

constexpr std::string_view unix_scheme = "unix:";
constexpr std::string_view tcp_scheme = "baton://";
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw AddressError("'" + std::string(text) + "' " + why);
}

Address parse_unix(std::string_view text) {
  Address address;
  address.path = text.substr(unix_scheme.size());
  if (address.path.empty()) refuse(text, "names no path");
  if (address.path.size() > longest_path) {
    refuse(text, "is too long: the path of a Unix socket has at most " +
                     std::to_string(longest_path) + " bytes");
  }
  return address;
}

bool is_bracketed(std::string_view host) { return host.starts_with('[') && host.ends_with(']'); }

}  // namespace

std::string HostPort::host_and_port() const {
  const bool has_colons = host.find(':') != host.npos;
  return (has_colons ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<HostPort> parse_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (is_bracketed(host)) host = host.substr(1, host.size() - 2);
  return HostPort{std::string(host), port};
}

bool Address::is_loopback() const {
  return is_unix() || host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string Address::url() const {
  return is_unix() ? std::string(unix_scheme) + path : std::string(tcp_scheme) + host_and_port();
}

Address parse_address(std::string_view text) {
  if (text.starts_with(unix_scheme)) return parse_unix(text);
  const std::string_view rest =
      text.substr(text.starts_with(tcp_scheme) ? tcp_scheme.size() : std::size_t{0});
  if (rest.find(':') == rest.npos) refuse(text, "is neither unix:PATH nor HOST:PORT");
  auto found = parse_host_port(rest);
  if (!found) refuse(text, "has no port between 0 and 65535: say unix:PATH or HOST:PORT");
  if (found->host.empty()) found->host = "127.0.0.1";
  return {*std::move(found), {}};
}

std::vector<Address> parse_url(std::string_view url) {
  if (url.starts_with(unix_scheme)) return {parse_unix(url)};
  if (!url.starts_with(tcp_scheme)) refuse(url, "begins with neither unix: nor baton://");
  std::vector<Address> all;
  std::string_view rest = url.substr(tcp_scheme.size());
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    auto found = parse_host_port(one);
    const bool is_plain = found && (found->host.find(':') == std::string::npos || one[0] == '[');
    if (!is_plain || found->host.empty()) refuse(url, "is not baton://HOST:PORT,HOST:PORT,…");
    all.push_back({*std::move(found), {}});
    if (comma == rest.npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace baton::io
