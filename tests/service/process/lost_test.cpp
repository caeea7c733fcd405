// What happens when the lock is lost, and that nothing of the command is left when it is said.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "service/process/detached.h"
#include "service/process/scripted_run.h"

namespace baton::process::test {
namespace {

// Still able to log.
void become_nobody(const ScriptedRun& run) {
  std::filesystem::permissions(run.scratch.file(""), std::filesystem::perms::all);
  std::filesystem::permissions(run.scratch.file("log"), std::filesystem::perms::all);
  EXPECT_EQ(setresuid(65534, 65534, 65534), 0);
}

class Lost : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Process, Lost, testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "Cgroup" : "Ancestry";
});

TEST_P(Lost, StopsEverythingBeforeItIsSaid) {
  ScriptedRun run(tree_script);
  run.options.use_cgroup = GetParam();
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(are_gone(tree));
  EXPECT_FALSE(run.has_logged("released"));
  EXPECT_EQ(run.scratch.text("message"), "as ordered\n");
}

TEST_P(Lost, AsksToEndBeforeItKills) {
  ScriptedRun run(R"(
    trap 'sleep 0.1; echo tidy >> $DIR/log; exit 0' TERM
    echo $$ > $DIR/command
    while :; do sleep 0.02; done)");
  run.options.use_cgroup = GetParam();
  run.options.kill_after = std::chrono::seconds(20);
  run.start_held();
  run.scratch.number("command");
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(run.has_logged("tidy"));
}

TEST_P(Lost, StopsWhatIsStopped) {
  ScriptedRun run(R"(
    trap 'echo tidy >> $DIR/log; exit 0' TERM
    echo $$ > $DIR/command
    kill -STOP $$
    while :; do sleep 0.02; done)");
  run.options.use_cgroup = GetParam();
  run.options.kill_after = std::chrono::seconds(20);
  run.start_held();
  const pid_t command = run.scratch.number("command");
  ASSERT_TRUE(eventually([&] { return is_stopped(command) && is_stopped(run.foreground()); }));
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_FALSE(is_alive(command));
  EXPECT_TRUE(run.has_logged("tidy"));
}

TEST_P(Lost, StopsWhatKeepsForking) {
  ScriptedRun run(R"(
    hop() { (trap '' TERM; sleep 0.01; hop) & }
    hop; hop; hop
    echo $$ > $DIR/command
    while :; do sleep 1000; done)");
  run.options.use_cgroup = GetParam();
  run.start_held();
  run.scratch.number("command");
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_EQ(run.scratch.text("message"), "as ordered\n");
}

TEST_P(Lost, TheGuardStopsEverythingInTimeEvenIfTheKeeperIsStopped) {
  ScriptedRun run(tree_script);
  run.options.use_cgroup = GetParam();
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  const pid_t lease_keeper = run.lease_keeper();
  run.order('s');
  // When the keeper asks for the second time it has passed on what it was told at the first.
  ASSERT_TRUE(eventually([&] { return run.times_logged("asked when") >= 1; }));
  run.order('h');
  ASSERT_TRUE(eventually([&] { return run.times_logged("asked when") >= 2; }));
  kill(lease_keeper, SIGSTOP);
  EXPECT_TRUE(eventually([&] { return are_gone(tree); }));
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_FALSE(is_alive(lease_keeper));
}

TEST_P(Lost, TheGuardsStopIsReportedByAKeeperThatIsWell) {
  ScriptedRun run(tree_script);
  run.options.use_cgroup = GetParam();
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  run.order('s');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(are_gone(tree));
  EXPECT_EQ(run.scratch.text("message"), "the lock was not renewed in time\n");
}

TEST(LostOtherwise, TellsTheCommandAndLetsItEnd) {
  ScriptedRun run(R"(
    trap 'echo told >> $DIR/log; exit 0' USR1
    echo $$ > $DIR/command
    while :; do sleep 0.02; done)");
  run.options.on_lost = OnLost::signal;
  run.options.lost_signal = SIGUSR1;
  run.start_held();
  run.scratch.number("command");
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(run.has_logged("told"));
  EXPECT_FALSE(run.has_logged("released"));
}

