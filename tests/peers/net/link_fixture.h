// Several ends of links in one process, on one loop, and a peer that says exactly what a test
// wants.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/frames.h"
#include "io/reserved_port.h"
#include "peers/net/hello.h"
#include "peers/net/link_frame.h"
#include "peers/net/link_proxy.h"
#include "peers/net/links.h"

namespace baton::net {

inline constexpr NodeId a{0};
inline constexpr NodeId b{1};
inline constexpr NodeId c{2};

// How long a test waits for what must come. A slow machine is no reason to fail.
inline constexpr std::chrono::seconds patience{60};

// Writes down what it is told.
class Recorder : public LinkEvents {
 public:
  void received(NodeId from, std::string_view bytes) override {
    got[from].emplace_back(bytes);
    if (on_received) on_received(from, bytes);
  }
  void connected(NodeId peer) override { note("connected", peer, {}); }
  void disconnected(NodeId peer, const std::string& why) override { note("lost", peer, why); }
  void restarted(NodeId peer) override { note("restarted", peer, {}); }
  void was_reset(NodeId peer) override { note("was reset", peer, {}); }
  void refused(NodeId peer, const std::string& why) override { note("refused", peer, why); }
  void overflowed(NodeId peer) override { note("overflowed", peer, {}); }

  long count(const std::string& what) const {
    return std::count_if(told.begin(), told.end(),
                         [&](const std::string& one) { return one.starts_with(what); });
  }
  // The last one of a kind.
  std::string last(const std::string& what) const {
    for (auto one = told.rbegin(); one != told.rend(); ++one) {
      if (one->starts_with(what)) return *one;
    }
    return {};
  }

  std::vector<std::string> told;
  std::map<NodeId, std::vector<std::string>> got;
  std::function<void(NodeId, std::string_view)> on_received;
  std::function<void(const std::string&, NodeId)> on_told;

 private:
  void note(const std::string& what, NodeId peer, const std::string& why) {
    const std::string who =
        peer == nobody ? "?" : std::string(1, static_cast<char>('a' + peer.value));
    told.push_back(what + " " + who + (why.empty() ? "" : ": " + why));
    if (on_told) on_told(what, peer);
  }
};

class LinkTest : public testing::Test {
 protected:
  struct End {
    Recorder events;
    std::unique_ptr<Links> links;
    LinkOptions options;
    std::vector<std::string>& got(NodeId from) { return events.got[from]; }
  };

  // A group of a, b and c. Its members are begun from the last to the first, since each dials those
  // after it.
  LinkOptions options(NodeId self) const {
    LinkOptions made;
    made.group = "orchestra";
    made.dialect = "ricart-agrawala";
    made.members = {
        {"a", "127.0.0.1", ports[0]}, {"b", "127.0.0.1", ports[1]}, {"c", "127.0.0.1", ports[2]}};
    made.self = self;
    made.life = 100 + self.value;
    made.silence = std::chrono::minutes(10);
    made.first_retry = std::chrono::milliseconds(1);
    made.last_retry = std::chrono::milliseconds(20);
    return made;
  }
  void begin(End& end, LinkOptions with) {
    end.links.reset();
    end.options = with;
    end.links = std::make_unique<Links>(io, with, end.events);
    end.links->start();
  }
  void begin(End& end, NodeId self) { begin(end, options(self)); }
  // Another life, at the same address.
  void restart(End& end) {
    end.links.reset();
    end.options.life += 1000;
    begin(end, end.options);
  }
  void begin_pair() {
    begin(two, b);
    begin(one, a);
    ASSERT_TRUE(wait_until(
        [&] { return one.links->link(b).is_connected() && two.links->link(a).is_connected(); }));
  }
  // The dialer goes through a proxy.
  void begin_pair_with_proxy() {
    begin(two, b);
    proxy.lead_to(ports[1]);
    LinkOptions with = options(a);
    with.members[1].address.port = proxy.port();
    begin(one, with);
  }

  bool wait_until(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      io.restart();
      io.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  // Lets everything happen that is about to.
  void settle(std::chrono::milliseconds time = std::chrono::milliseconds(50)) {
    io.restart();
    io.run_for(time);
  }

  boost::asio::io_context io;
  io::ReservedPort reserved[3];
  const std::uint16_t ports[3] = {reserved[0].number(), reserved[1].number(), reserved[2].number()};
  LinkProxy proxy{io};
  End one;
  End two;
  End three;
};

// Knows sockets and frames, and nothing else.
class RawPeer {
 public:
  explicit RawPeer(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~RawPeer() { ::close(socket_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  // As much as is taken at once.
  std::size_t send(std::string_view bytes) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  void send_frame(FrameKind kind, std::string_view body) {
    std::string bytes;
    append_frame(bytes, kind, body);
    send(bytes);
  }
  void greet(const Hello& hello) { send_frame(FrameKind::hello, encode_hello(hello)); }

  // Reads what there is.
  void read() {
    char buffer[65536];
    while (true) {
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
      if (count == 0 || (count < 0 && errno != EAGAIN)) is_over_ = true;
      if (count <= 0) return;
      cutter_.feed({buffer, static_cast<std::size_t>(count)}, [this](std::string_view frame) {
        frames_.emplace_back(frame);
        return true;
      });
    }
  }
  // The other end has closed.
  bool is_over() {
    read();
    return is_over_;
  }
  const std::vector<std::string>& frames() {
    read();
    return frames_;
  }
  // The words of the first frame, if it is a refusal.
  std::string refusal() {
    if (frames().empty() || frames_[0].front() != 'R') return {};
    return decode_refusal(std::string_view(frames_[0]).substr(1)).value_or("not well-formed");
  }

 private:
  int socket_;
  io::FrameCutter cutter_;
  std::vector<std::string> frames_;
  bool is_over_ = false;
};

inline Hello hello_of_a() {
  Hello hello;
  hello.group = "orchestra";
  hello.dialect = "ricart-agrawala";
  hello.from = "a";
  hello.to = "b";
  hello.life = 7;
  hello.silence_ms = 600'000;
  return hello;
}

}  // namespace baton::net
