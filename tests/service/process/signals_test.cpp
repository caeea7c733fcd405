// Signals to a run without a terminal.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "service/process/scripted_run.h"

namespace baton::process::test {
namespace {

// Notes each signal that it gets as a letter, and ends at a T.
const std::string noting_script = R"(
  for name in HUP INT QUIT USR1 USR2 WINCH; do trap "echo $name >> $DIR/got" $name; done
  trap 'echo TERM >> $DIR/got; exit 3' TERM
  echo $$ > $DIR/command
  while :; do sleep 0.02; done
)";

class Noting : public ScriptedRun {
 public:
  Noting() : ScriptedRun(noting_script) {
    in_front = [] { setpgid(0, 0); };
    start_held();
    command = scratch.number("command");
  }
  pid_t command = 0;
};

TEST(Signals, PassesOnWhatTheFrontGets) {
  Noting run;
  std::string expected;
  for (const auto& [signal, name] : std::vector<std::pair<int, std::string>>{{SIGHUP, "HUP"},
                                                                             {SIGINT, "INT"},
                                                                             {SIGQUIT, "QUIT"},
                                                                             {SIGUSR1, "USR1"},
                                                                             {SIGUSR2, "USR2"},
                                                                             {SIGWINCH, "WINCH"},
                                                                             {SIGTERM, "TERM"}}) {
    kill(run.foreground(), signal);
    expected += name + "\n";
    EXPECT_TRUE(eventually([&] { return run.scratch.text("got") == expected; })) << name;
  }
  EXPECT_EQ(run.exit_code(), 3);
  EXPECT_EQ(run.scratch.text("got"), expected);
}

TEST(Signals, WhatTheWholeGroupGetsReachesTheCommandOnce) {
  Noting run;
  // The second signal, to the foreground alone, comes after whatever was to be made of the first.
  kill(-run.foreground(), SIGUSR1);
  EXPECT_TRUE(eventually([&] { return run.scratch.text("got") == "USR1\n"; }));
  kill(run.foreground(), SIGUSR2);
  EXPECT_TRUE(eventually([&] { return run.scratch.text("got").ends_with("USR2\n"); }));
  kill(run.foreground(), SIGTERM);
  EXPECT_EQ(run.exit_code(), 3);
  EXPECT_EQ(run.scratch.text("got"), "USR1\nUSR2\nTERM\n");
}

TEST(Signals, GoToTheCommandAndNotToWhatItStarted) {
  ScriptedRun run(R"(
    sh -c 'trap "touch $DIR/wrong" USR1; echo $$ > $DIR/child; while :; do sleep 0.02; done' &
    trap 'exit 4' USR1
    echo $$ > $DIR/command
    while :; do sleep 0.02; done)");
  run.options.leftovers = Leftovers::stop;
  run.start_held();
  run.scratch.number("child");
  run.scratch.number("command");
  kill(run.foreground(), SIGUSR1);
  EXPECT_EQ(run.exit_code(), 4);
  EXPECT_FALSE(run.scratch.has("wrong"));
}

TEST(Signals, EndTheWaitForTheLock) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ScriptedRun run("touch $DIR/ran");
    run.start();
    ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
    kill(run.foreground(), signal);
    EXPECT_TRUE(WIFSIGNALED(run.wait()));
    EXPECT_EQ(WTERMSIG(run.wait()), signal);
    EXPECT_TRUE(run.has_logged("released"));
    EXPECT_FALSE(run.scratch.has("ran"));
  }
}

TEST(Signals, ThatAreIgnoredDoNotEndTheWait) {
  ScriptedRun run("touch $DIR/ran");
  run.in_front = [] { std::signal(SIGINT, SIG_IGN); };
  run.start();
  ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
  kill(run.foreground(), SIGINT);
  kill(run.foreground(), SIGWINCH);
  run.order('h');
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_TRUE(run.scratch.has("ran"));
}

TEST(Signals, ASecondOneDoesNotWaitForAKeeperThatHangs) {
  ScriptedRun run("touch $DIR/ran");
  run.start();
  ASSERT_TRUE(eventually([&] { return run.has_logged("begun"); }));
  const pid_t lease_keeper = run.lease_keeper();
  kill(lease_keeper, SIGSTOP);
  kill(run.foreground(), SIGINT);
  kill(run.foreground(), SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(run.wait()));
  EXPECT_TRUE(eventually([&] { return !is_alive(lease_keeper); }));
}

TEST(Signals, TheFrontStopsAndGoesOnWithTheCommand) {
  ScriptedRun run("echo $$ > $DIR/command; kill -STOP $$; exit 5");
  run.start_held();
  const pid_t command = run.scratch.number("command");
  EXPECT_TRUE(eventually([&] { return is_stopped(run.foreground()) && is_stopped(command); }));
  EXPECT_FALSE(is_stopped(run.lease_keeper()));
  kill(run.foreground(), SIGCONT);
  EXPECT_EQ(run.exit_code(), 5);
}

TEST(Signals, TheFrontGoesOnWhenTheCommandAloneIsContinued) {
  ScriptedRun run("echo $$ > $DIR/command; kill -STOP $$; read x < $DIR/go; exit 5");
  ASSERT_EQ(mkfifo(run.scratch.file("go").c_str(), 0600), 0);
  run.start_held();
  const pid_t command = run.scratch.number("command");
  EXPECT_TRUE(eventually([&] { return is_stopped(run.foreground()) && is_stopped(command); }));
  kill(command, SIGCONT);
  EXPECT_TRUE(eventually([&] { return !is_stopped(run.foreground()); }));
  EXPECT_TRUE(is_alive(command));
  std::ofstream(run.scratch.file("go")) << "go" << std::endl;
  EXPECT_EQ(run.exit_code(), 5);
}

TEST(Signals, AStopForTheFrontAloneStopsTheCommand) {
  ScriptedRun run("echo $$ > $DIR/command; while :; do sleep 0.02; done");
  // In an orphaned process group, as a test's may be, a process does not stop for the terminal.
  run.in_front = [] { setpgid(0, 0); };
  run.start_held();
  const pid_t command = run.scratch.number("command");
  kill(run.foreground(), SIGTSTP);
  EXPECT_TRUE(eventually([&] { return is_stopped(run.foreground()) && is_stopped(command); }));
  kill(run.foreground(), SIGCONT);
  EXPECT_TRUE(eventually([&] { return !is_stopped(run.foreground()) && !is_stopped(command); }));
  kill(run.foreground(), SIGTERM);
  EXPECT_EQ(WTERMSIG(run.wait()), SIGTERM);
}

}  // namespace
}  // namespace baton::process::test
