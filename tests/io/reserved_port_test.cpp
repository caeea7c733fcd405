#include "io/reserved_port.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <set>
#include <vector>

namespace baton::io {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

class ReservedPortTest : public testing::Test {
 protected:
  tcp::endpoint there() const { return {asio::ip::address_v4::loopback(), port.number()}; }
  // As servers do.
  tcp::acceptor listen() { return {io, there(), true}; }
  error_code connect() {
    tcp::socket socket(io);
    error_code error;
    socket.connect(there(), error);
    return error;
  }

  asio::io_context io;
  ReservedPort port;
};

TEST_F(ReservedPortTest, RefusesConnectionsUntilAServerListens) {
  EXPECT_EQ(connect(), asio::error::connection_refused);
  const tcp::acceptor server = listen();
  EXPECT_EQ(connect(), error_code());
}

TEST_F(ReservedPortTest, TakesAServerAgainAndAgain) {
  for (int round = 0; round < 3; ++round) {
    tcp::acceptor server = listen();
    // The server ends first: something of the connection stays in the system.
    tcp::socket client(io);
    client.connect(there());
    server.accept().close();
    server.close();
    EXPECT_EQ(connect(), asio::error::connection_refused);
  }
}

TEST_F(ReservedPortTest, TakesOneServerAtATime) {
  const tcp::acceptor server = listen();
  EXPECT_THROW(listen(), boost::system::system_error);
}

TEST_F(ReservedPortTest, IsNotFreeForWhoLooksForOne) {
  tcp::acceptor stranger(io, tcp::v4());
  error_code error;
  stranger.bind(there(), error);
  EXPECT_EQ(error, asio::error::address_in_use);
}

TEST_F(ReservedPortTest, IsGivenToNobodyElse) {
  std::set<std::uint16_t> numbers = {port.number()};
  std::vector<ReservedPort> others(200);
  for (const ReservedPort& one : others) EXPECT_TRUE(numbers.insert(one.number()).second);
}

}  // namespace
}  // namespace baton::io
