#include "io/busy_poll.h"

#include <gtest/gtest.h>

namespace baton::io {
namespace {

using std::chrono::microseconds;

class BusyPollTest : public testing::Test {
 protected:
  // Somebody asks; how long does the server stay awake afterwards, if nobody else comes?
  microseconds busy_poll_after(const void* who) {
    busy_poll_.heard_one(who);
    const auto begin = now_;
    while (busy_poll_.stays(now_)) now_ += microseconds(10);
    return std::chrono::duration_cast<microseconds>(now_ - begin);
  }
  // One client that asks again soon after each answer. How often was the server awake for it?
  int awake_in_conversation(const void* who, int requests) {
    int awake = 0;
    for (int i = 0; i < requests; ++i) {
      busy_poll_.heard_one(who);
      awake += busy_poll_.stays(now_) ? 1 : 0;
      now_ += microseconds(20);
    }
    return awake;
  }

  BusyPoll busy_poll_;
  BusyPoll::Time now_;
  int one_ = 0;
  int two_ = 0;
};

TEST_F(BusyPollTest, SleepsAfterASingleRequest) {
  EXPECT_EQ(busy_poll_after(&one_), microseconds(0));
}

TEST_F(BusyPollTest, StaysAwakeInAConversationWithOne) {
  EXPECT_EQ(awake_in_conversation(&one_, 100), 92);
}

TEST_F(BusyPollTest, NeverForLong) {
  awake_in_conversation(&one_, 100);
  EXPECT_EQ(busy_poll_after(&one_), microseconds(100));
}

TEST_F(BusyPollTest, NotWhereSeveralTalk) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(awake_in_conversation(i % 2 == 0 ? &one_ : &two_, 1), 0);
  }
  awake_in_conversation(&one_, 100);
  busy_poll_.heard_several();
  EXPECT_FALSE(busy_poll_.stays(now_));
  EXPECT_EQ(awake_in_conversation(&one_, 1), 0);
}

// As where every answer waits for the disk.
TEST_F(BusyPollTest, SeldomWhereItDoesNotPay) {
  int awake = 0;
  for (int i = 0; i < 6400; ++i) awake += busy_poll_after(&one_) > microseconds(0) ? 1 : 0;
  EXPECT_GE(awake, 100);
  EXPECT_LE(awake, 110);
}

TEST_F(BusyPollTest, AgainOnceItPays) {
  for (int i = 0; i < 1000; ++i) busy_poll_after(&one_);
  EXPECT_GE(awake_in_conversation(&one_, 1000), 900);
}

}  // namespace
}  // namespace baton::io
