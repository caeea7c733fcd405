// Which signals the reaper passes on.
#include "service/process/witness.h"

#include <gtest/gtest.h>

#include <csignal>

namespace baton::process {
namespace {

using std::chrono::milliseconds;
const Witness::Time start{};

TEST(Witness, PassesOnWhatOnlyTheFrontGot) {
  Witness witness;
  EXPECT_FALSE(witness.next_due());
  witness.told(SIGTERM, 7, start);
  EXPECT_EQ(witness.next_due(), start + Witness::patience);
  EXPECT_TRUE(witness.take_due(start + Witness::patience - milliseconds(1)).empty());
  EXPECT_EQ(witness.take_due(start + Witness::patience), std::vector<int>{SIGTERM});
  EXPECT_TRUE(witness.take_due(start + Witness::patience).empty());
}

TEST(Witness, KeepsWhatTheGroupGotInEitherOrder) {
  Witness witness;
  witness.saw(SIGINT, 0, start);
  witness.told(SIGINT, 0, start + milliseconds(5));
  EXPECT_FALSE(witness.next_due());
  witness.told(SIGINT, 0, start + milliseconds(10));
  witness.saw(SIGINT, 0, start + milliseconds(11));
  EXPECT_FALSE(witness.next_due());
}

TEST(Witness, TellsSignalsAndSendersApart) {
  Witness witness;
  witness.saw(SIGINT, 7, start);
  witness.told(SIGINT, 8, start);
  witness.told(SIGHUP, 7, start);
  EXPECT_EQ(witness.take_due(start + Witness::patience), (std::vector<int>{SIGINT, SIGHUP}));
}

TEST(Witness, OneSightingCoversOneSignal) {
  Witness witness;
  witness.saw(SIGTERM, 7, start);
  witness.told(SIGTERM, 7, start);
  witness.told(SIGTERM, 7, start);
  EXPECT_EQ(witness.take_due(start + Witness::patience).size(), 1U);
}

TEST(Witness, ForgetsWhatTheFrontNeverTold) {
  Witness witness;
  witness.saw(SIGTERM, 7, start);
  witness.told(SIGTERM, 7, start + Witness::memory + milliseconds(1));
  EXPECT_TRUE(witness.next_due());
}

}  // namespace
}  // namespace baton::process
