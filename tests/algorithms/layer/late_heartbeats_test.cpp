#include <gtest/gtest.h>

#include "algorithms/layer/heartbeat_detector.h"

namespace baton::test {
namespace {

constexpr NodeId other{1};

// Time passes until the other is suspected, or for a thousand ticks; at each tick there is news of
// it that is late by so much.
std::uint32_t suspicions_in_a_thousand_ticks(HeartbeatDetector& detector, std::uint32_t late) {
  std::uint32_t suspicions = 0;
  for (int tick = 0; tick < 1000; ++tick) {
    if (!detector.tick().empty()) ++suspicions;
    detector.hear(other, late);
  }
  return suspicions;
}

TEST(LateHeartbeats, OnesInTimeKeepTrust) {
  for (const bool learns : {true, false}) {
    HeartbeatDetector detector({0}, 2, learns);
    EXPECT_EQ(suspicions_in_a_thousand_ticks(detector, 0), 0U);
    EXPECT_FALSE(detector.suspects(other));
  }
}

TEST(LateHeartbeats, WithoutLearningASlowOneIsSuspectedForGood) {
  HeartbeatDetector detector({0}, 2, false);
  EXPECT_EQ(suspicions_in_a_thousand_ticks(detector, HeartbeatDetector::first_patience), 1U);
  EXPECT_TRUE(detector.suspects(other));
  // News that is in time ends it, as it ends any suspicion.
  EXPECT_TRUE(detector.hear(other));
  EXPECT_FALSE(detector.suspects(other));
}

TEST(LateHeartbeats, WithLearningWrongSuspicionsEndAsLongAsPatienceCanGrow) {
  for (std::uint32_t late = 0; late < HeartbeatDetector::most_patience - 1; ++late) {
    HeartbeatDetector detector({0}, 2);
    EXPECT_LT(suspicions_in_a_thousand_ticks(detector, late), 12U) << late;
    EXPECT_FALSE(detector.suspects(other)) << late;
    EXPECT_EQ(suspicions_in_a_thousand_ticks(detector, late), 0U) << late;
  }
  HeartbeatDetector detector({0}, 2);
  suspicions_in_a_thousand_ticks(detector, HeartbeatDetector::most_patience);
  EXPECT_TRUE(detector.suspects(other));
}

TEST(LateHeartbeats, OldNewsDoesNotOutweighNewer) {
  HeartbeatDetector detector({0}, 2, false);
  for (int tick = 0; tick < 100; ++tick) {
    EXPECT_TRUE(detector.tick().empty());
    detector.hear(other, 0);
    detector.hear(other, 50);
  }
}

}  // namespace
}  // namespace baton::test
