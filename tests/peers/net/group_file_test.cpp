// The group as people write it down.
#include "peers/net/group_file.h"

#include <gtest/gtest.h>

namespace baton::net {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_group(text, "band.group");
  } catch (const GroupFileError& problem) {
    return problem.what();
  }
  return {};
}

TEST(GroupFile, HasAllThatItSays) {
  const GroupFile group = parse_group(
      "# who plays\n"
      "group = band   # the name\n"
      "\n"
      "algorithm = suzuki-kasami\n"
      "election = ring-election\r\n"
      "heartbeat = 50ms\n"
      "patience = 5\n"
      "lease = 9\n"
      "member ann = 10.0.0.1:7001\n"
      "member\tben = [::1]:7002\n"
      "member c.d-e_f = example.org:65535",
      "band.group");
  EXPECT_EQ(group.group, "band");
  EXPECT_EQ(group.algorithm, "suzuki-kasami");
  EXPECT_EQ(group.election, "ring-election");
  EXPECT_EQ(group.heartbeat, std::chrono::milliseconds(50));
  EXPECT_EQ(group.patience, 5U);
  EXPECT_EQ(group.lease, 9U);
  ASSERT_EQ(group.members.size(), 3U);
  EXPECT_EQ(group.members[0].address.host, "10.0.0.1");
  EXPECT_EQ(group.members[1].address.host, "::1");
  EXPECT_EQ(group.members[1].address.port, 7002);
  EXPECT_EQ(group.members[2].id, "c.d-e_f");
  EXPECT_EQ(group.find("ben"), NodeId{1});
  EXPECT_EQ(group.find("dan"), nobody);
  EXPECT_FALSE(group.tls);
}

TEST(GroupFile, HasDefaultsThatCanRun) {
  const GroupFile group = parse_group("member 1 = a:1\n", "x");
  EXPECT_EQ(group.group, "baton");
  EXPECT_NO_THROW(check_algorithms(group));
}

TEST(GroupFile, SaysWhatIsWrongAndInWhichLine) {
  EXPECT_EQ(problem_of(""), "band.group: it has no members: member ID = HOST:PORT");
  EXPECT_EQ(problem_of("\n\nnonsense\n"), "band.group, line 3: expected NAME = VALUE");
  EXPECT_EQ(problem_of("group =\n"), "band.group, line 1: there is nothing after the =");
  EXPECT_EQ(problem_of("group = a b\n"),
            "band.group, line 1: `a b` is no name: up to 64 letters, digits, - _ .");
  EXPECT_EQ(problem_of("member 1 = a:1\nmember 1 = a:2\n"),
            "band.group, line 2: there are two members `1`");
  EXPECT_EQ(problem_of("member 1 = a:1\nmember 2 = a:1\n"),
            "band.group, line 2: members `1` and `2` have the same address");
  EXPECT_EQ(problem_of("member 1 = localhost:1\nmember 2 = 127.0.0.1:1\n"),
            "band.group, line 2: members `1` and `2` have the same address");
  EXPECT_EQ(problem_of("member 1/2 = a:1\n"),
            "band.group, line 1: `1/2` is no name: up to 64 letters, digits, - _ .");
  EXPECT_NE(problem_of("colour = red\n").find("there is no setting `colour`"), std::string::npos);
}

TEST(GroupFile, RefusesAddressesThatAreNone) {
  for (const char* address : {"a", "a:", ":1", "a:0", "a:65536", "a:-1", "a:1x", "a: 1"}) {
    EXPECT_NE(problem_of(std::string("member 1 = ") + address + "\n").find("is no HOST:PORT"),
              std::string::npos)
        << address;
  }
}

TEST(GroupFile, RefusesTimesAndNumbersOutOfBounds) {
  for (const char* line :
       {"heartbeat = 4ms", "heartbeat = 61s", "heartbeat = soon", "heartbeat = -1s", "patience = 1",
        "patience = 1001", "patience = 4.5", "lease = 0", "lease = -3", "lease = 99999999999"}) {
    EXPECT_NE(problem_of(std::string(line) + "\n"), "") << line;
  }
}

TEST(GroupFile, HasAtMostSoManyMembers) {
  std::string text;
  for (std::size_t i = 1; i <= most_members; ++i) {
    text += "member " + std::to_string(i) + " = a:" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(problem_of(text), "");
  EXPECT_EQ(problem_of(text + "member more = a:9999\n"),
            "band.group, line 65: a group has at most 64 members");
}

TEST(GroupFile, WantsAllOfTlsOrNothing) {
  const std::string member = "member 1 = a:1\n";
  EXPECT_NE(problem_of(member + "certificate = a.pem\n"), "");
  EXPECT_NE(problem_of(member + "certificate = a.pem\nkey = k.pem\n"), "");
  const GroupFile group = parse_group(
      member + "certificate = a.pem\nkey = /etc/k.pem\nauthority = ca.pem\n", "/srv/band.group");
  ASSERT_TRUE(group.tls);
  EXPECT_EQ(group.tls->certificate, "/srv/a.pem") << "beside the file";
  EXPECT_EQ(group.tls->key, "/etc/k.pem");
}

TEST(GroupFile, OfAllThatMustAgreeHasOtherWords) {
  const std::string text = "member 1 = a:1\nmember 2 = b:1\n";
  const std::string words = parse_group(text, "x").dialect();
  for (const char* line : {"algorithm = central", "election = ring-election", "heartbeat = 99ms",
                           "patience = 5", "lease = 9", "member 3 = c:1"}) {
    EXPECT_NE(parse_group(text + line + "\n", "x").dialect(), words) << line;
  }
  EXPECT_NE(parse_group("member 2 = b:1\nmember 1 = a:1\n", "x").dialect(), words) << "in order";
  EXPECT_EQ(parse_group("member 1 = c:9\nmember 2 = d:9\n", "x").dialect(), words)
      << "addresses may differ from where one looks";
}

TEST(GroupFile, OfAlgorithmsThatCannotRunIsRefused) {
  const auto objection = [](const std::string& line) -> std::string {
    try {
      check_algorithms(parse_group("member 1 = a:1\n" + line + "\n", "x"));
    } catch (const GroupFileError& problem) {
      return problem.what();
    }
    return {};
  };
  EXPECT_NE(objection("algorithm = bogus").find("no such algorithm"), std::string::npos);
  EXPECT_EQ(objection("algorithm = ring-election"), "ring-election is no lock");
  EXPECT_EQ(objection("election = central"), "central is no election");
  EXPECT_NE(objection("election = bully").find("there is no layer that would"), std::string::npos);
}

TEST(GroupFile, MayBeginAsSomeEditorsBeginAFile) {
  EXPECT_EQ(parse_group("\xEF\xBB\xBFgroup = x\r\nmember 1 = a:1\r\n", "g").group, "x");
}

TEST(GroupFile, SaysEverythingOnce) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      parse_group(text, "g");
    } catch (const GroupFileError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(problem("lease = 9\nlease = 9\nmember 1 = a:1\n"), "g, line 2: `lease` was set before");
  EXPECT_EQ(problem("member = a:1\n"), "g, line 1: whose address is it? member ID = HOST:PORT");
}

}  // namespace
}  // namespace baton::net
