// Each wrong variant fails in a story that the right algorithm survives.
#include "algorithms/mutex/ricart_agrawala_wrong.h"

#include <gtest/gtest.h>

#include "algorithms/mutex/schedules.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

using Nodes = std::vector<std::uint32_t>;

// Process 2 is inside. Process 1 asks, and the reply of 0 comes twice.
template <class P>
Nodes inside_after_a_duplicated_reply() {
  Conversation<P> talk({.size = 3}, NodeId{2});
  talk.request(1);
  talk.deliver(1, 0);
  talk.duplicate(0, 1);
  talk.deliver_all();
  return talk.inside();
}

TEST(WrongRicartAgrawala, CountingRepliesTakesADuplicateForAnotherProcess) {
  EXPECT_EQ(inside_after_a_duplicated_reply<RicartAgrawala>(), Nodes{2});
  EXPECT_EQ(inside_after_a_duplicated_reply<WrongRicartAgrawalaCountsReplies>(), (Nodes{1, 2}));
}

// A reply to the first request of 1 comes again when 1 asks a second time and 0 is inside.
template <class P>
Nodes inside_after_a_stale_reply() {
  Conversation<P> talk({.size = 2});
  talk.request(1);
  talk.deliver(1, 0);
  talk.duplicate(0, 1);
  talk.deliver(0, 1);
  talk.release(1);
  talk.request(0);
  talk.deliver(0, 1, 1);
  talk.deliver(1, 0);
  talk.request(1);
  talk.deliver(0, 1);
  return talk.inside();
}

TEST(WrongRicartAgrawala, CountingRepliesTakesAStaleOneForAnAnswer) {
  EXPECT_EQ(inside_after_a_stale_reply<RicartAgrawala>(), Nodes{0});
  EXPECT_EQ(inside_after_a_stale_reply<WrongRicartAgrawalaCountsReplies>(), (Nodes{0, 1}));
}

// Process 0 asks at 1. Process 2 hears of it, asks at 2, and so moves the clock of 0 to 2. Process
// 1 has asked at 1 too, after 0 by its id; it rightly lets 0 go first.
template <class P>
Nodes inside_after_the_clock_has_moved() {
  Conversation<P> talk({.size = 3});
  talk.request(0);
  talk.request(1);
  talk.deliver(0, 2);
  talk.request(2);
  talk.deliver(2, 0);
  talk.deliver(2, 0);
  talk.deliver_all();
  return talk.inside();
}

TEST(WrongRicartAgrawala, ComparingTheClockLetsAnotherGoFirstAfterBeingLetGoFirst) {
  EXPECT_EQ(inside_after_the_clock_has_moved<RicartAgrawala>(), Nodes{0});
  EXPECT_EQ(inside_after_the_clock_has_moved<WrongRicartAgrawalaComparesClock>(), (Nodes{0, 1}));
}

template <class P>
Nodes inside_after_two_asked_at_once() {
  Conversation<P> talk({.size = 2});
  talk.request(0);
  talk.request(1);
  talk.deliver_all();
  return talk.inside();
}

TEST(WrongRicartAgrawala, WithoutIdsEqualClocksWaitForEachOther) {
  EXPECT_EQ(inside_after_two_asked_at_once<RicartAgrawala>(), Nodes{0});
  EXPECT_EQ(inside_after_two_asked_at_once<WrongRicartAgrawalaNoTieBreak>(), Nodes{});
}

// Process 0 consents to the request of 1 and asks itself; its request overtakes its reply.
template <class P>
Nodes inside_after_asking_on_consent() {
  Conversation<P> talk({.size = 2});
  talk.request(1);
  talk.deliver(1, 0);
  talk.request(0);
  talk.deliver(0, 1, 1);
  talk.deliver_all();
  return talk.inside();
}

TEST(WrongRicartAgrawala, AForgottenClockAsksEarlierThanWhatItConsentedTo) {
  EXPECT_EQ(inside_after_asking_on_consent<RicartAgrawala>(), Nodes{1});
  EXPECT_EQ(inside_after_asking_on_consent<WrongRicartAgrawalaForgotten>(), (Nodes{0, 1}));
}

// How many of 200 random schedules let two in, or leave someone waiting for ever.
struct Harm {
  int unsafe = 0;
  int stuck = 0;
};
template <class P>
Harm harm_in_random_schedules(bool fifo, bool duplicates) {
  Harm harm;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<P> talk({.size = 3});
    bool unsafe = false;
    const Schedule schedule{.seed = seed, .fifo = fifo, .duplicates = duplicates};
    const bool served =
        play(talk, 3, schedule, [&] { unsafe = unsafe || talk.inside().size() > 1; });
    if (unsafe) ++harm.unsafe;
    if (!served) ++harm.stuck;
  }
  return harm;
}

TEST(WrongRicartAgrawala, RandomSchedulesFindEachFlaw) {
  EXPECT_GT(harm_in_random_schedules<WrongRicartAgrawalaCountsReplies>(false, true).unsafe, 0);
  EXPECT_GT(harm_in_random_schedules<WrongRicartAgrawalaComparesClock>(true, false).unsafe, 0);
  EXPECT_GT(harm_in_random_schedules<WrongRicartAgrawalaNoTieBreak>(true, false).stuck, 0);
  EXPECT_GT(harm_in_random_schedules<WrongRicartAgrawalaForgotten>(true, false).unsafe, 0);
}

TEST(WrongRicartAgrawala, CountingRepliesIsSafeWhereNothingIsDuplicated) {
  const Harm harm = harm_in_random_schedules<WrongRicartAgrawalaCountsReplies>(false, false);
  EXPECT_EQ(harm.unsafe, 0);
  EXPECT_EQ(harm.stuck, 0);
}

TEST(WrongRicartAgrawala, ClaimsWhatABelieverWouldAndNamesItsFlaw) {
  for (const Info* info :
       {&WrongRicartAgrawalaCountsReplies::info(), &WrongRicartAgrawalaComparesClock::info(),
        &WrongRicartAgrawalaNoTieBreak::info(), &WrongRicartAgrawalaForgotten::info()}) {
    EXPECT_TRUE(info->name.starts_with("wrong-ricart-agrawala-"));
    EXPECT_TRUE(info->is_wrong());
    EXPECT_TRUE(info->promises == RicartAgrawala::info().promises);
    EXPECT_TRUE(info->costs.empty());
  }
  EXPECT_FALSE(RicartAgrawala::info().is_wrong());
}

}  // namespace
}  // namespace baton::test
