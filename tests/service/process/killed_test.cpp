// Any of Baton's processes may be killed, and two of them at once, at any stage: the command and
// all that it started goes down.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "service/process/descendants.h"
#include "service/process/scripted_run.h"
#include "support/test_name.h"

namespace baton::process::test {
namespace {

struct Case {
  bool foreground = false;
  bool lease_keeper = false;
  bool reaper = false;
  bool use_cgroup = false;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const bool use_cgroup : {false, true}) {
    for (int which = 1; which < 7; ++which) {
      cases.push_back({(which & 1) != 0, (which & 2) != 0, (which & 4) != 0, use_cgroup});
    }
  }
  return cases;
}

bool nothing_is_below() {
  const std::vector<Process> found = descendants_of(getpid());
  return std::none_of(found.begin(), found.end(), [](const Process& one) { return one.is_alive; });
}

void PrintTo(const Case& chosen, std::ostream* to) {
  *to << (chosen.foreground ? "Foreground" : "") << (chosen.lease_keeper ? "LeaseKeeper" : "")
      << (chosen.reaper ? "Reaper" : "") << (chosen.use_cgroup ? "WithCgroup" : "");
}

class Killed : public testing::TestWithParam<Case> {
 public:
  void kill_them(const ScriptedRun& run) {
    const pid_t lease_keeper = run.lease_keeper();
    const pid_t reaper = run.reaper();
    ours = {run.foreground(), lease_keeper, reaper};
    if (GetParam().foreground) kill(run.foreground(), SIGKILL);
    if (GetParam().lease_keeper) kill(lease_keeper, SIGKILL);
    if (GetParam().reaper) kill(reaper, SIGKILL);
  }
  std::vector<pid_t> ours;
};
INSTANTIATE_TEST_SUITE_P(Process, Killed, testing::ValuesIn(all_cases()), baton::test::as_printed);

TEST_P(Killed, WhileItWaitsForTheLock) {
  ScriptedRun run("touch $DIR/ran");
  run.options.use_cgroup = GetParam().use_cgroup;
  run.start();
  ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
  kill_them(run);
  if (GetParam().foreground) {
    EXPECT_EQ(WTERMSIG(run.wait()), SIGKILL);
  } else {
    EXPECT_EQ(run.exit_code(), exit_code::failed);
  }
  EXPECT_TRUE(eventually([&] { return are_gone(ours); }));
  EXPECT_FALSE(run.scratch.has("ran"));
  EXPECT_EQ(run.has_logged("released"), !GetParam().lease_keeper);
}

TEST_P(Killed, WhileTheCommandRuns) {
  ScriptedRun run(tree_script);
  run.options.use_cgroup = GetParam().use_cgroup;
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  kill_them(run);
  if (GetParam().foreground) {
    EXPECT_EQ(WTERMSIG(run.wait()), SIGKILL);
  } else {
    EXPECT_EQ(run.exit_code(), GetParam().lease_keeper ? exit_code::lost : exit_code::failed);
    EXPECT_TRUE(are_gone(tree)) << "said before it was true";
  }
  EXPECT_TRUE(eventually([&] { return are_gone(tree); }));
  EXPECT_TRUE(eventually([&] { return are_gone(ours); }));
  EXPECT_EQ(run.has_logged("released"), !GetParam().lease_keeper);
}

TEST_P(Killed, WhileTheJobIsStopped) {
  ScriptedRun run("sleep 1000 & echo $! > $DIR/child; echo $$ > $DIR/command; kill -STOP $$");
  run.options.use_cgroup = GetParam().use_cgroup;
  run.start_held();
  const std::vector<pid_t> tree = {run.scratch.number("child"), run.scratch.number("command")};
  ASSERT_TRUE(eventually([&] { return is_stopped(run.foreground()); }));
  kill_them(run);
  // A stopped foreground cannot see to anything, but only the keeper and the reaper together are
  // spared from having to; then it is continued by whoever looks after the job.
  if (!GetParam().foreground) kill(run.foreground(), SIGCONT);
  run.wait();
  EXPECT_TRUE(eventually([&] { return are_gone(tree) && are_gone(ours); }));
}

TEST_P(Killed, WhileTheCommandIsBeingStopped) {
  ScriptedRun run(tree_script);
  run.options.use_cgroup = GetParam().use_cgroup;
  run.options.kill_after = std::chrono::seconds(3);
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  const pid_t lease_keeper = run.lease_keeper();
  run.order('l');
  ASSERT_TRUE(eventually([&] { return !is_alive(tree.front()); }));
  ASSERT_TRUE(is_alive(lease_keeper));
  kill_them(run);
  run.wait();
  EXPECT_TRUE(eventually([&] { return are_gone(tree) && are_gone(ours); }));
}

TEST(KilledOtherwise, TheWholeProcessGroup) {
  ScriptedRun run(tree_script);
  run.in_front = [] { setpgid(0, 0); };
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  const pid_t lease_keeper = run.lease_keeper();
  kill(-run.foreground(), SIGKILL);
  EXPECT_EQ(WTERMSIG(run.wait()), SIGKILL);
  EXPECT_TRUE(eventually([&] { return are_gone(tree) && !is_alive(lease_keeper); }));
  EXPECT_TRUE(run.has_logged("released"));
}

TEST(KilledOtherwise, AllAtOnceTakesTheCommandItself) {
  ScriptedRun run("echo $$ > $DIR/command; exec sleep 1000");
  run.start_held();
  const pid_t command = run.scratch.number("command");
  const pid_t lease_keeper = run.lease_keeper();
  const pid_t reaper = run.reaper();
  for (const pid_t process : {run.foreground(), lease_keeper, reaper}) kill(process, SIGKILL);
  EXPECT_EQ(WTERMSIG(run.wait()), SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(command); }));
}

TEST(KilledOtherwise, AtAnyMoment) {
  // Killed a little later each time, from before the keeper exists to the end of the command.
  for (int microseconds = 0; microseconds < 30'000; microseconds += 1'000) {
    ScriptedRun run("sleep 1000 & echo $! > $DIR/child; wait");
    run.start_held();
    usleep(static_cast<useconds_t>(microseconds));
    kill(run.foreground(), SIGKILL);
    EXPECT_EQ(WTERMSIG(run.wait()), SIGKILL);
    EXPECT_TRUE(eventually([] { return nothing_is_below(); })) << microseconds;
  }
}

TEST(KilledOtherwise, TheCommandByItself) {
  ScriptedRun run("echo $$ > $DIR/command; exec sleep 1000");
  run.start_held();
  kill(run.scratch.number("command"), SIGKILL);
  EXPECT_EQ(WTERMSIG(run.wait()), SIGKILL);
  EXPECT_TRUE(run.has_logged("released"));
}

}  // namespace
}  // namespace baton::process::test
