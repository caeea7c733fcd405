// How a run ends, and what the command gets from it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "service/process/scripted_run.h"

namespace baton::process::test {
namespace {

TEST(Exit, PassesTheCommandsExitCodeThrough) {
  for (const int code : {0, 1, 7, 255}) {
    ScriptedRun run("exit " + std::to_string(code));
    run.start_held();
    const int status = run.wait();
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), code);
    EXPECT_TRUE(run.has_logged("released"));
  }
}

TEST(Exit, EndsByTheSignalThatEndedTheCommand) {
  for (const int signal : {SIGTERM, SIGKILL, SIGSEGV, SIGINT}) {
    ScriptedRun run("ulimit -c 0; kill -" + std::to_string(signal) + " $$");
    run.start_held();
    const int status = run.wait();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}

TEST(Exit, SaysWhetherTheCommandWasMissingOrNotExecutable) {
  ScriptedRun missing("");
  missing.options.command.words = {"baton-has-no-such-program"};
  missing.start_held();
  EXPECT_EQ(missing.exit_code(), exit_code::not_found);
  EXPECT_TRUE(missing.has_logged("released"));
  EXPECT_NE(missing.scratch.text("message").find("baton-has-no-such-program: No such file"),
            std::string::npos);

  ScriptedRun folder("");
  folder.options.command.words = {"/tmp"};
  folder.start_held();
  EXPECT_EQ(folder.exit_code(), exit_code::not_executable);
}

TEST(Exit, RunsNothingWithoutTheLock) {
  ScriptedRun run("touch $DIR/ran");
  run.start();
  run.order('f');
  EXPECT_EQ(run.exit_code(), exit_code::conflict);
  EXPECT_FALSE(run.scratch.has("ran"));
  EXPECT_EQ(run.scratch.text("message"), "as ordered\n");
}

TEST(Exit, ReportsAHolderThatThrows) {
  ScriptedRun run("touch $DIR/ran");
  run.in_keeper = [] { throw std::runtime_error("no such host"); };
  run.start();
  EXPECT_EQ(run.exit_code(), exit_code::failed);
  EXPECT_EQ(run.scratch.text("message"), "no such host\n");
}

TEST(Exit, ReleasesAfterTheCommandHasEnded) {
  ScriptedRun run("sleep 0.1; echo ended >> $DIR/log");
  run.start_held();
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.scratch.text("log"), "begun\nended\nreleased\n");
}

TEST(Exit, GivesTheCommandItsEnvironment) {
  ScriptedRun run("echo \"$BATON_FENCE $BATON_LOCK $KEPT $CHANGED\" > $DIR/out");
  run.options.command.environment.emplace_back("CHANGED", "new");
  run.in_front = [] {
    setenv("KEPT", "kept", 1);
    setenv("CHANGED", "old", 1);
  };
  run.start_held();
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.scratch.text("out"), "42 a b kept new\n");
}

TEST(Exit, RunsALineByTheShell) {
  setenv("SHELL", "/bin/sh", 1);
  EXPECT_EQ(Command::shell("a | b").words, (std::vector<std::string>{"/bin/sh", "-c", "a | b"}));
  unsetenv("SHELL");
  EXPECT_EQ(Command::shell("a").words.front(), "/bin/sh");
}

TEST(Exit, LetsTheCommandReadStandardInput) {
  ScriptedRun run("cat > $DIR/out");
  std::ofstream(run.scratch.file("in")) << "some\nlines\n";
  run.in_front = [&run] {
    const int in = open(run.scratch.file("in").c_str(), O_RDONLY);
    dup2(in, STDIN_FILENO);
  };
  run.start_held();
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.scratch.text("out"), "some\nlines\n");
}

TEST(Exit, AReaderSeesTheEndWhenTheCommandClosesItsOutput) {
  ScriptedRun run("echo hello; exec >&- 3>&-; echo $$ > $DIR/closed; sleep 1000");
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const io::Descriptor from(ends[0]);
  io::Descriptor to(ends[1]);
  run.in_front = [&to] {
    dup2(to.get(), STDOUT_FILENO);
    to.close();
  };
  run.start_held();
  to.close();
  run.scratch.number("closed");
  std::string text;
  char buffer[64];
  ssize_t size = 0;
  while ((size = read(from.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  EXPECT_EQ(text, "hello\n");
  kill(run.foreground(), SIGTERM);
  EXPECT_EQ(WTERMSIG(run.wait()), SIGTERM);
}

TEST(Exit, TheCommandHasNoDescriptorOfOurs) {
  ScriptedRun run("ls /proc/self/fd | sort -n | tr '\\n' ' ' > $DIR/out");
  run.in_front = [] { close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); };
  run.start_held();
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.scratch.text("out"), "0 1 2 3 ");  // 3 is that of ls itself
}

// Whoever runs the tests may ignore some already.
std::uint64_t ignored_signals() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigIgn:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

TEST(Exit, TheCommandInheritsHowSignalsAreTreated) {
  const std::uint64_t hup_and_chld = 0x10001;
  char expected[80];
  std::snprintf(expected, sizeof expected, "SigBlk:\t0000000000000800\nSigIgn:\t%016llx\n",
                static_cast<unsigned long long>(ignored_signals() | hup_and_chld));
  ScriptedRun run("grep -E 'Sig(Blk|Ign)' /proc/self/status > $DIR/out");
  run.in_front = [] {
    std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGCHLD, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
  };
  run.options.command.words = {"/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"};
  run.in_front = [before = run.in_front, &run] {
    before();
    const int out = open(run.scratch.file("out").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(out, STDOUT_FILENO);
  };
  run.start_held();
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.scratch.text("out"), expected);
}

TEST(Exit, LeavesWhatOutlivesTheCommandUnlessToldToStopIt) {
  for (const bool use_cgroup : {false, true}) {
    ScriptedRun leaving("sleep 1000 & echo $! > $DIR/left");
    leaving.options.use_cgroup = use_cgroup;
    leaving.start_held();
    EXPECT_EQ(leaving.exit_code(), 0);
    EXPECT_TRUE(is_alive(leaving.scratch.number("left")));

    ScriptedRun stopping("(trap '' TERM; sleep 1000) & echo $! > $DIR/left");
    stopping.options.use_cgroup = use_cgroup;
    stopping.options.leftovers = Leftovers::stop;
    stopping.start_held();
    EXPECT_EQ(stopping.exit_code(), 0);
    EXPECT_FALSE(is_alive(stopping.scratch.number("left")));
  }
}

TEST(Exit, AHundredRunsAtOnce) {
  std::vector<std::unique_ptr<ScriptedRun>> runs;
  for (int i = 0; i < 100; ++i) {
    runs.push_back(std::make_unique<ScriptedRun>("sleep 0.2; exit " + std::to_string(i)));
    runs.back()->options.use_cgroup = i % 2 == 0;
    runs.back()->start();
  }
  for (const auto& run : runs) run->order('h');
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(runs[static_cast<std::size_t>(i)]->exit_code(), i);
    EXPECT_TRUE(runs[static_cast<std::size_t>(i)]->has_logged("released"));
  }
}

}  // namespace
}  // namespace baton::process::test
