// Links between living members: what is sent arrives, in order and once.
#include <string>

#include "peers/net/link_fixture.h"

namespace baton::net {
namespace {

using Texts = std::vector<std::string>;

TEST_F(LinkTest, WhatIsSentArrivesInOrder) {
  begin_pair();
  for (int i = 0; i < 1000; ++i) {
    one.links->link(b).send("to b " + std::to_string(i));
    two.links->link(a).send("to a " + std::to_string(i));
  }
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == 1000 && one.got(b).size() == 1000; }));
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(two.got(a)[i], "to b " + std::to_string(i));
    ASSERT_EQ(one.got(b)[i], "to a " + std::to_string(i));
  }
  EXPECT_EQ(one.events.told, Texts{"connected b"});
  EXPECT_EQ(two.events.told, Texts{"connected a"});
}

TEST_F(LinkTest, WhatIsSentBeforeThereIsAConnectionArrivesToo) {
  begin(two, b);
  two.links->link(a).send("early from b");
  begin(one, a);
  one.links->link(b).send("early from a");
  one.links->link(b).send_if_connected("now or never");
  ASSERT_TRUE(wait_until([&] { return !two.got(a).empty() && !one.got(b).empty(); }));
  settle();
  EXPECT_EQ(two.got(a), Texts{"early from a"});
  EXPECT_EQ(one.got(b), Texts{"early from b"});
}

TEST_F(LinkTest, EveryPairOfAGroupTalks) {
  begin(three, c);
  begin(two, b);
  begin(one, a);
  one.links->link(b).send("ab");
  one.links->link(c).send("ac");
  two.links->link(a).send("ba");
  two.links->link(c).send("bc");
  three.links->link(a).send("ca");
  three.links->link(b).send("cb");
  ASSERT_TRUE(wait_until([&] {
    return one.events.got.size() == 2 && two.events.got.size() == 2 && three.events.got.size() == 2;
  }));
  EXPECT_EQ(one.got(b), Texts{"ba"});
  EXPECT_EQ(one.got(c), Texts{"ca"});
  EXPECT_EQ(two.got(a), Texts{"ab"});
  EXPECT_EQ(two.got(c), Texts{"cb"});
  EXPECT_EQ(three.got(a), Texts{"ac"});
  EXPECT_EQ(three.got(b), Texts{"bc"});
}

TEST_F(LinkTest, OneTurnIsOneWrite) {
  begin_pair();
  settle();
  const std::uint64_t before = one.links->link(b).counters().writes;
  for (int i = 0; i < 50; ++i) {
    one.links->link(b).send("reliable");
    one.links->link(b).send_if_connected("unreliable");
  }
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == 100; }));
  EXPECT_EQ(one.links->link(b).counters().writes, before + 1);
  EXPECT_EQ(one.links->link(b).counters().messages_sent, 100U);
  EXPECT_EQ(two.links->link(a).counters().messages_received, 100U);
}

TEST_F(LinkTest, AnAnswerGoesOutInTheSameTurnAndConfirms) {
  begin_pair();
  settle();
  two.events.on_received = [&](NodeId from, std::string_view) {
    two.links->link(from).send("answer");
  };
  const std::uint64_t before = two.links->link(a).counters().writes;
  for (std::size_t i = 1; i <= 20; ++i) {
    one.links->link(b).send("question");
    ASSERT_TRUE(wait_until([&] { return one.got(b).size() == i; }));
  }
  EXPECT_EQ(two.links->link(a).counters().writes, before + 20) << "confirmations ride on answers";
}

TEST_F(LinkTest, EmptyAndLargeMessagesArrive) {
  begin_pair();
  const std::string large(largest_message, 'x');
  one.links->link(b).send("");
  for (int i = 0; i < 20; ++i) one.links->link(b).send(large);
  one.links->link(b).send("end");
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == 22; }));
  EXPECT_EQ(two.got(a)[0], "");
  EXPECT_EQ(two.got(a)[20], large);
  EXPECT_EQ(two.got(a)[21], "end");
  EXPECT_THROW(one.links->link(b).send(large + "x"), std::invalid_argument);
}

TEST_F(LinkTest, OneDirectionAloneIsConfirmed) {
  begin(two, b);
  LinkOptions with = options(a);
  with.most_unconfirmed_bytes = 100'000;
  begin(one, with);
  for (std::size_t round = 1; round <= 20; ++round) {
    for (int i = 0; i < 50; ++i) one.links->link(b).send(std::string(1000, 'x'));
    ASSERT_TRUE(wait_until([&] { return two.got(a).size() == round * 50; }));
    // Confirmed after some tens of milliseconds, or there is no room for the next round.
    settle();
  }
  EXPECT_EQ(one.events.count("overflowed"), 0) << "a million bytes with room for a tenth of it";
}

TEST_F(LinkTest, ThereIsNoLinkToOneselfOrToNobody) {
  begin(one, a);
  EXPECT_THROW(one.links->link(a).send("me"), std::invalid_argument);
  EXPECT_THROW(one.links->link(nobody).send("nobody"), std::invalid_argument);
}

TEST_F(LinkTest, SaysWhichAddressCannotBeListenedOn) {
  begin(two, b);
  LinkOptions with = options(b);
  try {
    Links again(io, with, one.events);
    FAIL() << "two listen on one port";
  } catch (const io::ListenError& error) {
    EXPECT_EQ(error.what(),
              "cannot listen on 127.0.0.1:" + std::to_string(ports[1]) +
                  ": the port is in use; choose another, or stop the program that has it");
  }
}

TEST_F(LinkTest, SaysWhyThereIsNoConnection) {
  begin(two, b);
  two.links.reset();
  begin(one, a);
  ASSERT_TRUE(wait_until([&] { return !one.links->link(b).problem().empty(); }));
  EXPECT_EQ(one.links->link(b).problem(),
            "cannot connect to 127.0.0.1:" + std::to_string(ports[1]) + ": Connection refused");
  begin(two, two.options);
  ASSERT_TRUE(wait_until([&] { return one.links->link(b).is_connected(); }));
  EXPECT_EQ(one.links->link(b).problem(), "");
}

TEST_F(LinkTest, ANameIsResolved) {
  begin(two, b);
  LinkOptions with = options(a);
  with.members[1].address.host = "localhost";
  begin(one, with);
  EXPECT_TRUE(wait_until([&] { return one.links->link(b).is_connected(); }));
}

TEST_F(LinkTest, MayEndAtAnyMoment) {
  for (int turns = 0; turns < 40; ++turns) {
    begin(two, b);
    begin(one, a);
    one.links->link(b).send("x");
    io.restart();
    for (int i = 0; i < turns; ++i) io.poll_one();
    one.links.reset();
    for (int i = 0; i < turns % 3; ++i) io.poll_one();
    two.links.reset();
    io.poll();
  }
}

}  // namespace
}  // namespace baton::net
