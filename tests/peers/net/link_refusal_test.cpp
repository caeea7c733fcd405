// Who is turned away, and how both ends are told.
#include "peers/net/link_fixture.h"

namespace baton::net {
namespace {

using Texts = std::vector<std::string>;

class LinkRefusals : public LinkTest {
 protected:
  void SetUp() override { begin(two, b); }

  // What a process that greets like this is told, each time that it tries.
  std::string answer_to(const Hello& hello) {
    std::string words;
    for (int attempt = 0; attempt < 3; ++attempt) {
      RawPeer peer(ports[1]);
      peer.greet(hello);
      EXPECT_TRUE(wait_until([&] { return peer.is_over(); }));
      words = peer.refusal();
    }
    return words;
  }
  std::string answer_to_bytes(std::string_view bytes) {
    RawPeer peer(ports[1]);
    peer.send(bytes);
    EXPECT_TRUE(wait_until([&] { return peer.is_over(); }));
    return peer.refusal();
  }
};

TEST_F(LinkRefusals, AnotherGroup) {
  Hello hello = hello_of_a();
  hello.group = "choir";
  EXPECT_EQ(answer_to(hello), "'a' is of group 'choir', 'b' of group 'orchestra'");
  EXPECT_EQ(two.events.told,
            Texts{"refused ?: 'a' is of group 'choir', 'b' of group 'orchestra' (from 127.0.0.1)"})
      << "said once";
}

TEST_F(LinkRefusals, AnotherDialect) {
  Hello hello = hello_of_a();
  hello.dialect = "maekawa-sanders";
  EXPECT_EQ(answer_to(hello), "'a' runs with maekawa-sanders, 'b' with ricart-agrawala");
  EXPECT_EQ(two.events.told,
            Texts{"refused a: 'a' runs with maekawa-sanders, 'b' with ricart-agrawala"});
}

TEST_F(LinkRefusals, AnUnknownMember) {
  Hello hello = hello_of_a();
  hello.from = "z";
  EXPECT_EQ(answer_to(hello), "'z' is not a member of the group 'orchestra'");
}

TEST_F(LinkRefusals, OneThatCallsItselfLikeThisOne) {
  Hello hello = hello_of_a();
  hello.from = "b";
  EXPECT_EQ(answer_to(hello), "two processes use the name 'b': give each member its own name");
}

TEST_F(LinkRefusals, OneThatLooksForAnother) {
  Hello hello = hello_of_a();
  hello.to = "c";
  EXPECT_EQ(answer_to(hello),
            "'a' wants to talk to 'c', but this is 'b': compare the addresses of the group");
}

TEST_F(LinkRefusals, OneThatShouldWaitToBeCalled) {
  Hello hello = hello_of_a();
  hello.from = "c";
  EXPECT_EQ(answer_to(hello),
            "'c' is after 'b' in the group, and should wait for that member to connect");
}

TEST_F(LinkRefusals, OneThatHasReceivedMoreThanWasSent) {
  Hello hello = hello_of_a();
  hello.has_met = true;
  hello.remembered_life = two.options.life;
  hello.received = 5;
  EXPECT_EQ(answer_to(hello), "the other end has received other messages than this end sent");
}

TEST_F(LinkRefusals, OneThatHasForgottenTheNumberingInWhichItSent) {
  Hello hello = hello_of_a();
  const auto meet = [&](std::uint64_t generation) {
    const std::uint64_t before = two.links->link(a).counters().connections;
    hello.generation = generation;
    auto peer = std::make_unique<RawPeer>(ports[1]);
    peer->greet(hello);
    EXPECT_TRUE(wait_until([&] { return two.links->link(a).counters().connections > before; }));
    return peer;
  };
  meet(0);
  hello.has_met = true;
  hello.remembered_life = two.options.life;
  two.links->link(a).reset();
  meet(1)->send_frame(FrameKind::messages, std::string("\0\x02x", 3));
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == 1; }));
  hello.generation = 0;
  EXPECT_EQ(answer_to(hello), "the other end has received other messages than this end sent");
}

TEST_F(LinkRefusals, OfManyKindsAreNotAllTold) {
  for (const char* from : {"a", "z"}) {
    two.events.told.clear();
    Hello hello = hello_of_a();
    for (int i = 0; i < 80; ++i) {
      RawPeer peer(ports[1]);
      hello.from = *from == 'a' ? "a" : "z" + std::to_string(i);
      hello.dialect = std::to_string(i);
      peer.greet(hello);
      ASSERT_TRUE(wait_until([&] { return peer.is_over(); }));
    }
    EXPECT_EQ(two.events.count("refused"), 64) << from;
  }
}

TEST_F(LinkRefusals, AnotherVersion) {
  std::string bytes;
  const std::size_t begin = begin_frame(bytes, FrameKind::hello);
  bytes += "baton\x07 whatever";
  end_frame(bytes, begin);
  EXPECT_EQ(answer_to_bytes(bytes),
            "version 7 of the protocol between members meets version 1: run the same version "
            "of Baton everywhere");
}

