// A member that says what no member would say, and others who are none.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "peers/member/band.h"
#include "peers/net/group_file.h"
#include "peers/net/hello.h"
#include "peers/net/link_frame.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// Speaks to a member with the test's own words.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  void say(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void greet(const net::Hello& hello) {
    std::string frame;
    const std::size_t begin = net::begin_frame(frame, net::FrameKind::hello);
    frame += net::encode_hello(hello);
    net::end_frame(frame, begin);
    say(frame);
  }
  // Anything at all.
  bool is_answered() {
    char byte = 0;
    return ::recv(socket_, &byte, 1, 0) == 1;
  }
  // Reads on until the other end closes.
  bool is_hung_up_on() {
    std::string bytes(4096, '\0');
    ssize_t count = 0;
    while ((count = ::recv(socket_, bytes.data(), bytes.size(), 0)) > 0) {
    }
    return count == 0 || errno == ECONNRESET;
  }

 private:
  int socket_;
};

std::string messages(const std::vector<std::string>& all) {
  std::string frame;
  const std::size_t begin = net::begin_frame(frame, net::FrameKind::messages);
  net::append_varint(frame, 0);
  for (const std::string& one : all) {
    net::append_message(frame, one, net::Delivery::reliable);
  }
  net::end_frame(frame, begin);
  return frame;
}

// The test is the first member, which dials the two others.
class Strangers : public testing::Test {
 protected:
  // Who lies can break everything: only the members' lives are at stake.
  Strangers() : band_({.starts = false, .is_judged = false}) {
    band_.start(1);
    band_.start(2);
    band_.wait_until_all_work();
  }

  net::Hello hello() const {
    const net::GroupFile group = net::read_group(band_.group_file(1).string());
    return {.group = group.group,
            .dialect = group.dialect(),
            .from = "1",
            .to = "2",
            .life = 7,
            .silence_ms = 100'000};
  }

  // Two clients, of both members, have their turns.
  void expect_unharmed() {
    EXPECT_TRUE(band_.is_running(1) && band_.is_running(2));
    for (const std::size_t member : {1, 2}) {
      Client client = band_.connect(member);
      auto lock = client.lock("till", {.wait = 60s});
      EXPECT_TRUE(lock) << lock.message() << "\n" << band_.logs();
    }
    const auto said = lines(band_.log(1));
    EXPECT_LT(said, 100U) << "it says too much\n" << band_.log(1).substr(0, 4000);
  }

  Band band_;
};

TEST_F(Strangers, AnotherGroupIsTurnedAway) {
  Stranger stranger(band_.port(1));
  net::Hello other = hello();
  other.group = "choir";
  stranger.greet(other);
  EXPECT_TRUE(stranger.is_hung_up_on());
  EXPECT_TRUE(band_.will_say(1, "'1' is of group 'choir', '2' of group 'band'")) << band_.log(1);
  expect_unharmed();
}

TEST_F(Strangers, AnotherAlgorithmIsTurnedAwayInWords) {
  Stranger stranger(band_.port(1));
  net::Hello other = hello();
  other.dialect = "suzuki-kasami";
  stranger.greet(other);
  EXPECT_TRUE(stranger.is_hung_up_on());
  EXPECT_TRUE(band_.will_say(1, "'1' runs with suzuki-kasami, '2' with ricart-agrawala"))
      << band_.log(1);
  expect_unharmed();
}

TEST_F(Strangers, AFrameWithoutEndIsNotListenedTo) {
  Stranger stranger(band_.port(1));
  stranger.greet(hello());
  ASSERT_TRUE(stranger.is_answered());
  stranger.say("\xFF\xFF\xFF\xFF");
  stranger.say(std::string(1 << 20, 'x'));
  EXPECT_TRUE(stranger.is_hung_up_on());
  EXPECT_TRUE(band_.will_say(1, "a frame is longer than it may be")) << band_.log(1);
  expect_unharmed();
}

TEST_F(Strangers, GarbageInGoodFramesIsSaidOnceAndDoesNoHarm) {
  std::minstd_rand random(1);
  for (int round = 0; round < 5; ++round) {
    Stranger stranger(band_.port(1));
    net::Hello mine = hello();
    mine.life = 100 + static_cast<std::uint64_t>(round);
    stranger.greet(mine);
    ASSERT_TRUE(stranger.is_answered()) << band_.log(1);
    for (int i = 0; i < 200; ++i) {
      std::vector<std::string> all(5);
      for (std::string& one : all) {
        one.resize(1 + random() % 60);
        for (char& byte : one) byte = static_cast<char>(random());
        one.front() = static_cast<char>(random() % 6);  // all kinds that there are
      }
      stranger.say(messages(all));
    }
    stranger.say(messages({std::string((1 << 20) - 1, '\x02')}));
  }
  EXPECT_TRUE(band_.will_say(1, "member 1 sends what no member of this group would send"))
      << band_.log(1);
  expect_unharmed();
}

TEST_F(Strangers, BytesOfNoMeaningAreNoGreeting) {
  for (const std::string& words : {std::string("GET / HTTP/1.1\r\n\r\n"),
                                   std::string(100'000, '\0'), std::string("\x16\x03\x01")}) {
    Stranger stranger(band_.port(1));
    stranger.say(words);
    EXPECT_TRUE(stranger.is_hung_up_on());
  }
  EXPECT_TRUE(band_.will_say(1, "the first message is not a Hello of a member of a Baton group"))
      << band_.log(1);
  expect_unharmed();
}

TEST_F(Strangers, WhoSaysNothingKeepsNobodyOut) {
  std::vector<std::unique_ptr<Stranger>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<Stranger>(band_.port(2)));
  band_.start(0);
  band_.wait_until_all_work();
  expect_unharmed();
}

}  // namespace
}  // namespace baton::test
