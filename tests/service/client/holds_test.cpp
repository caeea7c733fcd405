// What a client makes of the server's word that a hold is over.
#include "service/client/holds.h"

#include <gtest/gtest.h>

#include "service/client/parts.h"

namespace baton::client {
namespace {

using test::acquire_of;
using test::asked_for;
using test::make_calls;

proto::HoldOver over(const std::string& name, std::uint64_t fence, std::uint64_t owner = 1) {
  proto::HoldOver message;
  message.set_name(name);
  message.set_owner(owner);
  message.set_fence(fence);
  message.set_reason("broken");
  return message;
}

class HoldsTest : public testing::Test {
 protected:
  std::shared_ptr<HeldLock> hold(const std::vector<std::string>& names, std::uint64_t fence) {
    const proto::Request request = acquire_of(names);
    auto lock = asked_for(request);
    holds_.answered(lock, request, test::granted(fence));
    return lock;
  }

  Holds holds_{false};
  Holds attached_{true};
  Outbox out_;
};

TEST_F(HoldsTest, AnEndedHoldOfWhichNothingWasHeardIsAcknowledged) {
  const auto request = holds_.hear(over("name", 7, 3), out_);
  ASSERT_TRUE(request && request->has_acknowledge());
  EXPECT_EQ(request->acknowledge().name(), "name");
  EXPECT_EQ(request->acknowledge().owner(), 3u);
  EXPECT_EQ(request->acknowledge().fence(), 7u);
  EXPECT_TRUE(holds_.unknown().empty());
}

// The process that detached from the session may still work on it.
TEST_F(HoldsTest, WhoIsAttachedKeepsItInMindAndDoesNotAcknowledge) {
  attached_.expect_reminders(2);
  EXPECT_FALSE(attached_.hear(over("name", 7), out_));
  EXPECT_TRUE(attached_.expects_reminders());
  proto::HoldOver leadership = over("boss", 8);
  leadership.set_space(proto::ELECTION);
  EXPECT_FALSE(attached_.hear(leadership, out_));
  EXPECT_FALSE(attached_.expects_reminders());
  EXPECT_FALSE(attached_.hear(over("name", 7), out_)) << "the server reminds of it again";
  EXPECT_EQ(attached_.unknown(),
            (std::vector<LostHold>{{"name", false, 7, "broken"}, {"boss", true, 8, "broken"}}));
}

TEST_F(HoldsTest, WhoIsAttachedAcknowledgesWhatItTookItself) {
  const proto::Request request = acquire_of({"name"});
  const auto lock = asked_for(request);
  attached_.answered(lock, request, test::granted(7));
  EXPECT_FALSE(attached_.hear(over("name", 7), out_));
  EXPECT_TRUE(attached_.unknown().empty());
  EXPECT_EQ(attached_.let_go(lock, out_).error, Error::lock_lost);
  EXPECT_EQ(Holds::acknowledgements(*lock).size(), 1u);
}

TEST_F(HoldsTest, WhatIsWantedBackIsLostAtOnceAndAcknowledgedWhenItIsLetGo) {
  const auto lock = hold({"a", "b"}, 7);
  std::vector<Error> told;
  lock->add_on_lost([&](const Failure& why) { told.push_back(why.error); }, out_);
  EXPECT_FALSE(holds_.hear(over("a", 7), out_));
  EXPECT_FALSE(holds_.hear(over("a", 7), out_)) << "the server reminds of it again";
  EXPECT_TRUE(holds_.empty());
  EXPECT_TRUE(lock->is(Claim::State::lost));
  make_calls(out_);
  EXPECT_EQ(told, std::vector<Error>{Error::lock_lost});
  EXPECT_TRUE(lock->lost.stop_requested());

  EXPECT_EQ(holds_.let_go(lock, out_).error, Error::lock_lost);
  const auto requests = Holds::acknowledgements(*lock);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].acknowledge().name(), "a");
  ASSERT_EQ(requests[1].release().names_size(), 1) << "it goes with what it was taken with";
  EXPECT_EQ(requests[1].release().names(0), "b");
  EXPECT_TRUE(Holds::acknowledgements(*lock).empty());
  EXPECT_EQ(holds_.let_go(lock, out_).error, Error::not_held);
}

