#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "cli/lab/commands.h"
#include "core/text.h"

namespace baton::test {
namespace {

namespace json = boost::json;

const Words shown_with_examples{"",      "list",  "sim",          "compare",
                                "check", "trace", "demo counter", "demo bank"};

TEST(Commands, HelpHasAnExample) {
  for (const std::string& command : shown_with_examples) {
    const Outcome outcome = baton(command + " --help");
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_EQ(outcome.err, "");
    const Words examples = examples_of(outcome.out);
    ASSERT_FALSE(examples.empty()) << command;
    EXPECT_TRUE(examples.front().starts_with("baton " + command)) << command;
  }
}

TEST(Commands, TheExamplesOfTheHelpAreTrue) {
  std::size_t tried = 0;
  for (const std::string& command : shown_with_examples) {
    if (command == "check" || command == "trace") continue;  // minutes, and files
    for (const std::string& line : examples_of(baton(command + " --help").out)) {
      // Needs a file; replay_test.cpp has one. The service's examples are tried in tests/cli/service/.
      if (has(line, "--replay") || line.starts_with("baton lock ")) continue;
      const Outcome outcome = baton(line.substr(line.find(' ') + 1));
      EXPECT_NE(outcome.code, 2) << line << "\n" << outcome.err;
      ++tried;
    }
  }
  EXPECT_GE(tried, 18U);
}

TEST(Commands, NothingTypedShowsWhatThereIsInTwoGroups) {
  const Outcome nothing = baton("");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err, baton("--help").out);
  const auto at = [&](const std::string& line) { return nothing.err.find("\n" + line); };
  ASSERT_NE(at("Laboratory:\n"), nothing.err.npos) << nothing.err;
  for (const std::string command : {"lock", "elect", "locks", "get", "serve", "peer", "demo"}) {
    EXPECT_LT(at("Service:\n"), at("  " + command + " ")) << command;
    EXPECT_LT(at("  " + command + " "), at("Laboratory:\n")) << command;
  }
  for (const std::string command : {"list", "sim", "compare", "check", "trace"}) {
    EXPECT_LT(at("Laboratory:\n"), at("  " + command + " ")) << command;
    EXPECT_LT(at("  " + command + " "), at("Options:\n")) << command;
  }
}

TEST(Commands, TheUsageOfWhatRunsACommandShowsThatCommand) {
  EXPECT_TRUE(has(baton("lock --help").out,
                  "\nUsage: baton lock [OPTIONS] NAME… -- COMMAND [ARGUMENT…]\n"
                  "       baton lock [OPTIONS] NAME… -c LINE\n"));
  EXPECT_TRUE(has(baton("elect --help").out,
                  "\nUsage: baton elect [OPTIONS] NAME -- COMMAND [ARGUMENT…]\n"
                  "       baton elect [OPTIONS] NAME -c LINE\n"));
  EXPECT_FALSE(has(baton("acquire --help").out, "-- COMMAND"));
}

TEST(Commands, Version) {
  const Outcome outcome = baton("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("baton 0.")) << outcome.out;
}

TEST(List, TellsTheAlgorithmsApart) {
  const Outcome outcome = baton("list");
  EXPECT_EQ(outcome.code, 0);
  const auto at = [&](const std::string& text) { return outcome.out.find("\n" + text); };
  EXPECT_LT(at("ricart-agrawala "), at("Mutual exclusion in shared memory"));
  EXPECT_LT(at("Mutual exclusion in shared memory"), at("bakery "));
  EXPECT_LT(at("bakery "), at("Wrong on purpose"));
  EXPECT_LT(at("Wrong on purpose"), at("wrong-ricart-agrawala-counts-replies breaks safety"));
  EXPECT_NE(at("wrong-bakery-no-choosing breaks safety"), outcome.out.npos);
}

TEST(List, FitsTheColumnsThatTheShellTells) {
  for (const std::size_t columns : {60, 80, 100, 200}) {
    const std::string text = shell("COLUMNS=" + std::to_string(columns) + " $BATON list").out;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      EXPECT_LE(text::columns(text.substr(begin, end - begin)), columns);
    }
  }
}

TEST(List, IsAnArrayForPrograms) {
  const Outcome outcome = baton("list --json");
  EXPECT_EQ(outcome.code, 0);
  std::set<std::string> names;
  std::size_t shared = 0;
  std::size_t wrong = 0;
  const json::value all = json::parse(outcome.out);
  for (const json::value& value : all.as_array()) {
    const json::object& one = value.as_object();
    const std::string name(one.at("name").as_string());
    EXPECT_TRUE(names.insert(name).second) << name;
    const auto& kind = one.at("kind").as_string();
    EXPECT_TRUE(kind == "shared memory" || kind == "mutual exclusion" || kind == "election" ||
                kind == "observation");
    if (kind == "shared memory") ++shared;
    EXPECT_EQ(one.at("wrong").as_bool(), name.starts_with("wrong-")) << name;
    if (one.at("wrong").as_bool()) {
      ++wrong;
      EXPECT_FALSE(one.at("why").as_string().empty());
    }
    EXPECT_FALSE(one.at("promises").as_array().empty()) << name;
    for (const json::value& cost : one.at("costs").as_array()) {
      EXPECT_FALSE(cost.at("formula").as_string().empty()) << name;
    }
    if (name == "lamport") {
      EXPECT_EQ(one.at("problem").as_string(), "crash of any process");
      const json::value first{
          {"scenario", "alone"}, {"quantity", "messages"}, {"formula", "3(N-1)"}};
      EXPECT_EQ(one.at("costs").at(0), first);
      EXPECT_EQ(one.at("lectures").at(0).at("document").as_string(), "Cardellini");
    }
  }
  EXPECT_TRUE(names.contains("maekawa-sanders") && names.contains("bakery"));
  EXPECT_EQ(shared, 3U);
  EXPECT_GE(wrong, 10U);
}

TEST(Compare, AgreesWithTheoryForSmallGroups) {
  const Outcome outcome = baton("compare -n 2..6");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "Every measured value agrees with theory."));
  EXPECT_TRUE(has(outcome.out, "N = 2") && has(outcome.out, "N = 6"));
  EXPECT_FALSE(has(outcome.out, "✗"));
}

