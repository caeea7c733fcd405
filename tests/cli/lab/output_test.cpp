#include <unistd.h>

#include <csignal>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

// Would take minutes, so that whatever is said within a second is said before it begins.
const std::string long_run =
    "sim ricart-agrawala -n 10 --workload saturated --entries 50000000 --trace json ";

TEST(Output, AFileThatCannotBeWrittenIsSaidBeforeTheRun) {
  const Folder folder;
  for (const std::string& path : {(folder / "missing/trace").string(), (folder / "").string()}) {
    const Outcome outcome = shell("timeout 10 $BATON " + long_run + "-o " + path);
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "cannot write to '" + path)) << outcome.err;
  }
  EXPECT_TRUE(folder.empty());
}

TEST(Output, AFolderThatMayNotBeWritten) {
  // Not even root makes files there.
  expect_refused("sim lamport --trace json -o /proc/trace", "cannot write to '/proc/trace'");
  if (geteuid() == 0) return;
  const Folder folder;
  using std::filesystem::perms;
  std::filesystem::create_directory(folder / "read-only");
  std::filesystem::permissions(folder / "read-only", perms::owner_read | perms::owner_exec);
  expect_refused("sim lamport --trace json -o " + (folder / "read-only/trace").string(),
                 "Permission denied");
}

TEST(Output, NothingIsLeftOfARunThatWasRefused) {
  const Folder folder;
  const std::string file = (folder / "trace").string();
  expect_refused("sim lamport --loss 0.1 --trace json -o " + file, "--allow loss");
  expect_refused("sim bakery --loss 0.1 --trace -o " + file, "--loss cannot be used with bakery");
  EXPECT_TRUE(folder.empty());
}

TEST(Output, AnInterruptedRunLeavesTheFileAsItWas) {
  const Folder folder;
  const std::string file = (folder / "trace").string();
  std::ofstream(file) << "precious";
  const Outcome outcome =
      shell("timeout --preserve-status -s INT 0.3 $BATON " + long_run + "-o " + file);
  EXPECT_EQ(outcome.code, 128 + SIGINT);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(contents(file), "precious");
}

TEST(Output, AFailedWriteLeavesTheFileAsItWas) {
  const Folder folder;
  const std::string file = (folder / "run.svg").string();
  std::ofstream(file) << "precious";
  // No file may grow beyond one block.
  const Outcome outcome = shell("trap '' XFSZ; ulimit -f 1; $BATON sim lamport -n 5 --svg " + file);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "writing to '" + file + "' failed")) << outcome.err;
  EXPECT_EQ(contents(file), "precious");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1);
}

TEST(Output, AReplacedFileKeepsItsPermissionsAndTheLinkToIt) {
  const Folder folder;
  const std::string file = (folder / "trace").string();
  const std::string link = (folder / "link").string();
  std::ofstream(file) << "old";
  using std::filesystem::perms;
  const perms wanted = perms::owner_read | perms::owner_write | perms::others_read;
  std::filesystem::permissions(file, wanted);
  std::filesystem::create_symlink("trace", link);
  EXPECT_EQ(baton("sim lamport -n 2 --trace json -o " + link).code, 0);
  EXPECT_TRUE(has(contents(file), "\"baton\":\"trace\""));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::status(file).permissions(), wanted);
  const std::string fresh = (folder / "fresh").string();
  EXPECT_EQ(shell("umask 027; $BATON sim lamport -n 2 --trace json -o " + fresh).code, 0);
  EXPECT_EQ(std::filesystem::status(fresh).permissions(),
            perms::owner_read | perms::owner_write | perms::group_read);
}

TEST(Output, AReaderThatGoesAwayEndsTheRunQuietly) {
  const Outcome outcome = shell(
      "{ timeout 10 $BATON sim lamport -n 20 --workload saturated --entries 2000 --trace json; "
      "echo $? >&2; } | head -1");
  EXPECT_EQ(lines(outcome.out), 1U);
  EXPECT_EQ(outcome.err, "141\n");  // ended by SIGPIPE, and not a word more
}

TEST(Output, AFullDiskIsSaid) {
  const Outcome outcome = shell("$BATON list >/dev/full");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "baton: cannot write to standard output\n");
  const Outcome file = shell("$BATON sim lamport --trace json -o /dev/full");
  EXPECT_EQ(file.code, 2);
  EXPECT_TRUE(has(file.err, "writing to '/dev/full' failed")) << file.err;
}

TEST(Output, NoColourWhereThereIsNoTerminal) {
  for (const std::string command : {"list", "compare -n 3", "sim lamport -n 3 --trace",
                                    "sim bakery -n 2 --trace", "sim maekawa -n 3"}) {
    EXPECT_FALSE(has(baton(command).out, "\x1b")) << command;
  }
}

TEST(Output, ColourOnATerminalUnlessRefused) {
  const std::string on_a_terminal = "script -qefc '$BATON sim lamport -n 3 --trace' /dev/null";
  ASSERT_EQ(shell("script -qefc true /dev/null").code, 0) << "no pseudo-terminal here";
  EXPECT_TRUE(has(shell(on_a_terminal).out, "\x1b["));
  EXPECT_FALSE(has(shell("NO_COLOR=1 " + on_a_terminal).out, "\x1b["));
}

TEST(Output, SevenBitCharactersOnRequest) {
  for (const std::string command :
       {"sim lamport -n 3 --trace", "sim ricart-agrawala -n 3", "compare -n 5",
        "sim maekawa -n 3 --demand deadlock-freedom --seeds 100 --delay exponential",
        "sim bakery -n 2 --trace", "sim wrong-bakery-no-choosing --seeds 100"}) {
    const Outcome outcome = baton(command + " --ascii");
    EXPECT_FALSE(outcome.out.empty()) << command;
    EXPECT_TRUE(is_seven_bit(outcome.out)) << command;
  }
}

TEST(Output, FitsTheTerminalThatTheShellTells) {
  for (const std::string width : {"60", "90"}) {
    const Outcome outcome = shell("COLUMNS=" + width + " $BATON sim lamport -n 3 --ascii --trace");
    std::size_t widest = 0;
    for (std::size_t begin = 0, end = 0; begin < outcome.out.size(); begin = end + 1) {
      end = outcome.out.find('\n', begin);
      widest = std::max(widest, end - begin);
    }
    EXPECT_LE(widest, std::stoul(width));
  }
}

}  // namespace
}  // namespace baton::test
