// Groups of which the greater part is gone.
#include <gtest/gtest.h>

#include "peers/member/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

TEST(MajorityLost, ClientsWaitAndAreToldForWhom) {
  Band band;
  Client client = band.connect(0, 60s);
  const Lock held = client.lock("till").value();
  Client other = band.connect(0, 60s);
  auto waits = ask(other, "till");
  auto waits_elsewhere = ask(other, "safe");
  ASSERT_TRUE(comes(waits_elsewhere));
  Lock safe = waits_elsewhere.get().value();
  const std::uint64_t before = held.fence();
  band.kill(1);
  band.kill(2);
  ASSERT_TRUE(eventually([&] { return !held.is_held() && !safe.is_held(); })) << band.logs();
  std::string trouble;
  ASSERT_TRUE(eventually([&] {
    const auto info = band.status(0);
    trouble = info ? info->trouble : "";
    return has(trouble, "only 1 of 3 members can be reached");
  })) << trouble;
  EXPECT_TRUE(has(trouble, "Waiting for 2")) << trouble;
  EXPECT_TRUE(has(trouble, ", 3")) << trouble;
  EXPECT_TRUE(band.will_say(0, "only 1 of 3 members can be reached")) << band.log(0);
  const Outcome status = baton("status --url " + band.url(0));
  EXPECT_TRUE(has(status.out + status.err, "Waiting for 2")) << status.out << status.err;
  EXPECT_EQ(waits.wait_for(0s), std::future_status::timeout) << "nothing is granted";

  band.start(1);
  ASSERT_TRUE(comes(waits)) << "two of three are enough\n" << band.logs();
  auto got = waits.get();
  ASSERT_TRUE(got) << got.message();
  EXPECT_GT(got->fence(), before);
}

TEST(MajorityLost, AllOfItComesBackWithLargerFences) {
  Band band({.is_hasty = true});
  std::uint64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    std::uint64_t fence = 0;
    {
      Client client = band.connect(static_cast<std::size_t>(round), 1s);
      fence = client.lock("till").value().fence();
    }
    EXPECT_GT(fence, before);
    before = fence;
    for (std::size_t i = 0; i < band.size(); ++i) band.kill(i);
    for (std::size_t i = 0; i < band.size(); ++i) band.start(i);
    band.wait_until_all_work();
  }
}

TEST(MajorityLost, AMemberThatIsAloneSaysWhyTheOthersCannotBeReached) {
  Band band({.starts = false});
  band.start(0);
  ASSERT_TRUE(eventually([&] {
    const auto info = band.status(0);
    return info && has(info->trouble, "Connection");
  })) << (band.status(0) ? band.status(0)->trouble : "nothing");
  for (const std::string how : {"--wait 200ms", "--try"}) {
    const Outcome refused = baton("lock --url " + band.url(0) + " " + how + " till -- true");
    EXPECT_EQ(refused.code, 75) << refused.err;
    EXPECT_TRUE(has(refused.err, "only 1 of 3 members can be reached")) << refused.err;
    EXPECT_FALSE(has(refused.err, "somebody else holds it")) << refused.err;
  }
}

TEST(Stopped, MembersSayGoodbyeCleanlyAndTheirLocksGoOn) {
  Band band;
  Client client = band.connect(2);
  const Lock held = client.lock("till").value();
  EXPECT_EQ(band.stop(0), 0) << band.log(0);
  ASSERT_TRUE(eventually([&] { return band.works(1, 2) && band.works(2, 2); })) << band.logs();
  EXPECT_TRUE(held.is_held()) << to_string(held.why_lost()) << "\n" << band.logs();
}

}  // namespace
}  // namespace baton::test
