// Frames, greetings and the queue of what is unconfirmed, without sockets.
#include <gtest/gtest.h>

#include "peers/net/hello.h"
#include "peers/net/link_frame.h"
#include "peers/net/link_queue.h"

namespace baton::net {
namespace {

std::vector<std::string> messages_in(std::string_view body) {
  std::vector<std::string> all;
  MessagesReader reader(body);
  while (const auto message = reader.next()) {
    all.push_back(std::string(message->bytes) +
                  (message->delivery == Delivery::unreliable ? "?" : ""));
  }
  if (!reader.is_good()) all.emplace_back("not well-formed");
  return all;
}

std::vector<std::string> written(LinkQueue& queue, std::size_t about_bytes = 1000) {
  std::string body(1, '\0');
  queue.write(body, about_bytes);
  return messages_in(body);
}

using Texts = std::vector<std::string>;

TEST(LinkBytes, ANumberHasOneForm) {
  for (const std::uint64_t number : {0UL, 1UL, 127UL, 128UL, 300UL, 1UL << 63, ~0UL}) {
    std::string bytes;
    append_varint(bytes, number);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.varint(), number);
    EXPECT_TRUE(reader.is_good() && reader.is_over());
  }
  for (const std::string& wrong :
       {std::string("\x80", 1), std::string("\x81\x00", 2), std::string(10, '\xFF'),
        std::string(9, '\xFF') + '\x02', std::string()}) {
    ByteReader reader(wrong);
    EXPECT_EQ(reader.varint(), 0U);
    EXPECT_FALSE(reader.is_good());
  }
}

TEST(LinkFrame, IsWrittenAsDocumented) {
  std::string bytes;
  const std::size_t begin = begin_frame(bytes, FrameKind::messages);
  append_varint(bytes, 300);
  append_message(bytes, "hi", Delivery::reliable);
  append_message(bytes, "tick", Delivery::unreliable);
  end_frame(bytes, begin);
  EXPECT_EQ(bytes, std::string("\0\0\0\x0BM\xAC\x02\x04hi\x09tick", 15));
  MessagesReader reader(std::string_view(bytes).substr(5));
  EXPECT_EQ(reader.confirmed(), 300U);
  EXPECT_EQ(messages_in(std::string_view(bytes).substr(5)), (Texts{"hi", "tick?"}));
}

TEST(LinkFrame, WithLessThanItAnnouncesIsNotWellFormed) {
  EXPECT_EQ(messages_in(std::string("\0\x04h", 3)), Texts{"not well-formed"});
  EXPECT_EQ(messages_in(""), Texts{"not well-formed"});
  EXPECT_EQ(messages_in(std::string("\0", 1)), Texts{});
  std::string long_one(1, '\0');
  append_message(long_one, std::string(largest_message + 1, 'x'), Delivery::reliable);
  EXPECT_EQ(messages_in(long_one), Texts{"not well-formed"});
}

TEST(Hello, IsReadAsItWasWritten) {
  const Hello hello{"orchestra", "maekawa", "a", "b", ~0UL, 17, true, 3, 4, 5};
  std::string problem;
  const auto read = decode_hello(encode_hello(hello), problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(*read, hello);
}

TEST(Hello, CutOffOrProlongedIsNotWellFormed) {
  const std::string bytes = encode_hello({"orchestra", "maekawa", "a", "b", 1, 2, true, 3, 4, 5});
  std::string problem;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_hello(bytes.substr(0, length), problem)) << length;
  }
  EXPECT_FALSE(decode_hello(bytes + "x", problem));
  EXPECT_EQ(problem, "the Hello is malformed");
}

TEST(Hello, OfAnotherVersionIsRefusedWhateverFollows) {
  std::string problem;
  EXPECT_FALSE(decode_hello("baton\x02 and what this version does not know", problem));
  EXPECT_EQ(problem,
            "version 2 of the protocol between members meets version 1: run the same version "
            "of Baton everywhere");
}

TEST(Refusal, HasNoControlCharacters) {
  EXPECT_EQ(decode_refusal(encode_refusal("no\x1B[31m way")), "no?[31m way");
  EXPECT_EQ(decode_refusal(encode_refusal(std::string(5000, 'x'))), std::string(1000, 'x'));
  EXPECT_EQ(decode_refusal("batom\x01x"), std::nullopt);
}

TEST(LinkQueue, WritesEachMessageOnce) {
  LinkQueue queue;
  queue.append("one");
  queue.append("two");
  EXPECT_EQ(written(queue), (Texts{"one", "two"}));
  queue.append("three");
  EXPECT_EQ(written(queue), Texts{"three"});
  EXPECT_EQ(written(queue), Texts{});
}

TEST(LinkQueue, WritesInPortionsOfAtLeastOneMessage) {
  LinkQueue queue;
  for (const char* text : {"one", "two", "three"}) queue.append(text);
  EXPECT_EQ(written(queue, 1), Texts{"one"});
  EXPECT_EQ(written(queue, 5), (Texts{"two", "three"}));
}

TEST(LinkQueue, RepeatsWhatIsUnconfirmed) {
  LinkQueue queue;
  for (const char* text : {"one", "two", "three"}) queue.append(text);
  written(queue);
  ASSERT_TRUE(queue.confirm(1));
  ASSERT_TRUE(queue.resume(1));
  EXPECT_EQ(written(queue), (Texts{"two", "three"}));
  // The next connection breaks before all is written again.
  ASSERT_TRUE(queue.resume(1));
  written(queue, 1);
  ASSERT_TRUE(queue.resume(3));
  EXPECT_EQ(written(queue), Texts{});
  EXPECT_EQ(queue.unconfirmed_bytes(), 0U);
}

TEST(LinkQueue, KnowsWhatCannotHaveArrived) {
  LinkQueue queue;
  queue.append("one");
  queue.append("two");
  EXPECT_FALSE(queue.confirm(1));
  written(queue);
  EXPECT_FALSE(queue.confirm(3));
  EXPECT_TRUE(queue.confirm(2));
  EXPECT_FALSE(queue.confirm(1)) << "it has been taken back";
  EXPECT_FALSE(queue.resume(1));
  EXPECT_FALSE(queue.resume(3));
  EXPECT_TRUE(queue.resume(2));
}

TEST(LinkQueue, KeepsItsContentsWhileRoomIsMade) {
  LinkQueue queue;
  std::uint64_t next = 0;
  std::uint64_t seen = 0;
  for (int round = 0; round < 2000; ++round) {
    for (int i = 0; i < 7; ++i) queue.append(std::string(100, 'x') + std::to_string(next++));
    for (const std::string& text : written(queue, 300)) {
      ASSERT_EQ(text, std::string(100, 'x') + std::to_string(seen++));
    }
    ASSERT_TRUE(queue.confirm(seen - 1));
  }
}

}  // namespace
}  // namespace baton::net
