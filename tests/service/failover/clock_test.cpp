// Wall clocks that jump: leases are measured by another, and fences and epochs rise all the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "service/failover/fleet.h"
#include "service/failover/workload.h"

namespace baton::test {
namespace {

// The library that lets a process believe in another date, if this machine has it.
std::string faketime() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib", ignored)) {
    const auto library = entry.path() / "faketime/libfaketimeMT.so.1";
    if (std::filesystem::exists(library, ignored)) return library.string();
  }
  return {};
}

TEST(WallClock, JumpsOfServersAreNotNoticed) {
  const std::string library = faketime();
  if (library.empty()) GTEST_SKIP() << "there is no libfaketime";
  const support::ScratchDirectory directory;
  const std::string date = (directory.path() / "date").string();
  const auto jump = [&](const char* by) { std::ofstream(date) << by << "\n"; };
  jump("+0");
  Fleet fleet({.environment = {"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + date,
                               "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1"}});
  Workload workload({.url = fleet.url()});
  ASSERT_TRUE(workload.goes_on());
  const std::size_t leader = fleet.leader();
  for (const char* by : {"+86400s", "-86400s"}) {
    jump(by);
    EXPECT_TRUE(workload.goes_on()) << fleet.logs();
    EXPECT_TRUE(fleet.leads(leader));
  }
  EXPECT_EQ(fleet.epochs().size(), 1u) << fleet.logs();
  // Whoever comes to lead now lives in the past, and then one in the future.
  for (const char* by : {"-172800s", "+172800s"}) {
    jump(by);
    const std::size_t next = fleet.leader();
    fleet.kill(next);
    EXPECT_TRUE(workload.goes_on()) << fleet.logs();
    fleet.start(next);
  }
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
  const auto epochs = fleet.epochs();
  EXPECT_EQ(std::set<std::uint64_t>(epochs.begin(), epochs.end()).size(), epochs.size());
}

}  // namespace
}  // namespace baton::test
