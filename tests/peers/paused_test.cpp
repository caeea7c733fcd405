// Members that are stopped for longer than their lease, and go on as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>

#include "baton/fence.h"
#include "peers/algorithms.h"
#include "peers/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

class Paused : public testing::TestWithParam<std::string> {};

TEST_P(Paused, HolderIsToldAndItsLateWriteRefused) {
  Band band({.algorithm = GetParam()});
  auto fence = Fence::in_file(band.file("fence").string()).value();
  Client zombie = band.connect(0, 60s);
  Client second = band.connect(1);
  Client third = band.connect(2);
  const Lock old = zombie.lock("till").value();
  ASSERT_TRUE(fence.admit(old.fence()));

  band.pause(0);
  auto next = ask(second, "till");
  ASSERT_TRUE(comes(next)) << band.logs();
  Lock newer = next.get().value();
  EXPECT_GT(newer.fence(), old.fence());
  ASSERT_TRUE(fence.admit(newer.fence()));

  band.resume(0);
  ASSERT_TRUE(eventually([&] { return !old.is_held(); })) << band.logs();
  EXPECT_EQ(old.why_lost().error, Error::lock_lost) << to_string(old.why_lost());
  EXPECT_NE(old.why_lost().message.find("lost touch with the group"), std::string::npos)
      << to_string(old.why_lost());
  EXPECT_TRUE(zombie.is_alive()) << "only what it held is lost";
  EXPECT_EQ(fence.admit(old.fence()).error(), Error::stale);
  EXPECT_TRUE(newer.is_held()) << "the zombie takes nothing away";

  // It is a member as before.
  band.wait_until_all_work();
  std::vector<std::future<Result<Lock>>> waiting;
  waiting.push_back(ask(zombie, "till"));
  waiting.push_back(ask(third, "till"));
  std::uint64_t last = newer.fence();
  ASSERT_TRUE(newer.release());
  const auto is_ready = [](const auto& one) {
    return one.wait_for(0s) == std::future_status::ready;
  };
  while (!waiting.empty()) {
    auto ready = waiting.end();
    ASSERT_TRUE(eventually([&] {
      ready = std::find_if(waiting.begin(), waiting.end(), is_ready);
      return ready != waiting.end();
    })) << band.logs();
    const Lock got = ready->get().value();
    waiting.erase(ready);
    EXPECT_GT(got.fence(), last);
    EXPECT_TRUE(fence.admit(got.fence()));
    last = got.fence();
  }
}

INSTANTIATE_TEST_SUITE_P(ByAlgorithm, Paused,
                         testing::Values("ricart-agrawala", "suzuki-kasami", "central",
                                         "naimi-trehel", "token-ring", "maekawa-sanders"),
                         as_identifier);

TEST(PausedCommand, IsStoppedWhenItsMemberFindsOut) {
  Band band;
  setenv("F", band.file("").c_str(), 1);
  Running command("$BATON lock --url " + band.url(2) +
                  " till -- sh -c 'touch $F/inside; while :; do sleep 0.05; done'");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(band.file("inside")); }))
      << command.err();
  band.pause(2);
  const Outcome other = baton("lock --url " + band.url(0) + " till -- true");
  EXPECT_EQ(other.code, 0) << other.err;
  band.resume(2);
  EXPECT_EQ(command.wait(), 123) << command.err();
  EXPECT_TRUE(has(command.err(), "lost 'till'")) << command.err();
}

}  // namespace
}  // namespace baton::test
