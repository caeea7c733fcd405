// Keeps a connection from a standby to the leader, so that the standby learns at once when the
// leader dies.
//
// Only a refused connection shows that the leader is dead: its machine runs, but the process does
// not. If the leader is silent, the standby waits until the leader's lease in etcd expires. A
// firewall can also refuse connections. So as long as no connection succeeds, the probe reports a
// refusal less and less often.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace baton::server {

class LeaderProbe {
 public:
  LeaderProbe(boost::asio::io_context& io, std::function<void()> is_dead);

  // Watches this leader from now on; empty: watches nobody.
  void watch(const std::string& url);

 private:
  using Clock = std::chrono::steady_clock;
  using Socket = boost::asio::generic::stream_protocol::socket;

  void look();
  void connect_tcp(const std::string& host, std::uint16_t port, std::uint64_t round);
  void connected(const boost::system::error_code& error, std::uint64_t round);
  void listen(std::uint64_t round);
  void refused();
  void look_later(Clock::duration pause);

  boost::asio::io_context& io_;
  std::function<void()> is_dead_;
  Socket socket_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::steady_timer timer_;
  std::string url_;
  std::uint64_t round_ = 0;  // callbacks of an earlier round are ignored
  char heard_[256] = {};
  Clock::time_point connected_at_{};
  Clock::time_point believed_at_{};
  Clock::duration between_beliefs_{};
};

}  // namespace baton::server
