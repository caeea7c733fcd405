#include "mutex/ricart_agrawala.h"

#include <gtest/gtest.h>

#include "support/conversation.h"

namespace baton::test {
namespace {

TEST(RicartAgrawala, AsksEveryoneAndEntersOnTheLastReply) {
  Conversation<RicartAgrawala> talk({.size = 3});
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 Request(<1,1>)\n"
            "1 -> 2 Request(<1,1>)\n"
            "0 -> 1 Reply(<1,1> 1)\n"
            "2 -> 1 Reply(<1,1> 1)\n"
            "1 enters\n");
}

TEST(RicartAgrawala, ADuplicatedReplyCountsOnce) {
  Conversation<RicartAgrawala> talk({.size = 3});
  talk.request(1);
  talk.deliver(1, 0);
  talk.duplicate(0, 1);
  talk.deliver(0, 1);
  talk.deliver(0, 1);
  EXPECT_TRUE(talk.inside().empty());
}

TEST(RicartAgrawala, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<RicartAgrawala> talk({.size = 4});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(RicartAgrawala, StartsWithAProcessInside) {
  Conversation<RicartAgrawala> talk({.size = 3}, NodeId{2});
  talk.request(0);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{2});
  talk.release(2);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace baton::test
