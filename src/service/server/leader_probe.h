// Keeps a connection to the server that leads, to learn at once when it dies.
//
// Only a connection that is refused tells that nobody is there any more: the leader's machine is
// up, and has no such process. Silence tells nothing; then the leader's lease in etcd has to run
// out. And since a refusal can be wrong (a firewall), it is believed less and less often as long as
// no connection comes to stand.
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

  // From now on this one leads; empty: nobody that has to be watched.
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
  std::uint64_t round_ = 0;  // what belongs to an earlier one does not count
  char heard_[256] = {};
  Clock::time_point connected_at_{};
  Clock::time_point believed_at_{};
  Clock::duration between_beliefs_{};
};

}  // namespace baton::server
