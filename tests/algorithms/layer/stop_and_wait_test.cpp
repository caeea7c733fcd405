#include "algorithms/layer/stop_and_wait.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

class NoChoice : public Chooser {
  std::uint32_t choose(std::uint32_t) override { return 0; }
};

class StopAndWaitTest : public testing::Test {
 protected:
  // What a step sent, forgetting it.
  std::vector<StopAndWait::Message> sent() {
    std::vector<StopAndWait::Message> messages;
    for (const auto& send : out_.sends()) messages.push_back(out_.message(send));
    events_ += out_.events().size();
    out_.clear();
    return messages;
  }

  const baton::Setup group_ = default_setup(2);
  NoChoice chooser_;
  StopAndWait::Out out_{chooser_};
  StopAndWait sender_{{0}, group_};
  StopAndWait receiver_{{1}, group_};
  std::size_t events_ = 0;
};

TEST_F(StopAndWaitTest, DeliversOnceWhateverIsLost) {
  sender_.send(out_);
  const auto first = sent();
  ASSERT_EQ(first.size(), 1U);
  // The message is lost, and sent again.
  sender_.expire({0}, out_);
  const auto second = sent();
  ASSERT_EQ(second.size(), 1U);
  receiver_.receive({0}, second[0], out_);
  EXPECT_EQ(sent().size(), 1U);
  // The acknowledgement is lost; the copy is acknowledged and not delivered again.
  sender_.expire({0}, out_);
  receiver_.receive({0}, sent()[0], out_);
  const auto acknowledgement = sent();
  ASSERT_EQ(acknowledgement.size(), 1U);
  EXPECT_EQ(receiver_.state().delivered, 1U);
  EXPECT_EQ(events_, 0U);
  sender_.receive({1}, acknowledgement[0], out_);
  sent();
  EXPECT_EQ(events_, 1U);
  // Neither a late copy of the acknowledgement nor the timer has an effect any more.
  sender_.receive({1}, acknowledgement[0], out_);
  sender_.expire({0}, out_);
  EXPECT_TRUE(sent().empty());
  EXPECT_EQ(events_, 1U);
}

TEST_F(StopAndWaitTest, AnOldAcknowledgementDoesNotConfirmTheNextMessage) {
  sender_.send(out_);
  receiver_.receive({0}, sent()[0], out_);
  const auto old = sent();
  sender_.receive({1}, old[0], out_);
  sender_.send(out_);
  sent();
  sender_.receive({1}, old[0], out_);
  sent();
  EXPECT_EQ(events_, 1U);
  EXPECT_TRUE(sender_.state().under_way);
}

}  // namespace
}  // namespace baton
