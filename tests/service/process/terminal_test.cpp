// Terminal input and job control are as without Baton; only the keeper goes on while the job is
// stopped.
#include "service/process/terminal.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "service/process/descendants.h"
#include "service/process/scripted_run.h"

namespace baton::process::test {
namespace {

const std::string ctrl_c = "\x03";
const std::string ctrl_z = "\x1a";
const std::string ctrl_backslash = "\x1c";

// A run as the job of a terminal.
class JobRun : public ScriptedRun {
 public:
  explicit JobRun(const std::string& script, bool held = true) : ScriptedRun(script) { go(held); }
  explicit JobRun(const std::vector<std::string>& words) : ScriptedRun("") {
    options.command.words = words;
    go(true);
  }
  std::unique_ptr<Terminal> terminal;

 private:
  void go(bool held) {
    launch = [this](const std::function<void()>& be_front) {
      terminal = std::make_unique<Terminal>(be_front);
      adopt(terminal->job());
    };
    start();
    if (held) order('h');
  }
};

TEST(Terminal, TheCommandReadsWhatIsTyped) {
  JobRun run("read line; echo \"got $line\"; exit 4");
  run.terminal->type("some words\n");
  EXPECT_TRUE(run.terminal->shows("got some words"));
  EXPECT_EQ(WEXITSTATUS(run.terminal->next_status()), 4);
}

TEST(Terminal, ControlCEndsTheJobBySignal) {
  JobRun run("echo $$ > $DIR/command; exec sleep 1000");
  const pid_t command = run.scratch.number("command");
  // The shell itself would lose a signal that comes just as it starts something.
  ASSERT_TRUE(eventually([&] {
    const auto found = look_up(command);
    return found && found->name == "sleep";
  }));
  run.terminal->type(ctrl_c);
  const int status = run.terminal->next_status();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_TRUE(run.has_logged("released"));
}

TEST(Terminal, ControlCReachesACommandThatHandlesItOnce) {
  JobRun run(R"(
    trap 'echo INT >> $DIR/got' INT
    trap 'exit 5' QUIT
    echo ready
    while :; do sleep 0.02; done)");
  ASSERT_TRUE(run.terminal->shows("ready"));
  run.terminal->type(ctrl_c);
  EXPECT_TRUE(eventually([&] { return run.scratch.text("got") == "INT\n"; }));
  run.terminal->type(ctrl_backslash);
  EXPECT_EQ(WEXITSTATUS(run.terminal->next_status()), 5);
  EXPECT_EQ(run.scratch.text("got"), "INT\n");
}

TEST(Terminal, ControlZStopsTheJobAndNotTheKeeper) {
  JobRun run("echo $$ > $DIR/command; echo ready; read line; echo \"got $line\"");
  ASSERT_TRUE(run.terminal->shows("ready"));
  const pid_t command = run.scratch.number("command");
  for (int round = 0; round < 3; ++round) {
    run.terminal->type(ctrl_z);
    const int status = run.terminal->next_status();
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(WSTOPSIG(status), SIGTSTP);
    EXPECT_TRUE(is_stopped(command));
    EXPECT_FALSE(is_stopped(run.lease_keeper()));
    // The holder is at work: it answers.
    run.order('s');
    EXPECT_TRUE(eventually([&] { return run.times_logged("asked when") > round; }));
    run.order('n');
    run.terminal->fg();
    EXPECT_TRUE(eventually([&] { return !is_stopped(command) && !is_stopped(run.foreground()); }));
  }
  run.terminal->type("more\n");
  EXPECT_TRUE(run.terminal->shows("got more"));
  EXPECT_EQ(run.terminal->next_status(), 0);
  EXPECT_TRUE(run.has_logged("released"));
}

TEST(Terminal, ACommandThatIgnoresControlZKeepsTheTerminal) {
  JobRun run(R"(
    trap '' TSTP
    echo ready
    read line; echo "got $line")");
  ASSERT_TRUE(run.terminal->shows("ready"));
  run.terminal->type(ctrl_z);
  run.terminal->type("on\n");
  EXPECT_TRUE(run.terminal->shows("got on"));
  EXPECT_EQ(run.terminal->next_status(), 0);
}

TEST(Terminal, InTheBackgroundItRunsUntilItReads) {
  // No command but those of the shell itself: one that is stopped just as it starts another cannot
  // stop.
  JobRun run("mkfifo $DIR/go; echo ready; read x < $DIR/go; read line; echo \"got $line\"");
  ASSERT_TRUE(run.terminal->shows("ready"));
  run.terminal->type(ctrl_z);
  ASSERT_TRUE(WIFSTOPPED(run.terminal->next_status()));
  run.terminal->bg();
  EXPECT_TRUE(eventually([&] { return !is_stopped(run.foreground()); }));
  std::ofstream(run.scratch.file("go")) << "go" << std::endl;
  const int status = run.terminal->next_status();
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(WSTOPSIG(status), SIGTTIN);
  run.terminal->fg();
  run.terminal->type("at last\n");
  EXPECT_TRUE(run.terminal->shows("got at last"));
  EXPECT_EQ(run.terminal->next_status(), 0);
}

TEST(Terminal, AnInteractiveShellCanBeSuspended) {
  // It has a process group of its own within the job.
  JobRun run(std::vector<std::string>{"/bin/bash", "--norc", "--noprofile", "-i"});
  Terminal& terminal = *run.terminal;
  terminal.type("echo re''ady; echo $$ > $DIR/command\n");
  ASSERT_TRUE(terminal.shows("ready"));
  const pid_t command = run.scratch.number("command");
  EXPECT_NE(getpgid(command), run.foreground());
  EXPECT_EQ(terminal.foreground(), command);
  terminal.type("suspend -f\n");
  ASSERT_TRUE(WIFSTOPPED(terminal.next_status()));
  EXPECT_TRUE(is_stopped(command));
  terminal.fg();
  EXPECT_TRUE(eventually([&] { return terminal.foreground() == command; }));
  terminal.type("echo ba''ck\n");
  EXPECT_TRUE(terminal.shows("back"));
  terminal.type("exit 7\n");
  EXPECT_EQ(WEXITSTATUS(terminal.next_status()), 7);
}

TEST(Terminal, ACommandWithItsOwnProcessGroupGetsTheTerminalBack) {
  if (!std::filesystem::exists("/usr/bin/perl")) GTEST_SKIP() << "needs perl";
  JobRun run(std::vector<std::string>{"/usr/bin/perl", "-MPOSIX", "-e", R"(
    $| = 1;
    $SIG{TTOU} = "IGNORE";
    setpgid(0, 0);
    tcsetpgrp(0, $$);
    $SIG{TTOU} = "DEFAULT";
    print "ready\n";
    my $line = <STDIN>;
    print "got $line";
  )"});
  Terminal& terminal = *run.terminal;
  ASSERT_TRUE(terminal.shows("ready"));
  const pid_t group = terminal.foreground();
  EXPECT_NE(group, run.foreground());
  terminal.type(ctrl_z);
  ASSERT_TRUE(WIFSTOPPED(terminal.next_status()));
  terminal.fg();
  EXPECT_TRUE(eventually([&] { return terminal.foreground() == group; }));
  terminal.type("more\n");
  EXPECT_TRUE(terminal.shows("got more"));
  EXPECT_EQ(terminal.next_status(), 0);
}

TEST(Terminal, TheCommandIsInTheJobsProcessGroupAndTheKeeperInNone) {
  JobRun run("echo $$ > $DIR/command; sleep 1000");
  const pid_t command = run.scratch.number("command");
  EXPECT_EQ(getpgid(command), run.foreground());
  EXPECT_EQ(run.terminal->foreground(), run.foreground());
  EXPECT_NE(getsid(run.lease_keeper()), getsid(command));
}

TEST(Terminal, ControlCEndsTheWaitForTheLock) {
  JobRun run("touch $DIR/ran", false);
  ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
  run.terminal->type(ctrl_c);
  EXPECT_EQ(WTERMSIG(run.terminal->next_status()), SIGINT);
  EXPECT_TRUE(run.has_logged("released"));
}

TEST(Terminal, AJobThatIsStoppedWhileItWaitsStartsNothing) {
  JobRun run("touch $DIR/ran", false);
  ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
  run.terminal->type(ctrl_z);
  ASSERT_TRUE(WIFSTOPPED(run.terminal->next_status()));
  run.order('h');
  run.order('s');
  run.order('n');
  poll(nullptr, 0, 200);
  EXPECT_FALSE(run.scratch.has("ran"));
  run.terminal->fg();
  EXPECT_EQ(run.terminal->next_status(), 0);
  EXPECT_TRUE(run.scratch.has("ran"));
}

TEST(Terminal, AStoppedJobThatLosesTheLockEnds) {
  JobRun run("sleep 1000 & echo $! > $DIR/child; echo $$ > $DIR/command; echo ready; wait");
  ASSERT_TRUE(run.terminal->shows("ready"));
  const std::vector<pid_t> tree = {run.scratch.number("child"), run.scratch.number("command")};
  run.terminal->type(ctrl_z);
  ASSERT_TRUE(WIFSTOPPED(run.terminal->next_status()));
  run.order('l');
  EXPECT_EQ(WEXITSTATUS(run.terminal->next_status()), exit_code::lost);
  EXPECT_TRUE(are_gone(tree));
}

TEST(Terminal, AHangupTakesEverythingDown) {
  JobRun run("sleep 1000 & echo $! > $DIR/child; echo $$ > $DIR/command; echo ready; wait");
  ASSERT_TRUE(run.terminal->shows("ready"));
  const std::vector<pid_t> tree = {run.scratch.number("command"), run.lease_keeper(),
                                   run.foreground()};
  // The shell dies, and the kernel sends SIGHUP to the foreground.
  run.terminal.reset();
  EXPECT_TRUE(eventually([&] { return are_gone(tree); }));
  EXPECT_TRUE(run.has_logged("released"));
}

}  // namespace
}  // namespace baton::process::test
