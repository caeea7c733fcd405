#include <boost/json.hpp>
#include <map>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

using Rows = std::map<std::string, json::object>;

Rows compared(const std::string& arguments) {
  const Outcome outcome = baton("compare --network --seconds 0.05 --json " + arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  Rows rows;
  const json::value all = json::parse(outcome.out);
  for (const json::value& row : all.as_array()) {
    rows[std::string(row.at("algorithm").as_string())] = row.as_object();
  }
  return rows;
}

// Enter and exit together, in all entries of the scenario.
std::map<std::string, std::int64_t> messages(const json::object& row) {
  std::map<std::string, std::int64_t> found;
  for (const json::value& one : row.at("messages").as_array()) {
    EXPECT_TRUE(one.at("agrees").as_bool());
    found[std::string(one.at("scenario").as_string())] =
        one.at("enter").to_number<std::int64_t>() + one.at("exit").to_number<std::int64_t>();
  }
  return found;
}

TEST(CompareNetwork, RealProcessesSendWhatTheSimulatorSends) {
  Rows rows = compared("-n 3 ricart-agrawala central naimi-trehel");
  ASSERT_EQ(rows.size(), 3U);
  using Counts = std::map<std::string, std::int64_t>;
  EXPECT_EQ(messages(rows["ricart-agrawala"]),
            (Counts{{"alone", 4}, {"again", 4}, {"handover", 8}, {"everyone", 12}}));
  EXPECT_EQ(messages(rows["central"]),
            (Counts{{"alone", 3}, {"again", 3}, {"handover", 6}, {"everyone", 6}}));
  EXPECT_EQ(messages(rows["naimi-trehel"]),
            (Counts{{"alone", 3}, {"again", 0}, {"handover", 5}, {"everyone", 5}}));
  for (const auto& [name, row] : rows) {
    EXPECT_TRUE(row.at("agrees").as_bool()) << name;
    EXPECT_GT(row.at("client_delay").at("us").to_number<double>(), 0) << name;
    EXPECT_GT(row.at("sync_delay").at("us").to_number<double>(), 0) << name;
    EXPECT_GT(row.at("saturated").at("entries").to_number<std::int64_t>(), 0) << name;
    EXPECT_LE(row.at("saturated").at("hand_offs_per_s").to_number<double>(),
              row.at("saturated").at("entries_per_s").to_number<double>())
        << name;
    EXPECT_GT(row.at("echo_us").to_number<double>(), 0) << name;
  }
}

TEST(CompareNetwork, OfATokenThatNeverRestsOnlyTheEntriesOfAllAreCounted) {
  Rows rows = compared("-n 3 token-ring");
  EXPECT_TRUE(rows["token-ring"].at("messages").as_array().empty());
  EXPECT_GT(rows["token-ring"].at("saturated").at("entries").to_number<std::int64_t>(), 0);
}

TEST(CompareNetwork, WhereThoseWhoWaitAskAgainOnlyEntriesAloneAreCounted) {
  Rows rows = compared("-n 3 bakery-messages");
  EXPECT_EQ(messages(rows["bakery-messages"]),
            (std::map<std::string, std::int64_t>{{"alone", 12}, {"again", 12}}));
}

TEST(CompareNetwork, TheTableSaysThatTheyAgree) {
  const Outcome outcome = baton("compare --network --seconds 0.05 -n 2 --ascii suzuki-kasami");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "The messages on the wire are those of the simulator."));
  EXPECT_TRUE(is_seven_bit(outcome.out)) << outcome.out;
}

TEST(CompareNetwork, WhatCannotBeComparedIsRefused) {
  expect_refused("compare --network bully", "'bully' does not");
  expect_refused("compare --network --tree line", "--tree cannot be used with --network");
  expect_refused("compare --network maekawa",
                 "'maekawa' does not: it does not promise that anybody gets in");
  expect_refused("compare --network nonsense", "nonsense");
  expect_refused("compare --network -n 1", "2 to 16 processes");
  expect_refused("compare --network -n 100", "2 to 16 processes");
  expect_refused("compare --network --layers", "--network excludes --kind, --layers and --svg");
  expect_refused("compare --network --kind election", "--network excludes");
  expect_refused("compare --seconds 1", "--network");
  expect_refused("compare --network --seconds 0", "--seconds");
}

}  // namespace
}  // namespace baton::test