TEST_F(LinkRefusals, WhatIsNoGreeting) {
  const std::string words = "the first message is not a Hello of a member of a Baton group";
  EXPECT_EQ(answer_to_bytes("GET / HTTP/1.1\r\n\r\n"), words);
  EXPECT_EQ(answer_to_bytes(std::string("\0\0\0\x02M\0", 6)), words)
      << "messages before a greeting";
  EXPECT_EQ(answer_to_bytes(std::string("\0\0\0\0", 4)), words);
  EXPECT_EQ(answer_to_bytes(std::string("\0\0\xFF\xFFH", 5)), words) << "a greeting of 64 KiB";
}

TEST_F(LinkRefusals, AnEndlessStreamIsNotListenedTo) {
  RawPeer peer(ports[1]);
  const std::string portion(65536, '\0');
  // Frames of no bytes at first, and then whatever: it is read no further than a greeting is long.
  ASSERT_TRUE(wait_until([&] {
    peer.send(portion);
    return peer.is_over();
  }));
  EXPECT_EQ(two.events.count("refused"), 1);
}

TEST_F(LinkRefusals, WhoDoesNotGreetIsLetGo) {
  LinkOptions with = options(b);
  with.time_to_greet = std::chrono::milliseconds(100);
  with.silence = std::chrono::milliseconds(200);
  begin(two, with);
  RawPeer silent(ports[1]);
  RawPeer slow(ports[1]);
  slow.send(std::string("\0\0\0\x40Hbat", 8));
  EXPECT_TRUE(wait_until([&] { return silent.is_over() && slow.is_over(); }));
}

TEST_F(LinkRefusals, ThoseWhoDoNotGreetDoNotKeepOthersOut) {
  std::vector<std::unique_ptr<RawPeer>> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(std::make_unique<RawPeer>(ports[1]));
    settle(std::chrono::milliseconds(1));
  }
  begin(one, a);
  ASSERT_TRUE(wait_until([&] { return one.links->link(b).is_connected(); }));
  settle();
  const auto open =
      std::count_if(idle.begin(), idle.end(), [](const auto& peer) { return !peer->is_over(); });
  EXPECT_LE(open, 64);
  EXPECT_GT(open, 0);
}

TEST_F(LinkRefusals, BothEndsAreToldInWords) {
  LinkOptions with = options(a);
  with.dialect = "maekawa-sanders";
  begin(one, with);
  ASSERT_TRUE(wait_until([&] { return one.events.count("refused") == 1; }));
  settle();
  EXPECT_EQ(one.events.told,
            Texts{"refused b: it says: 'a' runs with maekawa-sanders, 'b' with ricart-agrawala"});
  EXPECT_EQ(two.events.told,
            Texts{"refused a: 'a' runs with maekawa-sanders, 'b' with ricart-agrawala"});
  // Once it is put right they meet.
  begin(one, a);
  EXPECT_TRUE(wait_until([&] { return one.links->link(b).is_connected(); }));
}

// --- After the greeting -------------------------------------------------------------------------

class LinkGarbage : public LinkTest {
 protected:
  // b's words when one that has greeted properly says this.
  std::string end_after(std::string_view bytes) {
    begin(two, b);
    RawPeer peer(ports[1]);
    peer.greet(hello_of_a());
    EXPECT_TRUE(wait_until([&] { return two.links->link(a).is_connected(); }));
    peer.send(bytes);
    EXPECT_TRUE(wait_until([&] { return peer.is_over(); }));
    EXPECT_FALSE(two.links->link(a).is_connected());
    return two.events.last("lost");
  }
};

TEST_F(LinkGarbage, ALengthBeyondAllBounds) {
  EXPECT_EQ(end_after("\xFF\xFF\xFF\xFF"), "lost a: a frame is longer than it may be");
}

TEST_F(LinkGarbage, AFrameOfNoKind) {
  EXPECT_EQ(end_after(std::string("\0\0\0\x03XYZ", 7)), "lost a: a frame is malformed");
  EXPECT_EQ(end_after(std::string("\0\0\0\0", 4)), "lost a: a frame is malformed");
}

TEST_F(LinkGarbage, AMessageThatIsCutOff) {
  EXPECT_EQ(end_after(std::string("\0\0\0\x06M\0\x02x\x20y", 10)), "lost a: a frame is malformed");
  EXPECT_EQ(two.got(a), Texts{"x"}) << "what was whole has arrived";
}

TEST_F(LinkGarbage, AConfirmationOfWhatWasNeverSent) {
  EXPECT_EQ(end_after(std::string("\0\0\0\x02M\x05", 6)),
            "lost a: the other end confirms messages that this end never sent");
}

TEST_F(LinkGarbage, ASecondGreeting) {
  std::string again;
  const std::size_t begin = begin_frame(again, FrameKind::hello);
  again += encode_hello(hello_of_a());
  end_frame(again, begin);
  EXPECT_EQ(end_after(again), "lost a: a frame is malformed");
}

}  // namespace
}  // namespace baton::net
