// Members of a group on real sockets, in one process.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <thread>

#include "peers/net/peer_fixture.h"

namespace baton::net {
namespace {

using namespace std::chrono_literals;

TEST_F(PeersTest, TakeTurns) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); })) << peer({0}).trouble();
  peer({0}).request(Namespace::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  peer({1}).request(Namespace::lock, "x");
  peer({1}).request(Namespace::lock, "y");
  ASSERT_TRUE(until([&] { return holds({1}, "y"); })) << "names have nothing to do with each other";
  EXPECT_FALSE(holds({1}, "x"));
  const FencingToken before = members_[0]->held[{Namespace::lock, "x"}];
  members_[0]->held.clear();
  peer({0}).release(Namespace::lock, "x");
  ASSERT_TRUE(until([&] { return holds({1}, "x"); }));
  const FencingToken after = members_[1]->held[{Namespace::lock, "x"}];
  EXPECT_LT(before, after);
}

TEST_F(PeersTest, SendWhatThePaperSays) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  const std::uint64_t before = peer({2}).group().counters().of_algorithms() +
                               peer({0}).group().counters().of_algorithms() +
                               peer({1}).group().counters().of_algorithms();
  for (int i = 0; i < 10; ++i) {
    peer({2}).request(Namespace::lock, "x");
    ASSERT_TRUE(until([&] { return holds({2}, "x"); }));
    members_[2]->held.clear();
    peer({2}).release(Namespace::lock, "x");
  }
  const std::uint64_t after = peer({2}).group().counters().of_algorithms() +
                              peer({0}).group().counters().of_algorithms() +
                              peer({1}).group().counters().of_algorithms();
  EXPECT_EQ(after - before, 10 * 2 * (3 - 1));
}

TEST_F(PeersTest, GoOnWithoutOneThatIsGone) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  peer({0}).request(Namespace::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  peer({1}).request(Namespace::lock, "x");
  run_for(50ms);
  EXPECT_FALSE(holds({1}, "x"));
  const FencingToken before = members_[0]->held[{Namespace::lock, "x"}];
  members_[0]->peer.reset();
  ASSERT_TRUE(until([&] { return holds({1}, "x"); })) << "the holder is gone";
  EXPECT_LT(before, (members_[1]->held[{Namespace::lock, "x"}]));
}

// The next tick is due when it would have been without the pause, so that time is not lost.
TEST_F(PeersTest, ArePromisedNothingAfterAPause) {
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  ASSERT_TRUE(until([&] { return peer({0}).promised() > 15 * file_.heartbeat; }))
      << "all but what it takes to confirm";
  EXPECT_LE(peer({0}).promised(), file_.lease * file_.heartbeat);
  peer({0}).request(Namespace::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  std::this_thread::sleep_for(file_.lease * file_.heartbeat);
  EXPECT_EQ(peer({0}).promised(), 0us) << "whatever may be waiting in its sockets";
  ASSERT_TRUE(until([&] { return members_[0]->losses == 1; }));
}

TEST_F(PeersTest, BeginAnewOnceAndAfterALeaseIfSeveralLinksOverflow) {
  file_.lease = 200;  // longer than it takes to say so much
  build(3);
  ASSERT_TRUE(until([&] { return all_work(); }));
  peer({0}).request(Namespace::lock, "x");
  ASSERT_TRUE(until([&] { return holds({0}, "x"); }));
  const Incarnation life = peer({0}).group().members().durable().incarnation;
  const std::string words(1'000'000, 'x');
  boost::asio::post(io_, [&] {
    for (int i = 0; i < 80; ++i) {
      for (const NodeId other : {NodeId{1}, NodeId{2}}) peer({0}).tell(other, words);
    }
  });
  ASSERT_TRUE(until([&] { return members_[0]->losses == 1; }));
  EXPECT_NE(peer({0}).trouble().find("waits until the promises to them have expired"),
            std::string::npos)
      << peer({0}).trouble();
  ASSERT_TRUE(until([&] { return all_work(); }));
  EXPECT_EQ(peer({0}).group().members().durable().incarnation, Incarnation{life.value + 1});
  const auto& warnings = members_[0]->warnings;
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(),
                          [](const std::string& one) { return one.find("starts over") == 12; }),
            1);
  peer({1}).request(Namespace::lock, "x");
  EXPECT_TRUE(until([&] { return holds({1}, "x"); }));
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
  peer({0}).request(Namespace::election, "boss");
  peer({1}).request(Namespace::election, "boss");
  const auto leads = [&](NodeId node) { return holds(node, "boss", Namespace::election); };
  ASSERT_TRUE(until([&] { return leads({0}) || leads({1}); }));
  const NodeId first{leads({0}) ? 0U : 1U};
  const NodeId second{1 - first.value};
  EXPECT_FALSE(leads(second));
  members_[first.value]->held.clear();
  peer(first).release(Namespace::election, "boss");
  EXPECT_TRUE(until([&] { return leads(second); }));
}

}  // namespace
}  // namespace baton::net
