// How soon a member is dialled again.
#include "peers/net/link_dialer.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <thread>

namespace baton::net {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::ip::tcp;

class LinkDialerTest : public testing::Test {
 protected:
  // Connects, and the connection ends after so long. Whether it is dialled anew before 50 ms are
  // over: of two timers the one that is due first is served first, however late.
  bool is_dialled_at_once(std::chrono::milliseconds pause, std::chrono::milliseconds after) {
    bool is_connected = false;
    LinkDialer dialer(
        io, {"127.0.0.1", listener.local_endpoint().port()}, {pause, pause, 60s},
        [&](int socket) {
          ::close(socket);
          is_connected = true;
        },
        [](const std::string& why) { ADD_FAILURE() << why; });
    dialer.dial();
    while (!is_connected) io.run_one();
    listener.accept();
    std::this_thread::sleep_for(after);
    dialer.dial_later();
    bool is_dialled = false;
    asio::steady_timer verdict(io, 50ms);
    verdict.async_wait([&](const boost::system::error_code&) {
      // What was begun before comes even now that the loop stands still.
      pollfd come{listener.native_handle(), POLLIN, 0};
      is_dialled = ::poll(&come, 1, 1000) == 1;
      io.stop();
    });
    io.run();
    return is_dialled;
  }

  asio::io_context io;
  tcp::acceptor listener{io, {asio::ip::address_v4::loopback(), 0}};
};

TEST_F(LinkDialerTest, AConnectionThatStoodForAWhileIsMadeAnewAtOnce) {
  EXPECT_TRUE(is_dialled_at_once(200ms, 200ms));
}

TEST_F(LinkDialerTest, AConnectionThatEndsAtOnceIsMadeAnewAfterAPause) {
  EXPECT_FALSE(is_dialled_at_once(1h, 0ms));
}

}  // namespace
}  // namespace baton::net
