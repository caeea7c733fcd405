// Connects to one address, and retries until it succeeds. The pauses between attempts grow.
//
// A pause counts from the beginning of one attempt to the beginning of the next. If a connection
// lasted longer than the pause, the dialer dials again at once when it breaks. So even a connection
// that breaks again and again exists most of the time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/address.h"

namespace baton::net {

class LinkDialer {
 public:
  struct Times {
    std::chrono::milliseconds first_retry;
    std::chrono::milliseconds last_retry;
    std::chrono::milliseconds to_connect;
  };
  // connected(socket): it is the receiver's from then on.
  using Connected = std::function<void(int socket)>;
  using Failed = std::function<void(const std::string& why)>;

  LinkDialer(boost::asio::io_context& io, io::HostPort address, Times times, Connected connected,
             Failed failed);

  void dial();
  void dial_later();
  void stop();
  // The connection worked: the next pause is the shortest one.
  void succeeded() { pause_ = times_.first_retry; }

 private:
  using Tcp = boost::asio::ip::tcp;
  // Calls `what` unless the attempt is over by then, or all is.
  template <class What>
  auto during_this_attempt(What what);
  void connect(const Tcp::resolver::results_type& addresses);
  void fail(const std::string& why);

  io::HostPort address_;
  Times times_;
  Connected connected_;
  Failed failed_;
  std::chrono::milliseconds pause_;
  std::chrono::steady_clock::time_point dialled_at_;
  Tcp::resolver resolver_;
  std::shared_ptr<Tcp::socket> socket_;  // of this attempt
  boost::asio::steady_timer timer_;
  std::shared_ptr<std::uint64_t> attempt_;  // its number
};

}  // namespace baton::net
