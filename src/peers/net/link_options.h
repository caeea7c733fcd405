// The options of Links (peers/net/links.h), and the events that they report.
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
  // Everything that must be the same at both ends, in words. An error message shows the words that
  // differ.
  std::string dialect;
  std::vector<LinkMember> members;  // in the same order everywhere
  NodeId self{};
  std::uint64_t life = 0;  // another one each time that the process starts
  std::optional<io::TlsFiles> tls;

  std::size_t most_unconfirmed_bytes = 64 * 1024 * 1024;  // of one link
  // If nothing arrives for so long, this end closes the connection and makes a new one.
  std::chrono::milliseconds silence{3000};
  std::chrono::milliseconds time_to_greet{5000};
  // Between attempts to connect; each time twice as long.
  std::chrono::milliseconds first_retry{20};
  std::chrono::milliseconds last_retry{500};
};

// Links calls these on the loop's thread. A handler may call all functions of Links, but must not
// destroy it and must not throw.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  virtual void received(NodeId from, std::string_view bytes) = 0;
  virtual void connected(NodeId peer) = 0;
  // Not called when reset() itself ends the connection.
  virtual void disconnected(NodeId peer, const std::string& why) = 0;
  // The other process has started anew. The link dropped all messages that it had not confirmed.
  virtual void restarted(NodeId peer) = 0;
  // The other end has reset the link. The link dropped all messages that it had not confirmed.
  virtual void was_reset(NodeId peer) = 0;
  // One end refused the other: another group, version or dialect, an unknown or doubled name, TLS.
  // `peer` is nobody if the other process is unknown. Links reports the same refusal again only
  // after a connection.
  virtual void refused(NodeId peer, const std::string& why) = 0;
  // Too many bytes were unconfirmed. The link dropped them, and does nothing until reset().
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
