// The stories of processes that share a file, with an algorithm between them or nothing.
#include <regex>
#include <set>

#include "cli/service/tool.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

class Demo : public Tool {
 protected:
  // All that a demo leaves behind would be in a folder of its own.
  std::string demo(const std::string& arguments) const {
    return "env TMPDIR='" + (temporary_ / "").string() + "' $BATON demo " + arguments;
  }
  boost::json::value counted(const std::string& arguments) const {
    const Outcome outcome = shell(demo("counter --json " + arguments));
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    return boost::json::parse(outcome.out);
  }

  // The children of a process, and of nobody else.
  static std::vector<pid_t> children_of(pid_t process) {
    const std::string id = std::to_string(process);
    std::ifstream file("/proc/" + id + "/task/" + id + "/children");
    return {std::istream_iterator<pid_t>(file), {}};
  }

  bool has_file_named(const std::string& name) const {
    std::error_code changing;
    for (const auto& entry : fs::recursive_directory_iterator(temporary_ / "", changing)) {
      if (entry.path().filename() == name) return true;
    }
    return false;
  }

  // Interrupts the demo once this file of it is there.
  void interrupt(const std::string& arguments, const std::string& during) {
    Running running(demo(arguments));
    ASSERT_TRUE(eventually([&] { return has_file_named(during); })) << running.err();
    const std::vector<pid_t> members = children_of(running.id());
    EXPECT_EQ(members.size(), 4U);
    running.send(SIGINT);
    EXPECT_EQ(running.wait(), 128 + SIGINT) << running.err();
    EXPECT_TRUE(temporary_.empty()) << "files are left behind";
    for (const pid_t member : members) {
      EXPECT_TRUE(eventually([&] { return !is_alive(member); })) << "a process is left behind";
    }
  }

  Folder temporary_;
};

TEST_F(Demo, CounterLosesUpdatesWithoutALockAndNoneWithOne) {
  const auto result = counted("--processes 4 --increments 2001 --algorithm ricart-agrawala");
  EXPECT_EQ(result.at("algorithm").as_string(), "ricart-agrawala");
  const auto& without = result.at("without_lock");
  EXPECT_GT(without.at("lost").as_int64(), 0);
  EXPECT_EQ(without.at("lost").as_int64() + without.at("value").as_int64(), 2001);
  const auto& with = result.at("with_lock");
  EXPECT_EQ(with.at("lost").as_int64(), 0);
  EXPECT_EQ(with.at("value").as_int64(), 2001);
  EXPECT_EQ(with.at("messages").as_int64(), 2001 * 2 * 3);
  EXPECT_EQ(with.at("messages_per_entry").to_number<double>(), 6);
  EXPECT_EQ(with.at("expected_messages_per_entry").to_number<double>(), 6);
  EXPECT_GT(with.at("entries_per_s").to_number<double>(), 0);
  EXPECT_GT(with.at("raw_message_us").at("low").to_number<double>(), 0);
  EXPECT_LE(with.at("expected_s").at("low").to_number<double>(),
            with.at("expected_s").at("high").to_number<double>());
  EXPECT_LE(with.at("median_wait_us").to_number<double>(),
            with.at("longest_wait_us").to_number<double>());
  EXPECT_LE(with.at("mean_wait_us").to_number<double>(),
            with.at("longest_wait_us").to_number<double>());
  EXPECT_TRUE(temporary_.empty());
}