TEST(LostOtherwise, IsIgnoredIfAskedTo) {
  ScriptedRun run("echo $$ > $DIR/command; until [ -e $DIR/enough ]; do sleep 0.02; done; exit 6");
  run.options.on_lost = OnLost::ignore;
  run.start_held();
  const pid_t command = run.scratch.number("command");
  run.order('s');
  run.order('l');
  poll(nullptr, 0, 500);
  EXPECT_TRUE(is_alive(command));
  std::ofstream(run.scratch.file("enough")) << "yes";
  EXPECT_EQ(run.exit_code(), 6);
}

TEST(LostOtherwise, BeforeTheCommandStartsItNeverDoes) {
  for (const OnLost on_lost : {OnLost::stop, OnLost::signal, OnLost::ignore}) {
    ScriptedRun run("touch $DIR/ran");
    run.options.on_lost = on_lost;
    run.start();
    ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
    kill(run.foreground(), SIGSTOP);
    ASSERT_TRUE(eventually([&] { return is_stopped(run.foreground()); }));
    run.order('h');
    run.order('l');
    EXPECT_TRUE(eventually([&] { return run.times_logged("told why") > 0; }));
    kill(run.foreground(), SIGCONT);
    EXPECT_EQ(run.exit_code(), exit_code::lost);
    EXPECT_FALSE(run.scratch.has("ran"));
  }
}

TEST(LostOtherwise, WhatCouldNotBeStoppedKeepsTheLock) {
  if (getuid() != 0) GTEST_SKIP() << "needs processes of two users";
  ScriptedRun run(tree_script);
  run.in_keeper = [&run] { become_nobody(run); };
  run.start_held();
  tree_of(run);
  const pid_t lease_keeper = run.lease_keeper();
  kill(run.reaper(), SIGSTOP);
  kill(run.foreground(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(lease_keeper); }));
  EXPECT_FALSE(run.has_logged("released"));
}

TEST(LostOtherwise, SaysWhatCouldNotBeStoppedAndDoesNotRelease) {
  if (getuid() != 0) GTEST_SKIP() << "needs processes of two users";
  ScriptedRun run(tree_script);
  // The reaper and the command remain root's, which this keeper may not kill.
  run.in_keeper = [&run] { become_nobody(run); };
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  kill(run.reaper(), SIGSTOP);
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  const std::string message = run.scratch.text("message");
  EXPECT_NE(message.find("could not be stopped: "), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(tree.back()) + " (sh)"), std::string::npos) << message;
  EXPECT_FALSE(run.has_logged("released"));
}

TEST(Detached, TheMarkCannotBeInherited) {
  ScriptedRun run("export BATON_DETACHED=$$;" + tree_script);
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(are_gone(tree));
}

TEST(Detached, OutlivesTheRunThatStartedIt) {
  // Once by the holder, as when it needs a local server, and once by the command.
  ScriptedRun run("sh -c 'BATON_DETACHED=$$ exec sleep 1000' & echo $! > $DIR/other;" +
                  tree_script);
  run.in_keeper = [&run] {
    Command server{.words = {"/bin/sh", "-c", "echo $$ > $DIR/server; exec sleep 1000"}};
    server.environment = {{"DIR", run.scratch.file("")}};
    EXPECT_EQ(start_detached(server), 0);
    EXPECT_EQ(start_detached({.words = {"baton-has-no-such-program"}}), ENOENT);
  };
  run.start_held();
  const std::vector<pid_t> tree = tree_of(run);
  const pid_t server = run.scratch.number("server");
  const pid_t other = run.scratch.number("other");
  EXPECT_NE(getsid(server), getsid(run.lease_keeper()));
  EXPECT_NE(getsid(server), getsid(0));
  run.order('l');
  EXPECT_EQ(run.exit_code(), exit_code::lost);
  EXPECT_TRUE(are_gone(tree));
  EXPECT_TRUE(is_alive(server));
  EXPECT_TRUE(is_alive(other));
  kill(server, SIGKILL);
  kill(other, SIGKILL);
}

}  // namespace
}  // namespace baton::process::test
