// What Links (peers/net/links.h) are told when they are made, and what they tell.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "io/address.h"
#include "io/tls.h"

namespace baton::net {

struct LinkMember {
  std::string id;  // what people call it
  io::HostPort address;
};

struct LinkOptions {
  std::string group;
  // What must be the same at both ends, in words: they are shown where they differ.
  std::string dialect;
  std::vector<LinkMember> members;  // in the same order everywhere
  NodeId self{};
  std::uint64_t life = 0;  // another one each time that the process starts
  std::optional<io::TlsFiles> tls;

  std::size_t most_unconfirmed_bytes = 64 * 1024 * 1024;  // of one link
  // A connection on which nothing has come for so long is given up and made anew.
  std::chrono::milliseconds silence{3000};
  std::chrono::milliseconds time_to_greet{5000};
  // Between attempts to connect; each time twice as long.
  std::chrono::milliseconds first_retry{20};
  std::chrono::milliseconds last_retry{500};
};

// Is told what happens, on the loop's thread. May call whatever Links has, but not end it, and must
// not throw.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  virtual void received(NodeId from, std::string_view bytes) = 0;
  virtual void connected(NodeId peer) = 0;
  // Not told of what reset() itself has ended.
  virtual void disconnected(NodeId peer, const std::string& why) = 0;
  // Another life of it: what was sent to it and not confirmed is gone.
  virtual void restarted(NodeId peer) = 0;
  // The other end has reset the link: likewise.
  virtual void was_reset(NodeId peer) = 0;
  // One end turned the other away: another group, version or dialect, an unknown or doubled name,
  // TLS. Nobody: it is not known who it was. The same is told again only after a connection.
  virtual void refused(NodeId peer, const std::string& why) = 0;
  // Too much was unconfirmed. It is gone, and the link given up until reset().
  virtual void overflowed(NodeId peer) = 0;
};

struct LinkCounters {
  std::uint64_t messages_sent = 0;  // without repetitions
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_written = 0;  // to the socket
  std::uint64_t bytes_read = 0;
  std::uint64_t writes = 0;
  std::uint64_t connections = 0;
};

}  // namespace baton::net
