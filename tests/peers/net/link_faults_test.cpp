// Links over connections that break, between members that restart.
#include <random>

#include "peers/net/link_fixture.h"
#include "support/seeds.h"

namespace baton::net {
namespace {

using Texts = std::vector<std::string>;

class LinkFaults : public LinkTest {
 protected:
  bool are_connected() {
    return one.links->link(b).is_connected() && two.links->link(a).is_connected();
  }

  static void expect_count_up(const Texts& texts, std::size_t count) {
    ASSERT_EQ(texts.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(texts[i].substr(0, texts[i].find(' ')), std::to_string(i));
    }
  }
};

TEST_F(LinkFaults, InOrderAndOnceOverAThousandBrokenConnections) {
  const std::uint64_t seed = test::from_environment("BATON_FIRST_SEED", 1);
  SCOPED_TRACE("BATON_FIRST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  begin_pair_with_proxy();
  // From the middle of the first greeting to some frames later.
  proxy.cut_after([&] { return random() % (random() % 2 == 0 ? 200 : 20'000); });
  std::size_t sent_by_a = 0;
  std::size_t sent_by_b = 0;
  const auto text = [&](std::size_t& number) {
    return std::to_string(number++) + " " + std::string(random() % 300, 'x');
  };
  ASSERT_TRUE(wait_until([&] {
    if (sent_by_a < two.got(a).size() + 200) one.links->link(b).send(text(sent_by_a));
    if (sent_by_b < one.got(b).size() + 200) two.links->link(a).send(text(sent_by_b));
    return proxy.cuts() >= 1000;
  })) << proxy.cuts();
  proxy.never_cut();
  proxy.cut_all();
  ASSERT_TRUE(
      wait_until([&] { return two.got(a).size() >= sent_by_a && one.got(b).size() >= sent_by_b; }));
  expect_count_up(two.got(a), sent_by_a);
  expect_count_up(one.got(b), sent_by_b);
  EXPECT_EQ(one.events.count("restarted") + one.events.count("was reset"), 0);
  EXPECT_EQ(two.events.count("restarted") + two.events.count("was reset"), 0);
  EXPECT_EQ(one.events.count("refused") + two.events.count("refused"), 0);
  EXPECT_GT(one.links->link(b).counters().connections, 100U);
}

TEST_F(LinkFaults, AConnectionThatCarriesNothingIsMadeAnew) {
  begin(two, b);
  proxy.lead_to(ports[1]);
  LinkOptions with = options(a);
  with.members[1].address.port = proxy.port();
  with.silence = std::chrono::milliseconds(200);
  begin(one, with);
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  proxy.freeze();
  one.links->link(b).send("from a");
  two.links->link(a).send("from b");
  ASSERT_TRUE(wait_until([&] { return !two.got(a).empty() && !one.got(b).empty(); }));
  EXPECT_EQ(two.got(a), Texts{"from a"});
  EXPECT_EQ(one.got(b), Texts{"from b"});
  EXPECT_EQ(one.events.last("lost"), "lost b: the other end has been silent for 200 ms");
  EXPECT_EQ(two.events.last("lost"), "lost a: a newer connection replaced it");
}

TEST_F(LinkFaults, WhoHasNothingToSayIsNotTakenForSilent) {
  begin(two, b);  // allows ten minutes itself
  LinkOptions with = options(a);
  with.silence = std::chrono::milliseconds(400);
  begin(one, with);
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  const std::uint64_t before = one.links->link(b).counters().bytes_read;
  ASSERT_TRUE(wait_until([&] { return one.links->link(b).counters().bytes_read > before + 40; }));
  EXPECT_EQ(one.events.count("lost"), 0);
}

TEST_F(LinkFaults, APauseOfThisProcessIsNotTakenForSilenceOfOthers) {
  begin(two, b);
  LinkOptions with = options(a);
  with.silence = std::chrono::milliseconds(100);
  begin(one, with);
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  for (int i = 0; i < 5; ++i) {
    ::usleep(300'000);  // nobody's loop runs
    settle();
  }
  EXPECT_EQ(one.events.count("lost"), 0);
}

TEST_F(LinkFaults, NothingIsSentTwiceNowOrNever) {
  begin_pair_with_proxy();
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  proxy.freeze();
  one.links->link(b).send_if_connected("heartbeat");
  one.links->link(b).send("message");
  settle();
  proxy.cut_all();
  ASSERT_TRUE(wait_until([&] { return !two.got(a).empty(); }));
  settle();
  EXPECT_EQ(two.got(a), Texts{"message"});
}

TEST_F(LinkFaults, ConnectionsThatWereOfUseAreNotDialledLessAndLessOften) {
  begin(two, b);
  proxy.lead_to(ports[1]);
  LinkOptions with = options(a);
  with.members[1].address.port = proxy.port();
  with.last_retry = std::chrono::hours(1);
  begin(one, with);
  // Each pause twice as long as the one before would be hours in the end.
  for (std::uint64_t round = 1; round <= 25; ++round) {
    ASSERT_TRUE(wait_until([&] {
      return are_connected() && one.links->link(b).counters().connections == round;
    })) << round;
    proxy.cut_all();
  }
}

TEST_F(LinkFaults, ANewerConnectionEndsTheOneBefore) {
  begin(two, b);
  RawPeer first(ports[1]);
  first.greet(hello_of_a());
  ASSERT_TRUE(wait_until([&] { return two.links->link(a).counters().connections == 1; }));
  RawPeer second(ports[1]);
  second.greet(hello_of_a());
  ASSERT_TRUE(wait_until([&] { return first.is_over(); }));
  EXPECT_FALSE(second.is_over());
  EXPECT_TRUE(two.links->link(a).is_connected());
}

// --- Restarts -----------------------------------------------------------------------------------

TEST_F(LinkFaults, WhatWasForAnEarlierLifeIsNotGivenToTheNext) {
  for (const bool dialer_restarts : {false, true}) {
    SCOPED_TRACE(dialer_restarts);
    one = {};
    two = {};
    begin_pair_with_proxy();
    ASSERT_TRUE(wait_until([&] { return are_connected(); }));
    End& old = dialer_restarts ? one : two;
    End& other = dialer_restarts ? two : one;
    const NodeId old_id = dialer_restarts ? a : b;
    const NodeId other_id = dialer_restarts ? b : a;
    other.links->link(old_id).send("arrives");
    old.links->link(other_id).send("arrives");
    ASSERT_TRUE(wait_until([&] { return !one.got(b).empty() && !two.got(a).empty(); }));
    proxy.freeze();
    other.links->link(old_id).send("for the first life");
    settle();
    restart(old);
    proxy.lead_to(ports[1]);
    proxy.cut_all();
    old.links->link(other_id).send("from the second life");
    ASSERT_TRUE(wait_until([&] { return other.events.count("restarted") == 1; }));
    other.links->link(old_id).send("for the second life");
    ASSERT_TRUE(wait_until([&] { return old.got(other_id).size() == 2; }));
    EXPECT_EQ(old.got(other_id), (Texts{"arrives", "for the second life"}));
    ASSERT_TRUE(wait_until([&] { return other.got(old_id).size() == 2; }));
    EXPECT_EQ(other.got(old_id), (Texts{"arrives", "from the second life"}));
    EXPECT_EQ(old.events.count("restarted"), 0);
  }
}

TEST_F(LinkFaults, ARestartIsToldBeforeTheConnection) {
  begin_pair();
  restart(two);
  ASSERT_TRUE(wait_until([&] { return one.events.count("connected") == 2; }));
  ASSERT_EQ(one.events.told.size(), 4U);
  EXPECT_EQ(one.events.told[2], "restarted b");
  EXPECT_EQ(one.events.told[3], "connected b");
}

TEST_F(LinkFaults, OfTwoProcessesWithOneNameTheEarlierIsTurnedAway) {
  begin_pair();
  End impostor;
  LinkOptions with = options(a);
  with.life = 999;
  with.members[0].address.port = 0;  // another one
  begin(impostor, with);
  ASSERT_TRUE(wait_until([&] { return one.events.count("refused") == 1; }));
  EXPECT_EQ(one.events.last("refused"),
            "refused b: it says: another process has used the name 'a' since: give each member its "
            "own name, and run it once");
  settle();
  EXPECT_EQ(two.events.count("restarted"), 1) << "they do not take turns";
  EXPECT_TRUE(impostor.links->link(b).is_connected());
  EXPECT_EQ(two.events.count("refused"), 1);
}

// --- Resets -------------------------------------------------------------------------------------

TEST_F(LinkFaults, AResetForgetsWhatIsUnconfirmedInBothDirections) {
  for (const bool dialer_resets : {false, true}) {
    SCOPED_TRACE(dialer_resets);
    one = {};
    two = {};
    begin_pair_with_proxy();
    ASSERT_TRUE(wait_until([&] { return are_connected(); }));
    one.links->link(b).send("before");
    two.links->link(a).send("before");
    ASSERT_TRUE(wait_until([&] { return !one.got(b).empty() && !two.got(a).empty(); }));
    proxy.freeze();
    one.links->link(b).send("lost");
    two.links->link(a).send("lost");
    settle();
    End& resetting = dialer_resets ? one : two;
    End& other = dialer_resets ? two : one;
    resetting.links->link(dialer_resets ? b : a).reset();
    resetting.links->link(dialer_resets ? b : a).send("after");
    proxy.cut_all();
    ASSERT_TRUE(wait_until([&] { return other.events.count("was reset") == 1; }));
    other.links->link(dialer_resets ? a : b).send("after");
    ASSERT_TRUE(wait_until([&] { return one.got(b).size() == 2 && two.got(a).size() == 2; }));
    EXPECT_EQ(one.got(b), (Texts{"before", "after"}));
    EXPECT_EQ(two.got(a), (Texts{"before", "after"}));
    EXPECT_EQ(resetting.events.count("was reset"), 0);
    EXPECT_EQ(resetting.events.count("restarted") + other.events.count("restarted"), 0);
  }
}

TEST_F(LinkFaults, AResetWhileItDialsForgetsAsWell) {
  for (int turns = 0; turns < 16; ++turns) {
    SCOPED_TRACE(turns);
    one = {};
    two = {};
    begin_pair_with_proxy();
    ASSERT_TRUE(wait_until([&] { return are_connected(); }));
    proxy.freeze();
    two.links->link(a).send("lost");
    settle(std::chrono::milliseconds(2));
    const std::size_t before = proxy.connections();
    proxy.cut_all();
    ASSERT_TRUE(wait_until([&] { return proxy.connections() > before; }));
    // Its Hello may be under way by now, and the answer.
    io.restart();
    for (int i = 0; i < turns && !one.links->link(b).is_connected(); ++i) io.poll_one();
    if (one.links->link(b).is_connected()) break;
    one.links->link(b).reset();
    ASSERT_TRUE(wait_until([&] { return two.events.count("was reset") == 1; }));
    two.links->link(a).send("after");
    ASSERT_TRUE(wait_until([&] { return !one.got(b).empty(); }));
    EXPECT_EQ(one.got(b), Texts{"after"});
  }
}

TEST_F(LinkFaults, AResetForgetsWhatWasNowOrNever) {
  begin_pair();
  one.links->link(b).send_if_connected("heartbeat");
  one.links->link(b).reset();
  one.links->link(b).send("after");
  ASSERT_TRUE(wait_until([&] { return !two.got(a).empty(); }));
  settle();
  EXPECT_EQ(two.got(a), Texts{"after"});
}

TEST_F(LinkFaults, BothMayResetAtOnce) {
  begin_pair();
  for (std::size_t round = 1; round <= 20; ++round) {
    one.links->link(b).reset();
    two.links->link(a).reset();
    one.links->link(b).send(std::to_string(round));
    two.links->link(a).send(std::to_string(round));
    ASSERT_TRUE(
        wait_until([&] { return one.got(b).size() == round && two.got(a).size() == round; }));
    EXPECT_EQ(one.got(b).back(), std::to_string(round));
    EXPECT_EQ(two.got(a).back(), std::to_string(round));
  }
}

TEST_F(LinkFaults, AResetInTheMiddleOfAFrameKeepsTheRestOfItAway) {
  begin_pair();
  two.events.on_received = [&](NodeId, std::string_view bytes) {
    if (bytes == "2") two.links->link(a).reset();
  };
  for (int i = 0; i < 5; ++i) one.links->link(b).send(std::to_string(i));
  ASSERT_TRUE(wait_until([&] { return one.events.count("was reset") == 1; }));
  one.links->link(b).send("anew");
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == 4; }));
  EXPECT_EQ(two.got(a), (Texts{"0", "1", "2", "anew"}));
}

// --- Too much -----------------------------------------------------------------------------------

TEST_F(LinkFaults, TooMuchForOneThatIsAwayGivesTheLinkUp) {
  begin(two, b);
  proxy.lead_to(ports[1]);
  LinkOptions with = options(a);
  with.members[1].address.port = proxy.port();
  with.most_unconfirmed_bytes = 10'000;
  begin(one, with);
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  proxy.lead_to(1);
  proxy.cut_all();
  ASSERT_TRUE(wait_until([&] { return !one.links->link(b).is_connected(); }));
  for (int i = 0; i < 100; ++i) one.links->link(b).send(std::string(1000, 'x'));
  ASSERT_TRUE(wait_until([&] { return one.events.count("overflowed") > 0; }));
  proxy.lead_to(ports[1]);
  settle();
  EXPECT_FALSE(one.links->link(b).is_connected());
  EXPECT_EQ(one.events.count("overflowed"), 1);
  one.links->link(b).reset();
  one.links->link(b).send("anew");
  ASSERT_TRUE(wait_until([&] { return !two.got(a).empty(); }));
  EXPECT_EQ(two.got(a), Texts{"anew"});
  EXPECT_EQ(two.events.count("was reset"), 1);
}

TEST_F(LinkFaults, WhoIsDialledGivesUpLikewise) {
  LinkOptions with = options(b);
  with.most_unconfirmed_bytes = 10'000;
  begin(two, with);
  begin(one, a);
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  for (int i = 0; i < 100; ++i) two.links->link(a).send(std::string(1000, 'x'));
  ASSERT_TRUE(wait_until([&] { return one.events.count("refused") == 1; }));
  EXPECT_EQ(one.events.last("refused"),
            "refused b: it says: the other end confirmed too little, so this end gave up the link");
  EXPECT_EQ(two.events.count("overflowed"), 1);
  EXPECT_TRUE(one.got(b).empty());
  two.links->link(a).reset();
  two.links->link(a).send("anew");
  ASSERT_TRUE(wait_until([&] { return !one.got(b).empty(); }));
  EXPECT_EQ(one.got(b), Texts{"anew"});
  EXPECT_EQ(one.events.count("was reset"), 1);
}

TEST_F(LinkFaults, OneThatDoesNotReadIsNoticed) {
  LinkOptions with = options(b);
  with.most_unconfirmed_bytes = 32 * 1024 * 1024;
  begin(two, with);
  RawPeer peer(ports[1]);
  peer.greet(hello_of_a());
  ASSERT_TRUE(wait_until([&] { return two.links->link(a).is_connected(); }));
  EXPECT_FALSE(two.links->is_congested());
  const std::string portion(100'000, 'x');
  ASSERT_TRUE(wait_until([&] {
    two.links->link(a).send(portion);
    return two.links->is_congested();
  }));
  two.links->link(a).send_if_connected("in the way of nothing");
  ASSERT_TRUE(wait_until([&] {
    two.links->link(a).send(portion);
    return two.events.count("overflowed") == 1;
  }));
  EXPECT_FALSE(two.links->is_congested());
  EXPECT_FALSE(two.links->link(a).is_connected());
}

TEST_F(LinkFaults, NowOrNeverIsNeverForOneThatDoesNotRead) {
  begin(two, b);
  RawPeer peer(ports[1]);
  peer.greet(hello_of_a());
  ASSERT_TRUE(wait_until([&] { return two.links->link(a).is_connected(); }));
  for (int i = 0; i < 200; ++i) two.links->link(a).send(std::string(100'000, 'x'));
  settle();
  ASSERT_TRUE(two.links->is_congested());
  const std::uint64_t before = two.links->link(a).counters().messages_sent;
  two.links->link(a).send_if_connected("heartbeat");
  EXPECT_EQ(two.links->link(a).counters().messages_sent, before);
}

TEST_F(LinkFaults, NowOrNeverHasABoundInOneTurn) {
  begin_pair();
  for (int i = 0; i < 5000; ++i) one.links->link(b).send_if_connected(std::string(1000, 'x'));
  const std::uint64_t taken = one.links->link(b).counters().messages_sent;
  EXPECT_GT(taken, 1000U);
  EXPECT_LT(taken, 1100U) << "about a mebibyte";
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == taken; }));
  one.links->link(b).send_if_connected("the next turn");
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == taken + 1; }));
}

TEST_F(LinkFaults, MuchIsConfirmedAtOnce) {
  constexpr std::size_t burst = 300;
  constexpr std::size_t bursts = 200;
  begin(two, b);
  LinkOptions with = options(a);
  with.most_unconfirmed_bytes = 4'000'000;
  begin(one, with);
  ASSERT_TRUE(wait_until([&] { return are_connected(); }));
  const auto send_burst = [&] {
    for (std::size_t i = 0; i < burst; ++i) one.links->link(b).send(std::string(1000, 'x'));
  };
  // As fast as it is read, so that there is no time for confirmations that come later.
  std::size_t received = 0;
  two.events.on_received = [&](NodeId, std::string_view) {
    if (++received % burst == 0 && received < burst * bursts) send_burst();
  };
  send_burst();
  ASSERT_TRUE(
      wait_until([&] { return received == burst * bursts || one.events.count("overflowed") > 0; }));
  EXPECT_EQ(one.events.count("overflowed"), 0);
}

TEST_F(LinkFaults, OneThatReadsSlowlyGetsEverything) {
  begin(two, b);
  RawPeer peer(ports[1]);
  peer.greet(hello_of_a());
  ASSERT_TRUE(wait_until([&] { return two.links->link(a).is_connected(); }));
  for (int i = 0; i < 200; ++i) two.links->link(a).send(std::string(100'000, static_cast<char>(i)));
  settle();
  EXPECT_TRUE(two.links->is_congested());
  std::size_t messages = 0;
  ASSERT_TRUE(wait_until([&] {
    messages = 0;
    for (const std::string& frame : peer.frames()) {
      if (frame.front() != 'M') continue;
      MessagesReader reader(std::string_view(frame).substr(1));
      while (const auto message = reader.next()) {
        EXPECT_EQ(message->bytes.front(), static_cast<char>(messages++));
      }
    }
    return messages == 200;
  }));
  EXPECT_FALSE(two.links->is_congested());
}

// --- All of it ----------------------------------------------------------------------------------

// Each message says of which conversation it is: the sender begins a new one whenever the link is
// reset or the other end restarts. Of each conversation the first messages arrive, without a gap.
class LinkChaos : public LinkFaults {
 protected:
  struct Side {
    End* end;
    NodeId peer;
    std::uint64_t conversation = 0;  // over all lives
    std::uint64_t number = 0;
    std::uint64_t heard_conversation = 0;
    std::uint64_t heard_number = 0;
    std::uint64_t heard_life = 0;
  };

  void talk(Side& side) {
    side.end->links->link(side.peer).send(std::to_string(side.end->options.life) + " " +
                                          std::to_string(side.conversation) + " " +
                                          std::to_string(side.number++));
  }
  void begin_conversation(Side& side) {
    ++side.conversation;
    side.number = 0;
  }
  void follow(Side& side) {
    side.end->events.on_told = [&](const std::string& what, NodeId) {
      if (what == "restarted" || what == "was reset") begin_conversation(side);
    };
    side.end->events.on_received = [&](NodeId, std::string_view bytes) {
      std::uint64_t life = 0;
      std::uint64_t conversation = 0;
      std::uint64_t number = 0;
      ASSERT_EQ(
          std::sscanf(std::string(bytes).c_str(), "%lu %lu %lu", &life, &conversation, &number), 3);
      ASSERT_GE(life, side.heard_life);
      ASSERT_GE(conversation, side.heard_conversation);
      const bool is_new = conversation > side.heard_conversation || life > side.heard_life;
      ASSERT_EQ(number, is_new ? 0 : side.heard_number + 1);
      side.heard_life = life;
      side.heard_conversation = conversation;
      side.heard_number = number;
    };
  }
};

TEST_F(LinkChaos, EveryConversationIsWithoutGapsOrRepetitions) {
  const std::uint64_t first = test::from_environment("BATON_FIRST_SEED", 1);
  const std::uint64_t seeds = test::from_environment("BATON_SEEDS", 20);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("BATON_FIRST_SEED=" + std::to_string(seed) + " BATON_SEEDS=1");
    std::mt19937_64 random(seed);
    one = {};
    two = {};
    Side left{&one, b};
    Side right{&two, a};
    left.heard_number = right.heard_number = ~0UL;
    follow(left);
    follow(right);
    begin_pair_with_proxy();
    proxy.cut_after([&] { return random() % 3 == 0 ? random() % 300 : random() % 30'000; });
    for (int step = 0; step < 400 && !HasFatalFailure(); ++step) {
      Side& side = random() % 2 == 0 ? left : right;
      switch (random() % 40) {
        case 0:
          side.end->links->link(side.peer).reset();
          begin_conversation(side);
          break;
        case 1:
          // A new life has heard nothing, and says so with a conversation of its own.
          begin_conversation(side);
          restart(*side.end);
          proxy.lead_to(ports[1]);
          side.heard_life = 0;
          side.heard_number = ~0UL;
          side.heard_conversation = side.end == &one ? right.conversation : left.conversation;
          break;
        case 2:
          proxy.cut_all();
          break;
        default:
          for (std::uint64_t i = random() % 8; i > 0; --i) talk(side);
      }
      io.restart();
      if (random() % 2 == 0) io.run_for(std::chrono::milliseconds(random() % 4));
      io.poll();
    }
    proxy.never_cut();
    proxy.cut_all();
    ASSERT_TRUE(wait_until([&] { return are_connected(); }));
    settle(std::chrono::milliseconds(20));
    talk(left);
    talk(right);
    ASSERT_TRUE(wait_until([&] {
      return left.heard_number + 1 == right.number && right.heard_number + 1 == left.number;
    })) << left.heard_number
        << " of " << right.number << ", " << right.heard_number << " of " << left.number;
  }
}

}  // namespace
}  // namespace baton::net
