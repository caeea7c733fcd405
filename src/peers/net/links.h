// Carries strings of bytes between the members of a group of processes, over TCP.
//
// Every pair of members has one connection; the member with the smaller number dials. Messages
// arrive in order and once, as long as both processes live, however often the connection breaks:
// each end numbers its messages, keeps them until the other has confirmed them, and sends them
// again on the next connection (link.h has a worked example). When a member starts anew or resets
// the link, a new numbering begins, and both ends are told.
//
// Links sends all messages of one turn of the loop in one write. Everything runs on the
// io_context's thread. Links notices a silent member by ticks of that loop, so that it does not
// take a pause of this process for silence of the others.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/calls.h"
#include "io/listener.h"
#include "io/poller.h"
#include "io/tls.h"
#include "peers/net/hello.h"
#include "peers/net/link.h"
#include "peers/net/link_options.h"

namespace baton::net {

class LinkConnection;

class Links {
 public:
  // Listens, but neither dials nor answers before start(). Throws io::ListenError.
  Links(boost::asio::io_context& io, LinkOptions options, LinkEvents& events);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  void start();
  // To one other member. Throws std::invalid_argument if it is none.
  Link& link(NodeId peer) const;
  // A connected member reads more slowly than this one sends.
  bool is_congested() const;
  std::uint16_t port() const { return listener_->address().port; }
  // The loop has nothing to do. True if it should look again at once instead of sleeping, because a
  // member will probably send a message.
  bool stays_awake() { return poller_.busy_poll().stays(std::chrono::steady_clock::now()); }

  // For links and connections.
  const LinkOptions& options() const { return options_; }
  LinkEvents& events() { return events_; }
  boost::asio::io_context& io() { return io_; }
  io::Poller& poller() { return poller_; }
  const io::TlsContext* tls() const { return tls_ ? &*tls_ : nullptr; }
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
  void turn();
  void end_turn();
  void tick();
  void heed_silence(std::chrono::milliseconds silence);
  void limit_strangers();
  NodeId find(const std::string& id) const;
  std::string objection(const LinkConnection& connection, const Hello& theirs) const;

  boost::asio::io_context& io_;
  LinkOptions options_;
  LinkEvents& events_;
  std::optional<io::TlsContext> tls_;
  io::Poller poller_;
  std::optional<io::Listener> listener_;
  boost::asio::steady_timer ticker_;
  boost::asio::steady_timer confirmer_;
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
  bool is_over_ = false;
  io::Calls calls_;
};

}  // namespace baton::net
