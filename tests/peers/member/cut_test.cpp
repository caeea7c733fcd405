// Connections between members that carry nothing, in one direction or both, or break.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "peers/member/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// Views that anybody has told of.
std::size_t views(const Band& band) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < band.size(); ++i) {
    const std::string log = band.log(i);
    for (std::size_t at = 0; (at = log.find(", epoch ", at)) != log.npos; ++at) ++count;
  }
  return count;
}

// Takes a lock and lets it go, so many times.
testing::AssertionResult take_turns(Client& client, int times) {
  for (int i = 0; i < times; ++i) {
    auto lock = client.lock("till", {.wait = 60s});
    if (!lock) return testing::AssertionFailure() << lock.message();
    if (auto released = lock->release(); !released) {
      return testing::AssertionFailure() << released.message();
    }
  }
  return testing::AssertionSuccess();
}

// The members that are in a view of two, and have a lease in it.
std::vector<std::size_t> of_the_majority(const Band& band) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < band.size(); ++i) {
    if (band.works(i, 2)) found.push_back(i);
  }
  return found;
}

TEST(Cut, BetweenTwoThatReachAThirdLeavesAGroupThatStaysAsItIs) {
  Band band;
  band.between(0, 1).cut();
  std::vector<std::size_t> others;
  ASSERT_TRUE(eventually([&] { return (others = of_the_majority(band)).size() == 2; }))
      << band.logs();
  EXPECT_EQ(others.back(), 2U) << "who reaches both stays";
  std::vector<Client> clients;
  for (const std::size_t member : others) clients.push_back(band.connect(member));
  const std::size_t before = views(band);
  for (int round = 0; round < 20; ++round) {
    for (Client& client : clients) {
      ASSERT_TRUE(take_turns(client, 5)) << band.logs();
    }
    std::this_thread::sleep_for(50ms);  // many heartbeats in all
  }
  EXPECT_LE(views(band), before + 4) << "they depose each other\n" << band.logs();

  band.between(0, 1).heal();
  band.wait_until_all_work();
  for (std::size_t i = 0; i < band.size(); ++i) {
    Client client = band.connect(i);
    EXPECT_TRUE(take_turns(client, 5)) << band.logs();
  }
}

TEST(Cut, OfAMemberThatHoldsALockTakesItAway) {
  Band band;
  Client client = band.connect(2);
  const Lock held = client.lock("till").value();
  band.cut_off(2);
  Client other = band.connect(0);
  auto asked = ask(other, "till");
  ASSERT_TRUE(comes(asked)) << band.logs();
  EXPECT_FALSE(held.is_held()) << "it finds out before anybody else can have it";
  EXPECT_TRUE(band.will_say(2, "only 1 of 3 members can be reached")) << band.log(2);
  EXPECT_GT(asked.get().value().fence(), held.fence());
  band.heal();
  band.wait_until_all_work();
}

// What goes one way does not come the other.
class HalfOpen : public testing::TestWithParam<Way> {};

TEST_P(HalfOpen, ConnectionIsGivenUpAndTheOthersGoOn) {
  Band band;
  band.between(0, 2).cut(GetParam());
  band.between(1, 2).cut(GetParam());
  ASSERT_TRUE(eventually([&] { return band.works(0, 2) && band.works(1, 2); })) << band.logs();
  Client client = band.connect(0);
  Client other = band.connect(1);
  EXPECT_TRUE(take_turns(client, 5)) << band.logs();
  EXPECT_TRUE(take_turns(other, 5)) << band.logs();
  EXPECT_FALSE(band.works(2, 3));
  band.heal();
  band.wait_until_all_work();
  Client back = band.connect(2);
  EXPECT_TRUE(take_turns(back, 5)) << band.logs();
}

INSTANTIATE_TEST_SUITE_P(ByDirection, HalfOpen, testing::Values(Way::up, Way::down, Way::both),
                         [](const auto& way) {
                           return way.param == Way::up     ? "Up"
                                  : way.param == Way::down ? "Down"
                                                           : "Both";
                         });

// So often that a pause before each connection would be most of the time that there is.
TEST(BrokenConnections, AreMadeAgainAndNothingIsLost) {
  Band band;
  std::atomic<int> times = 0;
  std::atomic<bool> is_over = false;
  std::thread breaker([&] {
    for (; !is_over; ++times) {
      for (std::size_t i = 0; i < 3; ++i) band.between(i, (i + 1) % 3).reset();
      std::this_thread::sleep_for(30ms);
    }
  });
  std::vector<Client> clients;
  for (std::size_t i = 0; i < band.size(); ++i) clients.push_back(band.connect(i));
  testing::AssertionResult went_well = testing::AssertionSuccess();
  for (int round = 0; (round < 10 || times < 50) && went_well; ++round) {
    for (Client& client : clients) {
      if (went_well) went_well = take_turns(client, 3);
    }
  }
  is_over = true;
  breaker.join();
  EXPECT_TRUE(went_well) << band.logs();
  band.wait_until_all_work();
}

}  // namespace
}  // namespace baton::test