TEST(Compare, IsAnArrayForPrograms) {
  const Outcome outcome = baton("compare -n 5 -n 9 --json");
  EXPECT_EQ(outcome.code, 0);
  std::set<std::pair<std::string, std::int64_t>> seen;
  std::size_t exact = 0;
  const json::value all = json::parse(outcome.out);
  for (const json::value& value : all.as_array()) {
    const json::object& one = value.as_object();
    const std::string name(one.at("algorithm").as_string());
    seen.emplace(name, one.at("n").to_number<std::int64_t>());
    for (const std::string key :
         {"messages_per_entry", "messages_enter", "messages_exit", "client_delay", "sync_delay"}) {
      const json::value& measured = one.at(key);
      const json::value& expected = one.at("expected_" + key);
      if (measured.is_null() || !expected.is_number()) continue;
      EXPECT_EQ(measured.to_number<double>(), expected.to_number<double>()) << name << " " << key;
      ++exact;
    }
  }
  EXPECT_EQ(seen.size(), 28U);  // 14 algorithms, two sizes
  EXPECT_GT(exact, 100U);
}

TEST(Compare, OnlyWhatIsNamed) {
  const Outcome outcome = baton("compare raymond --tree line -n 8 --json");
  const json::array all = json::parse(outcome.out).as_array();
  ASSERT_EQ(all.size(), 1U);
  // On a line of 8, process 1 has the token and process 7 wants it: 6 hops there and back.
  EXPECT_EQ(all[0].at("messages_per_entry").to_number<double>(), 12);
  expect_refused("compare bakery", "'bakery' works in shared memory");
}

}  // namespace
}  // namespace baton::test
