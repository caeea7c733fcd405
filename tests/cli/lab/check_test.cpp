// `baton check`: what it says, how it ends, and that the simulator agrees.
#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

TEST(Check, SaysWhatHoldsAndHowMuchWasSearched) {
  const Outcome result = shell("$BATON check ricart-agrawala");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  for (const char* expected : {"ricart-agrawala, 3 processes, any number of requests each",
                               "mutual exclusion", "no deadlock", "no starvation",
                               "order by happened-before", "holds", " states, ", "depth "}) {
    EXPECT_NE(result.out.find(expected), std::string::npos) << expected << "\n" << result.out;
  }
}

TEST(Check, AViolationIsDrawnAndSavedAndTheSimulatorShowsTheSame) {
  const struct {
    const char* algorithm;
    const char* property;
  } cases[] = {{"wrong-ricart-agrawala-compares-clock", "mutual exclusion"},
               {"wrong-ricart-agrawala-no-tie-break", "no deadlock"},
               {"wrong-ricart-agrawala-counts-replies", "mutual exclusion"},
               {"wrong-token-ring-regenerated", "mutual exclusion"},
               {"wrong-suzuki-kasami-last-first", "no starvation"}};
  const Folder folder;
  for (const auto& one : cases) {
    const std::string file = (folder / one.algorithm).string();
    const Outcome found =
        shell("$BATON check " + std::string(one.algorithm) + " --save " + std::string(file));
    EXPECT_EQ(found.code, 1) << one.algorithm << "\n" << found.out << found.err;
    EXPECT_NE(found.out.find("BROKEN"), std::string::npos) << found.out;
    EXPECT_NE(found.out.find(one.property), std::string::npos) << found.out;
    EXPECT_EQ(found.out.find("could not follow"), std::string::npos) << found.out;
    const Outcome replayed = shell("$BATON sim --replay " + std::string(file));
    EXPECT_EQ(replayed.code, 1) << one.algorithm << "\n" << replayed.out << replayed.err;
  }
}

TEST(Check, AllAreCheckedAsTheySayThemselves) {
  namespace json = boost::json;
  // One state of each is enough to see which instances there are.
  const json::value all = json::parse(shell("$BATON check --states 1 --json").out);
  const json::value listed = json::parse(shell("$BATON list --json").out);
  std::map<std::string, std::int64_t> sizes;
  for (const json::value& one : all.as_array()) {
    sizes[std::string(one.at("algorithm").as_string())] = one.at("n").as_int64();
  }
  for (const json::value& one : listed.as_array()) {
    const std::string name(one.at("name").as_string());
    const json::array& checked = one.at("checked").as_array();
    EXPECT_EQ(sizes.count(name), checked.empty() ? 0U : 1U) << name;
    std::set<std::string> layers;
    for (const json::value& instance : checked) {
      const std::string options(instance.at("options").as_string());
      for (const char* layer : {"reliable", "resilient"}) {
        if (options.find("--" + std::string(layer)) != std::string::npos) layers.insert(layer);
      }
    }
    for (const char* layer : {"reliable", "resilient"}) {
      EXPECT_EQ(sizes.count(layer + (" " + name)), layers.count(layer)) << name;
    }
  }
  EXPECT_EQ(sizes.at("wrong-maekawa-sanders-failed-to-newcomers-only"), 4);
  EXPECT_EQ(sizes.at("central"), 3);
}

TEST(Check, AnEditedOrTruncatedRunIsRefusedWithItsLine) {
  const Folder folder;
  const std::string file = (folder / "run.jsonl").string();
  ASSERT_EQ(
      shell("$BATON check maekawa --demand deadlock-freedom --save " + std::string(file)).code, 1);
  const std::string all = contents(file);
  std::ofstream(file) << all.substr(0, all.size() / 2);
  const Outcome cut = shell("$BATON sim --replay " + std::string(file));
  EXPECT_EQ(cut.code, 2);
  EXPECT_NE(cut.err.find("line "), std::string::npos) << cut.err;
}

TEST(Check, EndsWithThreeWhereNotAllWasSeen) {
  const Outcome few = shell("$BATON check lamport --states 5000 --safety-only");
  EXPECT_EQ(few.code, 3) << few.out << few.err;
  EXPECT_NE(few.out.find("not exhausted"), std::string::npos) << few.out;
  EXPECT_NE(few.out.find("undecided"), std::string::npos) << few.out;
  const Outcome small = shell("$BATON check lamport --memory 4M --safety-only");
  EXPECT_EQ(small.code, 3) << small.out << small.err;
  EXPECT_NE(small.out.find("--memory"), std::string::npos) << small.out;
  EXPECT_EQ(shell("$BATON check lamport --depth 6").code, 3);
}

