// Members that are killed while their clients hold a lock or wait for it.
#include <gtest/gtest.h>

#include "peers/member/algorithms.h"
#include "peers/member/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// So that the clients of a member that is gone give up soon.
constexpr auto short_ttl = 1s;

// How many hold and wait, all over the group, as "1+0".
std::string use_of(Client& client, const std::string& name) {
  const auto info = client.locks({.name = name});
  if (!info) return info.message();
  std::size_t holders = 0;
  std::size_t waiters = 0;
  for (const LockInfo& one : info->locks) {
    holders += one.holders.size();
    waiters += one.waiters.size();
  }
  return std::to_string(holders) + "+" + std::to_string(waiters);
}

class Killed : public testing::TestWithParam<std::string> {
 protected:
  // The member whose client holds the lock, while clients of the two others wait.
  void kill_holder(std::size_t holder) {
    Band band({.algorithm = GetParam()});
    const std::size_t next = (holder + 1) % 3;
    const std::size_t last = (holder + 2) % 3;
    Client first = band.connect(holder, short_ttl);
    Client second = band.connect(next);
    Client third = band.connect(last);
    const Lock held = first.lock("till").value();
    auto waits = ask(second, "till");
    auto waits_too = ask(third, "till");
    ASSERT_TRUE(eventually([&] { return use_of(second, "till") == "1+2"; })) << band.logs();

    band.kill(holder);
    ASSERT_TRUE(eventually([&] { return use_of(second, "till") == "1+1"; })) << band.logs();
    const bool is_second = waits.wait_for(0s) == std::future_status::ready;
    auto& sooner = is_second ? waits : waits_too;
    auto& later = is_second ? waits_too : waits;
    ASSERT_TRUE(comes(sooner)) << band.logs();
    auto winner = sooner.get();
    ASSERT_TRUE(winner) << winner.message();
    EXPECT_GT(winner->fence(), held.fence());
    const std::uint64_t fence = winner->fence();
    ASSERT_TRUE(winner->release());
    ASSERT_TRUE(comes(later)) << band.logs();
    auto loser = later.get();
    ASSERT_TRUE(loser) << loser.message();
    EXPECT_GT(loser->fence(), fence);
    EXPECT_TRUE(eventually([&] { return !held.is_held(); })) << "its client finds out";

    // Who comes back is new, and takes part.
    band.start(holder);
    band.wait_until_all_work();
    Client again = band.connect(holder);
    auto asked = ask(again, "till");
    EXPECT_TRUE(loser->is_held()) << "what a living member holds it keeps: "
                                  << to_string(loser->why_lost()) << "\n"
                                  << band.logs();
    ASSERT_TRUE(loser->release());
    ASSERT_TRUE(comes(asked)) << band.logs();
    auto got = asked.get();
    ASSERT_TRUE(got) << got.message();
    EXPECT_GT(got->fence(), fence);
  }
};

TEST_P(Killed, ThePlaceOfALockThatIsHeldByALaterMemberIsTakenByTheOthers) { kill_holder(2); }

// Where there is a coordinator, a root or a first token, it is there.
TEST_P(Killed, TheFirstMemberLeavesItsLockToTheOthers) { kill_holder(0); }

TEST_P(Killed, AMemberThatOnlyWaitsIsNotMissed) {
  Band band({.algorithm = GetParam()});
  Client first = band.connect(1);
  Client doomed = band.connect(0, short_ttl);
  Client third = band.connect(2);
  Lock held = first.lock("till").value();
  auto never = ask(doomed, "till");
  auto waits = ask(third, "till");
  ASSERT_TRUE(eventually([&] { return use_of(first, "till") == "1+2"; })) << band.logs();
  band.kill(0);
  ASSERT_TRUE(eventually([&] { return band.works(1, 2) && band.works(2, 2); })) << band.logs();
  EXPECT_TRUE(held.is_held()) << "what a living member holds it keeps: "
                              << to_string(held.why_lost()) << "\n"
                              << band.logs();
  ASSERT_TRUE(held.release());
  ASSERT_TRUE(comes(waits)) << band.logs();
  auto got = waits.get();
  ASSERT_TRUE(got) << got.message();
}

INSTANTIATE_TEST_SUITE_P(ByAlgorithm, Killed, testing::ValuesIn(all_locks()), as_identifier);

// --- Elections ----------------------------------------------------------------------------------

std::size_t arbiter_of(const Band& band, std::size_t seen_by) {
  const auto info = band.status(seen_by);
  if (!info || !info->group) return band.size();
  for (const PeerMemberInfo& one : info->group->members) {
    if (one.is_arbiter) return std::stoul(one.id) - 1;
  }
  return band.size();
}

class KilledArbiter : public testing::TestWithParam<std::string> {};

TEST_P(KilledArbiter, IsReplacedAndTheLeaderStays) {
  Band band({.election = GetParam()});
  std::size_t arbiter = band.size();
  ASSERT_TRUE(eventually([&] { return (arbiter = arbiter_of(band, 0)) < band.size(); }));
  const std::size_t leader = (arbiter + 1) % 3;
  const std::size_t other = (arbiter + 2) % 3;
  Client first = band.connect(leader);
  Client second = band.connect(other);
  auto leads = first.election("shift").campaign("first");
  ASSERT_TRUE(leads) << leads.message();
  const auto seen = [&](Client& client) {
    const auto who = client.election("shift").leader();
    return who && *who ? (*who)->value : std::string();
  };
  ASSERT_TRUE(eventually([&] { return seen(second) == "first"; })) << band.logs();

  band.kill(arbiter);
  ASSERT_TRUE(eventually([&] { return band.works(leader, 2) && band.works(other, 2); }))
      << band.logs();
  EXPECT_TRUE(leads->is_leader()) << band.logs();
  EXPECT_EQ(seen(second), "first");
  const std::uint64_t term = leads->term();
  ASSERT_TRUE(leads->resign());
  auto next = second.election("shift").campaign("second", {.wait = 60s});
  ASSERT_TRUE(next) << next.message() << "\n" << band.logs();
  EXPECT_GT(next->term(), term);
  EXPECT_TRUE(eventually([&] { return seen(first) == "second"; })) << band.logs();
}

INSTANTIATE_TEST_SUITE_P(ByAlgorithm, KilledArbiter,
                         testing::Values("chang-roberts", "ring-election", "hirschberg-sinclair",
                                         "randomized"),
                         as_identifier);

}  // namespace
}  // namespace baton::test
