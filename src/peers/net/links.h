// Carries strings of bytes between the members of a group of processes, over TCP.
//
// Every pair of members has one connection; the one with the smaller number dials. What is sent
// arrives in order and once, as long as both ends live, however often the connection breaks: each
// end numbers what it sends, keeps it until the other has confirmed it, and repeats it on the next
// connection. Another life of a member, or a reset, begins a new numbering, and both ends are told.
//
// All that is sent in one turn of the loop goes out in one write. Everything runs on the
// io_context's thread; a member that falls silent is noticed by ticks of that loop, so that a pause
// of this process is not taken for silence of the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "peers/net/tls.h"

namespace boost::asio {
class io_context;
}

namespace baton::net {

struct LinkMember {
  std::string id;  // what people call it
  std::string host;
  std::uint16_t port = 0;

  std::string address() const {
    const bool is_v6 = host.find(':') != host.npos;
    return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

struct LinkOptions {
  std::string group;
  // What must be the same at both ends, in words: they are shown where they differ.
  std::string dialect;
  std::vector<LinkMember> members;  // in the same order everywhere
  NodeId self{};
  std::uint64_t life = 0;   // another one each time that the process starts
  std::string listen_host;  // empty: as the members know it
  std::optional<TlsFiles> tls;

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

// Says on which address one cannot listen, and why.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LinkHub;

class Links {
 public:
  // Listens, but neither dials nor answers before start(). Throws LinkError.
  Links(boost::asio::io_context& io, LinkOptions options, LinkEvents& events);
  ~Links();

  void start();

  // In order and once, as long as both ends live. At most largest_message bytes.
  void send(NodeId to, std::string_view bytes);
  // Now or never: forgotten if there is no connection, or it is held up. It may overtake what was
  // sent otherwise, and be overtaken.
  void send_if_connected(NodeId to, std::string_view bytes);
  // Forgets all that is unconfirmed, in both directions, and numbers anew.
  void reset(NodeId peer);

  bool is_connected(NodeId peer) const;
  // Somebody who is connected does not read as fast as it is sent to.
  bool is_congested() const;
  // Why there is no connection, as far as is known.
  const std::string& last_problem(NodeId peer) const;
  const LinkCounters& counters(NodeId peer) const;
  std::uint16_t port() const;  // that it listens on
  // Nothing is to be done now: whether to look again at once, as somebody is about to speak.
  bool stays_awake();

 private:
  std::unique_ptr<LinkHub> hub_;
};

}  // namespace baton::net