TEST_F(Demo, CounterTellsPeopleTheSame) {
  const Outcome outcome =
      shell(demo("counter --processes 3 --increments 600 --algorithm ricart-agrawala"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "no progress where there is no terminal";
  EXPECT_TRUE(std::regex_search(
      outcome.out,
      std::regex("without a lock +([0-9,]+|no) updates were lost: the file says [0-9]+,")))
      << outcome.out;
  EXPECT_TRUE(std::regex_search(
      outcome.out, std::regex("with ricart-agrawala +no updates were lost: the file says 600,")))
      << outcome.out;
  EXPECT_TRUE(has(outcome.out, "4 when all ask once: 2(N-1)")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "2,400 messages")) << outcome.out;
}

TEST_F(Demo, CounterIsExactWithEveryAlgorithmThatCanRun) {
  int tried = 0;
  const auto list = json("list");
  for (const auto& one : list.as_array()) {
    const std::string name(one.at("name").as_string());
    if (one.at("kind").as_string() != "mutual exclusion" || one.at("wrong").as_bool()) continue;
    const Outcome outcome =
        baton("demo counter --processes 3 --increments 300 --json --algorithm " + name);
    if (has(outcome.err, "cannot run between processes")) continue;
    ASSERT_EQ(outcome.code, 0) << name << "\n" << outcome.err;
    const auto with = boost::json::parse(outcome.out).at("with_lock");
    EXPECT_EQ(with.at("value").as_int64(), 300) << name;
    ++tried;
  }
  EXPECT_GE(tried, 10);
}

TEST_F(Demo, MoreProcessesThanIncrements) {
  EXPECT_EQ(counted("--processes 3 --increments 2").at("with_lock").at("value").as_int64(), 2);
}

TEST_F(Demo, FolderWithABlankInItsName) {
  fs::create_directory(temporary_ / "a b");
  const std::string folder = "TMPDIR='" + (temporary_ / "a b").string() + "' ";
  EXPECT_EQ(shell(folder + "$BATON demo counter --processes 2 --increments 20").code, 0);
}

TEST_F(Demo, InterruptedWithoutALock) {
  interrupt("counter --processes 4 --increments 1000000000", "without");
}

TEST_F(Demo, InterruptedWithTheLock) {
  interrupt("counter --processes 4 --increments 2000000", "with");
}

TEST_F(Demo, BankIsInterrupted) {
  interrupt("bank --processes 4 --transactions 1000000", "without");
}

TEST_F(Demo, BankShowsHowMoneyGotLostOrMadeAndThenTheBooksBalance) {
  const Outcome outcome = shell(demo("bank"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::regex story(
      "machine ([12]) reads ([0-9,]+)\n"
      ".*machine ([12]) reads ([0-9,]+)\n"
      ".*machine ([12]) (?:takes in|pays out) ([0-9]+), and writes [0-9,]+\n"
      ".*machine ([12]) (?:takes in|pays out) [0-9]+, and writes [0-9,]+\n"
      " +the ([0-9]+) that were paid (?:in are gone|out are still there): machine ([12]) knew");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(outcome.out, match, story)) << outcome.out;
  EXPECT_NE(match[1], match[3]) << "two machines";
  EXPECT_EQ(match[2], match[4]) << "the same balance";
  EXPECT_NE(match[5], match[7]);
  EXPECT_EQ(match[6], match[8]) << "the first amount is the one that is forgotten";
  EXPECT_EQ(match[7], match[9]);
  const std::string with =
      outcome.out.substr(std::min(outcome.out.find("\nWith naimi-trehel"), outcome.out.size()));
  const std::regex books(
      "the account should have ([0-9,]+), and has ([0-9,]+)\n  The books balance");
  ASSERT_TRUE(std::regex_search(with, match, books)) << outcome.out;
  EXPECT_EQ(match[1], match[2]);
  EXPECT_TRUE(temporary_.empty());
}

TEST_F(Demo, BankWithManyMachines) {
  const Outcome outcome =
      baton("demo bank --processes 5 --transactions 500 --algorithm naimi-trehel");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(has(outcome.out, "With naimi-trehel")) << outcome.out;
}

TEST_F(Demo, WhatCannotBeAskedForIsSaid) {
  for (const std::string story : {"demo counter", "demo bank"}) {
    expect_refused(story + " --algorithm nobody-s", "`nobody-s` cannot run between processes");
    expect_refused(story + " --algorithm maekawa", "does not promise that anybody gets in");
    expect_refused(story + " --algorithm bully", "bully");
    expect_refused(story + " --algorithm chang-roberts", "chang-roberts is no lock");
    expect_refused(story + " --processes 1", "too small");
    expect_refused(story + " --processes 65", "too large");
    expect_refused(story + " --proceses 3", "did you mean '--processes'?");
    expect_refused(story + " today", "'today' was not expected");
  }
  expect_refused("demo counter --increments 0", "too small");
  expect_refused("demo bank --transactions x", "not a whole number");
}

TEST_F(Demo, TheStoriesAreListed) {
  const Outcome help = baton("demo --help");
  for (const std::string story : {"zombie", "deadlock", "counter", "bank"}) {
    EXPECT_TRUE(has(help.out, "\n  " + story)) << help.out;
  }
  expect_refused("demo", "zombie, deadlock, counter or bank");
  expect_refused("demo the bank", "there is no story 'the'");
  expect_refused("demo bnak", "did you mean 'bank'?");
}

}  // namespace
}  // namespace baton::test
