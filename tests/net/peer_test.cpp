// Members of a group on real sockets, in one process.
#include "net/peer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "support/ports.h"

namespace baton::net {
namespace {

using namespace std::chrono_literals;

struct TestMember final : PeerEvents {
  void granted(Space space, const std::string& name, const Fence& fence) override {
    held[{space, name}] = fence;
    ++grants;
    if (on_grant) on_grant(name);
  }
  void lost(Space space, const std::string& name) override {
    held.erase({space, name});
    ++losses;
  }
  void warned(const std::string& what) override { warnings.push_back(what); }
  void record(const TraceEvent& event) override { trace.push_back(event); }

  std::unique_ptr<Peer> peer;
  std::map<std::pair<Space, std::string>, Fence> held;
  int grants = 0;
  int losses = 0;
  std::vector<std::string> warnings;
  std::vector<TraceEvent> trace;
  std::function<void(const std::string&)> on_grant;
};

class PeersTest : public testing::Test {
 protected:
  void build(std::uint32_t size, const std::string& algorithm = "ricart-agrawala",
             bool traced = false) {
    file_.algorithm = algorithm;
    file_.heartbeat = 20ms;
    const std::vector<std::uint16_t> ports = test::free_ports(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      file_.members.push_back({std::to_string(i + 1), "127.0.0.1", ports[i]});
      members_.push_back(std::make_unique<TestMember>());
    }
    traced_ = traced;
    for (std::uint32_t i = 0; i < size; ++i) start({i});
  }
  void start(NodeId node) {
    TestMember& one = *members_[node.value];
    one.held.clear();
    one.peer = std::make_unique<Peer>(
        io_, PeerOptions{.group = file_, .self = node, .traced = traced_}, one);
    one.peer->start();
  }
  // Runs until it holds, for ten seconds at most.
  bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io_.run_for(1ms);
      io_.restart();
    }
    return true;
  }
  void run_for(std::chrono::milliseconds time) {
    io_.run_for(time);
    io_.restart();
  }
  bool all_work() {
    return std::all_of(members_.begin(), members_.end(), [](const auto& one) {
      return one->peer == nullptr || one->peer->is_working();
    });
  }
  bool holds(NodeId node, const std::string& name, Space space = Space::lock) {
    return members_[node.value]->held.contains({space, name});
  }
  Peer& peer(NodeId node) { return *members_[node.value]->peer; }

  boost::asio::io_context io_;
  GroupFile file_;
  bool traced_ = false;
  std::vector<std::unique_ptr<TestMember>> members_;
};

TEST_F(PeersTest, TakeTurns) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); })) << peer({0}).trouble();
  peer({0}).request(Space::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  peer({1}).request(Space::lock, "x");
  peer({1}).request(Space::lock, "y");
  ASSERT_TRUE(until([&] { return holds({1}, "y"); })) << "names have nothing to do with each other";
  EXPECT_FALSE(holds({1}, "x"));
  const Fence before = members_[0]->held[{Space::lock, "x"}];
  members_[0]->held.clear();
  peer({0}).release(Space::lock, "x");
  ASSERT_TRUE(until([&] { return holds({1}, "x"); }));
  const Fence after = members_[1]->held[{Space::lock, "x"}];
  EXPECT_LT(before, after);
}

TEST_F(PeersTest, SendWhatThePaperSays) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  const std::uint64_t before = peer({2}).group().counters().of_algorithms() +
                               peer({0}).group().counters().of_algorithms() +
                               peer({1}).group().counters().of_algorithms();
  for (int i = 0; i < 10; ++i) {
    peer({2}).request(Space::lock, "x");
    ASSERT_TRUE(until([&] { return holds({2}, "x"); }));
    members_[2]->held.clear();
    peer({2}).release(Space::lock, "x");
  }
  const std::uint64_t after = peer({2}).group().counters().of_algorithms() +
                              peer({0}).group().counters().of_algorithms() +
                              peer({1}).group().counters().of_algorithms();
  EXPECT_EQ(after - before, 10 * 2 * (3 - 1));
}

TEST_F(PeersTest, GoOnWithoutOneThatIsGone) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  peer({0}).request(Space::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  peer({1}).request(Space::lock, "x");
  run_for(50ms);
  EXPECT_FALSE(holds({1}, "x"));
  const Fence before = members_[0]->held[{Space::lock, "x"}];
  members_[0]->peer.reset();
  ASSERT_TRUE(until([&] { return holds({1}, "x"); })) << "the holder is gone";
  EXPECT_LT(before, (members_[1]->held[{Space::lock, "x"}]));
}

// The next tick is due when it would have been without the pause, so that time is not lost.
TEST_F(PeersTest, ArePromisedNothingAfterAPause) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  ASSERT_TRUE(until([&] { return peer({0}).promised() > 15 * file_.heartbeat; }))
      << "all but what it takes to confirm";
  EXPECT_LE(peer({0}).promised(), file_.lease * file_.heartbeat);
  peer({0}).request(Space::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  std::this_thread::sleep_for(file_.lease * file_.heartbeat);
  EXPECT_EQ(peer({0}).promised(), 0us) << "whatever may be waiting in its sockets";
  ASSERT_TRUE(until([&] { return members_[0]->losses == 1; }));
}

TEST_F(PeersTest, WaitForAMajorityAndSayForWhom) {
  build(3);
  members_[1]->peer.reset();
  members_[2]->peer.reset();
  run_for(200ms);
  EXPECT_FALSE(peer({0}).is_working());
  EXPECT_NE(peer({0}).trouble().find("only 1 of 3 members"), std::string::npos)
      << peer({0}).trouble();
  EXPECT_NE(peer({0}).trouble().find("Waiting for 2"), std::string::npos) << peer({0}).trouble();
}

TEST_F(PeersTest, WithAnotherAlgorithmAreToldSo) {
  build(2);
  members_[1]->peer.reset();
  file_.algorithm = "suzuki-kasami";
  start({1});
  ASSERT_TRUE(until([&] { return !members_[1]->warnings.empty(); }));
  EXPECT_NE(members_[1]->warnings.front().find("ricart-agrawala"), std::string::npos)
      << members_[1]->warnings.front();
}

TEST_F(PeersTest, Elect) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  peer({0}).request(Space::election, "boss");
  peer({1}).request(Space::election, "boss");
  const auto leads = [&](NodeId node) { return holds(node, "boss", Space::election); };
  ASSERT_TRUE(until([&] { return leads({0}) || leads({1}); }));
  const NodeId first{leads({0}) ? 0U : 1U};
  const NodeId second{1 - first.value};
  EXPECT_FALSE(leads(second));
  members_[first.value]->held.clear();
  peer(first).release(Space::election, "boss");
  EXPECT_TRUE(until([&] { return leads(second); }));
}

}  // namespace
}  // namespace baton::net