TEST(Check, FingerprintsSayHowLikelyTheyMissSomething) {
  const Outcome result = shell("$BATON check ricart-agrawala --compact");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("chance that a state was left out"), std::string::npos) << result.out;
}

TEST(Check, MachinesAndTheMembershipAreCheckedByName) {
  EXPECT_EQ(shell("$BATON check bakery -n 2").code, 0);
  const Outcome wrong = shell("$BATON check wrong-bakery-no-choosing -n 2");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("and enters"), std::string::npos) << wrong.out;
  EXPECT_EQ(shell("$BATON check membership --crashes 0 --recoveries 0").code, 0);
  EXPECT_EQ(shell("$BATON check membership --omit stable-storage").code, 1);
}

TEST(Check, LeasesOfOneServerAndOfTwo) {
  const std::string few =
      " --requests 0 --crashes 0 --delays 0 --pauses 0 --drifts 0 --cuts 1 --faults 1";
  const Outcome both = shell("$BATON check lease" + few);
  for (const char* expected :
       {"lease, two clients and one server, durable and fast locks, no requests",
        "lease, two clients and two servers, durable and fast locks, no requests",
        "one broken connection, at most one fault in all, and besides one takeover, early or "
        "not"}) {
    EXPECT_NE(both.out.find(expected), std::string::npos) << expected << "\n" << both.out;
  }
  const Outcome two = shell("$BATON check lease --servers 2" + few);
  EXPECT_EQ(two.out.find("one server"), std::string::npos) << two.out;
  EXPECT_NE(two.out.find("two servers"), std::string::npos) << two.out;
}

TEST(Check, ARuleOfLeasesThatIsLeftOutIsTold) {
  const struct {
    const char* rule;
    const char* world;
    const char* told;
  } cases[] = {{"lease-from-send", "two clients and one server", "is cut off"},
               {"leader-proof", "two clients and two servers", "server 1 takes over"}};
  for (const auto& one : cases) {
    const Outcome result = shell("$BATON check lease --omit " + std::string(one.rule));
    EXPECT_EQ(result.code, 1) << result.out << result.err;
    for (const std::string& expected :
         {std::string(one.world), "without the rule " + std::string(one.rule),
          std::string("no end while the lease runs"), std::string("BROKEN"),
          std::string(one.told)}) {
      EXPECT_NE(result.out.find(expected), std::string::npos) << expected << "\n" << result.out;
    }
  }
}

TEST(Check, WrongUsageIsToldInALine) {
  const struct {
    const char* arguments;
    const char* expected;
  } cases[] = {
      {"check ricart-agrawla", "did you mean 'ricart-agrawala'"},
      {"check central -n 9", "at most 6 processes"},
      {"check central --memory lots",
       "--memory takes at least 1M, written as 512M or 4G, not 'lots'"},
      {"check central --requests 0", "--requests is a number above 0"},
      {"check central --fifo --reorder", "exclude each other"},
      {"check central --omit loyalty", "--omit needs --resilient"},
      {"check central --quits 1", "--quits needs --resilient"},
      {"check central --crashs 1", "did you mean '--crashes'"},
      {"check central --demand speed", "'speed' is no promise"},
      {"check maekawa --resilient", "it does not promise that anybody gets in"},
      {"check lease --omit leader-prof", "did you mean 'leader-proof'"},
      {"check lease --omit nonsense", "its rules are lease-from-send, "},
      {"check lease --servers 1 --omit leader-proof", "a rule for two servers"},
      {"check lease --servers 3", "--servers"},
      {"check lease --servers two", "--servers"},
      {"check lease -n 4", "--servers says how many"},
      {"check lease --requests any", "a number from 0 to 3, not 'any'"},
      {"check lease --delays 4", "at most 3"},
      {"check lease --losses 1", "--losses cannot be used with lease"},
      {"check central --servers 2", "--servers is an option of lease, not of central"},
      {"check central --save /no/such/folder/run.jsonl", "/no/such/folder"},
  };
  for (const auto& one : cases) {
    const Outcome result = shell("$BATON " + std::string(one.arguments));
    EXPECT_EQ(result.code, 2) << result.out << result.err;
    EXPECT_NE(result.err.find(one.expected), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace baton::test
