// The cgroup of a run, where one can be had.
#include "service/process/cgroup.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>

#include "service/process/descendants.h"
#include "service/process/scripted_run.h"

namespace baton::process::test {
namespace {

// Where the cgroups of runs are made.
std::optional<std::filesystem::path> place() {
  const auto made = Cgroup::make();
  if (!made) return std::nullopt;
  made->remove();
  return std::filesystem::path(made->path()).parent_path();
}

TEST(Cgroup, HoldsTheCommandAndGoesWithIt) {
  const auto where = place();
  if (!where) GTEST_SKIP() << "no cgroup can be made here";
  ScriptedRun run(tree_script);
  run.options.use_cgroup = true;
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  const std::string name = "baton-run-" + std::to_string(run.foreground());
  EXPECT_TRUE(std::filesystem::exists(*where / name));
  for (const pid_t process : tree) {
    EXPECT_TRUE(read_file("/proc/" + std::to_string(process) + "/cgroup").ends_with(name + "\n"));
  }
  for (const pid_t process : {run.foreground(), run.lease_keeper(), run.reaper()}) {
    EXPECT_FALSE(read_file("/proc/" + std::to_string(process) + "/cgroup").ends_with(name + "\n"));
  }
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(are_gone(tree));
  EXPECT_FALSE(std::filesystem::exists(*where / name));
}

TEST(Cgroup, IsRemovedByWhoeverIsLeft) {
  const auto where = place();
  if (!where) GTEST_SKIP() << "no cgroup can be made here";
  for (int which = 1; which < 7; ++which) {
    ScriptedRun run("echo $$ > $DIR/command; sleep 1000");
    run.options.use_cgroup = true;
    run.start_held();
    run.scratch.number("command");
    const std::vector<pid_t> ours = {run.foreground(), run.lease_keeper(), run.reaper()};
    for (int i = 0; i < 3; ++i) {
      if ((which & (1 << i)) != 0) kill(ours[static_cast<std::size_t>(i)], SIGKILL);
    }
    run.wait();
    const auto folder = *where / ("baton-run-" + std::to_string(run.foreground()));
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(folder); })) << which;
  }
}

TEST(Cgroup, LetsGoOfWhatIsToGoOn) {
  const auto where = place();
  if (!where) GTEST_SKIP() << "no cgroup can be made here";
  ScriptedRun run("sleep 1000 & echo $! > $DIR/left");
  run.options.use_cgroup = true;
  run.start_held();
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_TRUE(is_alive(run.scratch.number("left")));
  EXPECT_FALSE(std::filesystem::exists(*where / ("baton-run-" + std::to_string(run.foreground()))));
}

TEST(Cgroup, IsLeftByWhatIsDetached) {
  const auto made = Cgroup::make();
  if (!made) GTEST_SKIP() << "no cgroup can be made here";
  const pid_t child = fork();
  if (child == 0) {
    const bool entered = made->enter() && !made->is_empty();
    leave_cgroup_of_run();
    _exit(entered && made->is_empty() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  made->remove();
  EXPECT_FALSE(std::filesystem::exists(made->path()));
}

}  // namespace
}  // namespace baton::process::test
