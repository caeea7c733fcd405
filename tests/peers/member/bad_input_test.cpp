// What `baton peer` is told wrongly: it says so, and ends.
#include <gtest/gtest.h>

#include "peers/member/band.h"

namespace baton::test {
namespace {

class BadInput : public testing::Test {
 protected:
  BadInput() : band_({.starts = false, .is_judged = false}) {
    setenv("F", band_.file("").c_str(), 1);
  }

  static constexpr const char* three =
      "member 1 = 127.0.0.1:1\nmember 2 = 127.0.0.1:2\nmember 3 = 127.0.0.1:3\n";

  void expect_bad_group(const std::string& text, const std::string& because,
                        const std::string& more = "--self 1") {
    std::ofstream(band_.file("bad.group")) << text;
    expect_refused("peer --group $F/bad.group --state $F " + more, because);
  }
  // It had begun: what is wrong is said in its log.
  void expect_ends(const std::string& because, std::size_t member = 0) {
    const Outcome outcome = baton(band_.command(member));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(has(outcome.err, because)) << outcome.err;
  }

  Band band_;
};

TEST_F(BadInput, GroupsThatAreNone) {
  expect_bad_group("", "it has no members");
  expect_bad_group("members 1 2 3\n", "line 1: expected NAME = VALUE");
  expect_bad_group("member 1 = a:1\nmember 1 = b:1\n", "line 2: there are two members `1`");
  expect_bad_group("member 1 = a:1\nmember 2 = a:1\n",
                   "line 2: members `1` and `2` have the same address");
  expect_bad_group(std::string(three) + "colour = red\n", "line 4: there is no setting `colour`");
  expect_bad_group(three, "has no member '4', only 1 2 3", "--self 4");
  expect_bad_group(three, "--self ID", "");
  expect_refused("peer --group $F/none.group --self 1", "cannot read the group file");
}

TEST_F(BadInput, AlgorithmsThatWouldNotKeepTheirPromises) {
  expect_bad_group(std::string(three) + "algorithm = bogus\n", "there is no such algorithm");
  expect_bad_group(std::string(three) + "algorithm = chang-roberts\n", "is no lock");
  expect_bad_group(std::string(three) + "election = central\n", "is no election");
  expect_bad_group(std::string(three) + "election = bully\n", "there is no layer that would");
  expect_bad_group(three, "there is no such algorithm", "--self 1 --algorithm bogus");
}

TEST_F(BadInput, AnAddressThatIsTaken) {
  std::ofstream(band_.group_file(1)) << contents(band_.group_file(0));
  band_.start(0);
  ASSERT_TRUE(band_.will_say(0, "listening on")) << band_.log(0);
  std::ofstream(band_.group_file(1))
      << "group = band\nmember 2 = 127.0.0.1:" << band_.port(0) << "\n";
  expect_ends("the port is in use; choose another, or stop the program that has it", 1);
}

TEST_F(BadInput, AMemberThatRunsAlready) {
  band_.start(0);
  ASSERT_TRUE(band_.will_say(0, "listening on")) << band_.log(0);
  const Outcome outcome = baton(band_.command(0) + "2");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "another process runs this member")) << outcome.err;
}

TEST_F(BadInput, PromisesThatAreDamaged) {
  std::ofstream(band_.file("1.promises")) << "these are not the promises you are looking for";
  expect_ends("or they are damaged");
}

TEST_F(BadInput, PromisesThatWereBroken) {
  band_.start(0);
  band_.start(1);
  band_.wait_until_all_work();
  band_.kill(0);
  // A byte in each of the two copies.
  std::fstream file(band_.file("1.promises"), std::ios::in | std::ios::out | std::ios::binary);
  for (const int at : {24, 64 * 1024 + 24}) {
    file.seekg(at);
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(at);
    file.put(byte);
  }
  file.close();
  expect_ends("A member must not forget what it promised");
}

TEST_F(BadInput, AFolderThatCannotBe) {
  std::ofstream(band_.file("file")) << "x";
  expect_refused("peer --self 1 --group " + band_.group_file(0).string() + " --state $F/file",
                 "cannot create");
  std::filesystem::create_directory(band_.file("1.promises"));
  expect_ends("cannot open it");
}

TEST_F(BadInput, TwoThatDoNotRunTheSameAreToldSoAtBothEnds) {
  std::string other = contents(band_.group_file(1));
  other.replace(other.find("ricart-agrawala"), 15, "suzuki-kasami");
  std::ofstream(band_.group_file(1)) << other;
  band_.start(0);
  band_.start(1);
  for (const std::size_t member : {0, 1}) {
    EXPECT_TRUE(band_.will_say(member, "'1' runs with ricart-agrawala, '2' with suzuki-kasami"))
        << band_.log(member);
  }
}

TEST_F(BadInput, TwoGroupsThatMeetAreToldSoAtBothEnds) {
  std::string other = contents(band_.group_file(1));
  other.replace(other.find("band"), 4, "choir");
  std::ofstream(band_.group_file(1)) << other;
  band_.start(0);
  band_.start(1);
  for (const std::size_t member : {0, 1}) {
    EXPECT_TRUE(band_.will_say(member, "of group 'choir'")) << band_.log(member);
  }
}

TEST_F(BadInput, WhatPeersDoNotHaveIsRefusedInWords) {
  band_.start(0);
  band_.start(1);
  band_.wait_until_all_work();
  for (const std::string& arguments :
       {std::string("lock --shared till"), std::string("lock --slots 2 till"),
        std::string("lock till safe")}) {
    const Outcome outcome = baton(arguments + " --url " + band_.url(0) + " -- true");
    EXPECT_NE(outcome.code, 0) << arguments;
    EXPECT_TRUE(has(outcome.err, "group of peers")) << arguments << "\n" << outcome.err;
  }
}

}  // namespace
}  // namespace baton::test
