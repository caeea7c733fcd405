// What the links of one member share: the socket that is listened on, the turn of the loop, ticks,
// and the connections that do not belong to a link (yet).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/poller.h"
#include "peers/net/hello.h"
#include "peers/net/link.h"
#include "peers/net/links.h"
#include "peers/net/tls.h"

namespace baton::net {

class LinkConnection;

class LinkHub {
 public:
  LinkHub(boost::asio::io_context& io, LinkOptions options, LinkEvents& events);
  ~LinkHub();
  LinkHub(const LinkHub&) = delete;
  LinkHub& operator=(const LinkHub&) = delete;

  void start();
  // Throws std::invalid_argument if it is no other member.
  Link& link(NodeId peer) const;
  bool is_congested() const;
  std::uint16_t port() const { return port_; }
  bool stays_awake();

  // For links and connections.
  const LinkOptions& options() const { return options_; }
  LinkEvents& events() { return events_; }
  boost::asio::io_context& io() { return io_; }
  loop::Poller& poller() { return poller_; }
  const TlsContext* tls() const { return tls_ ? &*tls_ : nullptr; }
  std::vector<char>& buffer() { return buffer_; }
  bool has_started() const { return has_started_; }
  Hello own_hello() const;

  std::shared_ptr<LinkConnection> add(int socket, NodeId dialled);
  void meet(LinkConnection& connection, const Hello& theirs);
  // Tells both ends why.
  void refuse(LinkConnection& connection, const std::string& why, NodeId who = nobody);
  void tell_refused(LinkConnection& connection, const std::string& why, NodeId who = nobody);
  void tell_overflow(NodeId peer);
  void closed(LinkConnection& connection, const std::string& why);
  void write_soon(std::shared_ptr<LinkConnection> connection);
  void confirm_later();

 private:
  void check_options() const;
  void listen();
  void accept();
  void turn();
  void end_turn();
  void tick();
  void heed_silence(std::chrono::milliseconds silence);
  void limit_strangers();
  NodeId find(const std::string& id) const;
  std::string objection(const LinkConnection& connection, const Hello& theirs) const;
  // Calls `what` unless all is over by then.
  template <class What>
  auto while_alive(What what);

  boost::asio::io_context& io_;
  LinkOptions options_;
  LinkEvents& events_;
  std::optional<TlsContext> tls_;
  loop::Poller poller_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_pause_;
  boost::asio::steady_timer ticker_;
  boost::asio::steady_timer confirmer_;
  std::uint16_t port_ = 0;
  std::vector<char> buffer_;                                // that all connections are read into
  std::vector<std::unique_ptr<Link>> links_;                // none for this member itself
  std::vector<std::shared_ptr<LinkConnection>> strangers_;  // of no link, or not any more
  std::vector<std::shared_ptr<LinkConnection>> dirty_;      // have something to write
  std::vector<NodeId> overflowed_;                          // and not told yet
  std::set<std::string> refusals_;                          // of nobody knows whom
  std::chrono::milliseconds shortest_silence_;              // of all members
  bool has_started_ = false;
  bool is_turn_posted_ = false;
  bool is_confirmation_due_ = false;
  std::shared_ptr<bool> alive_;
};

}  // namespace baton::net