TEST_F(HoldsTest, AReminderOfAnEarlierHoldDoesNotEndALaterOne) {
  const auto lock = hold({"name"}, 9);
  EXPECT_TRUE(holds_.hear(over("name", 7), out_)) << "nobody works on that one";
  EXPECT_TRUE(holds_.hear(over("name", 9, 2), out_)) << "another owner's";
  EXPECT_TRUE(lock->is(Claim::State::held));
  EXPECT_FALSE(holds_.hear(over("name", 9), out_));
  EXPECT_TRUE(lock->is(Claim::State::lost));
}

TEST_F(HoldsTest, NobodyIsToldOfTheLossOfWhatHasBeenReleasedSince) {
  const auto lock = hold({"name"}, 7);
  bool is_told = false;
  lock->add_on_lost([&](const Failure&) { is_told = true; }, out_);
  lock->add_on_jeopardy([&](bool) { is_told = true; });
  holds_.tell_jeopardy(true, out_);
  holds_.lose_all({Error::session_lost, {}}, out_);
  EXPECT_EQ(holds_.let_go(lock, out_).error, Error::session_lost);
  make_calls(out_);
  EXPECT_FALSE(is_told);
}

TEST_F(HoldsTest, OfSeveralNamesThoseThatWereNotLostAreGivenBack) {
  proto::Reply::Granted granted = test::granted(9);
  for (const std::uint64_t fence : {0, 8, 9}) granted.add_parts()->set_fence(fence);
  const auto rest = release_of_rest(acquire_of({"a", "b", "c"}, 5).acquire(), granted);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].release().names(0), "b");
  EXPECT_EQ(rest[1].release().names(0), "c");
  EXPECT_EQ(rest[1].release().owner(), 5u);
}

TEST_F(HoldsTest, ALockThatIsHeldTwiceIsReportedOnceWithItsLatestFence) {
  hold({"name"}, 7);
  hold({"name", "other"}, 9);
  const auto lost = hold({"lost"}, 10);
  EXPECT_FALSE(holds_.hear(over("lost", 10), out_));
  proto::Reclaim reclaim;
  holds_.describe(reclaim);
  ASSERT_EQ(reclaim.held_size(), 2);
  EXPECT_EQ(reclaim.held(0).name(), "name");
  EXPECT_EQ(reclaim.held(0).times(), 2u);
  EXPECT_EQ(reclaim.held(0).fence(), 9u);
  EXPECT_EQ(reclaim.held(1).name(), "other");
  EXPECT_EQ(reclaim.held(1).times(), 1u);
}

TEST_F(HoldsTest, UpgradeDowngradeAndProclaimChangeWhatIsReported) {
  const auto lock = hold({"name"}, 7);
  proto::Request downgrade;
  downgrade.mutable_downgrade();
  holds_.answered(lock, downgrade, {});
  EXPECT_TRUE(lock->is_shared);
  proto::Request upgrade;
  upgrade.mutable_upgrade();
  holds_.answered(lock, upgrade, test::granted(8));
  proto::Request proclaim;
  proclaim.mutable_proclaim()->set_value("me");
  holds_.answered(lock, proclaim, {});
  proto::Reclaim reclaim;
  holds_.describe(reclaim);
  EXPECT_EQ(reclaim.held(0).mode(), proto::EXCLUSIVE);
  EXPECT_EQ(reclaim.held(0).fence(), 8u);
  EXPECT_EQ(reclaim.held(0).value(), "me");
}

TEST_F(HoldsTest, ALockThatIsGrantedTwiceStopsTheProgram) {
  const auto lock = hold({"name"}, 7);
  EXPECT_DEATH(holds_.answered(lock, acquire_of({"name"}), test::granted(8)),
               "this is a bug.*a lock was granted twice");
}

}  // namespace
}  // namespace baton::client
