#include "io/frames.h"

#include <gtest/gtest.h>

#include "baton/client.pb.h"

namespace baton::io {
namespace {

std::string hello(const std::string& program) {
  proto::ClientMessage message;
  message.mutable_hello()->set_program(program);
  std::string bytes;
  append_frame(bytes, message);
  return bytes;
}

TEST(Frames, LengthIsBigEndianAndComesFirst) {
  std::string bytes;
  proto::Hello message;
  message.set_program(std::string(300, 'x'));
  append_frame(bytes, message);
  ASSERT_EQ(bytes.size(), frame_header + 303);
  EXPECT_EQ(bytes.substr(0, 4), std::string("\x00\x00\x01\x2f", 4));
}

TEST(Frames, AreCutWhereverTheStreamIsCut) {
  const std::string stream = hello("one") + hello("two") + hello(std::string(1000, 'x'));
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameCutter cutter;
    std::string again;
    int frames = 0;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      const auto outcome =
          cutter.feed(std::string_view(stream).substr(at, piece), [&](std::string_view frame) {
            proto::ClientMessage message;
            EXPECT_TRUE(message.ParseFromArray(frame.data(), static_cast<int>(frame.size())));
            append_frame(again, message);
            ++frames;
            return true;
          });
      ASSERT_EQ(outcome, FrameCutter::Outcome::fine);
    }
    ASSERT_EQ(frames, 3) << piece;
    ASSERT_EQ(again, stream) << piece;
    ASSERT_EQ(cutter.half_arrived(), 0U);
  }
}

TEST(Frames, TooLongOnesAreSeenBeforeTheyHaveArrived) {
  FrameCutter cutter;
  const auto none = [](std::string_view) { return true; };
  EXPECT_EQ(cutter.feed(std::string("\x01\x00\x00\x00", 4), none), FrameCutter::Outcome::fine);
  FrameCutter other;
  EXPECT_EQ(other.feed(std::string("\x01\x00\x00\x01", 4), none), FrameCutter::Outcome::overlong);
}

TEST(Frames, NothingIsTakenAfterTheReceiverHasHadEnough) {
  FrameCutter cutter;
  int frames = 0;
  const auto outcome = cutter.feed(hello("one") + hello("two"), [&](std::string_view) {
    ++frames;
    return false;
  });
  EXPECT_EQ(outcome, FrameCutter::Outcome::stopped);
  EXPECT_EQ(frames, 1);
}

TEST(Frames, EmptyOnesAreFrames) {
  FrameCutter cutter;
  int frames = 0;
  cutter.feed(std::string(8, '\0'), [&](std::string_view frame) {
    EXPECT_TRUE(frame.empty());
    ++frames;
    return true;
  });
  EXPECT_EQ(frames, 2);
}

}  // namespace
}  // namespace baton::io
