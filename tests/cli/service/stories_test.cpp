// The demos, the load generator, and what --help and the guide show.
#include <regex>

#include "cli/lab/commands.h"
#include "cli/service/tool.h"

namespace baton::test {
namespace {

class Stories : public Tool {};

TEST_F(Stories, Zombie) {
  const Outcome outcome = baton("demo zombie");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(has(outcome.out, "refused: ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "the account says: \"200, says B\"")) << outcome.out;
  EXPECT_EQ(server_process(), 0) << "the demo has a server of its own";
}

TEST_F(Stories, Deadlock) {
  const Outcome outcome = baton("demo deadlock");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(has(outcome.out, "A has both")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "holds 'left'")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "holds 'right'")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "exit code 122")) << outcome.out;
}

TEST_F(Stories, OthersAreNotKnown) {
  expect_refused("demo", "say which story");
  expect_refused("demo zombi", "did you mean 'zombie'?");
}

TEST_F(Stories, Bench) {
  for (const std::string how : {"", " --same-name", " --fast", " --same-name --fast"}) {
    const auto result = json("bench --clients 4 --seconds 0.3" + how);
    const double rate = result.at("pairs_per_s").to_number<double>();
    EXPECT_GT(rate, 0) << how;
    EXPECT_NEAR(rate,
                static_cast<double>(result.at("pairs").as_int64()) /
                    result.at("took_s").to_number<double>(),
                rate / 100);
    EXPECT_GT(result.at("p50_us").to_number<double>(), 0);
    EXPECT_LE(result.at("p50_us").to_number<double>(), result.at("p99_us").to_number<double>());
    EXPECT_LE(result.at("acquire_p50_us").to_number<double>(),
              result.at("p50_us").to_number<double>());
  }
  EXPECT_EQ(json("sessions").at("sessions").as_array().size(), 0U);
  EXPECT_EQ(json("locks").at("locks").as_array().size(), 0U);
  EXPECT_TRUE(has(baton("bench --clients 1 --seconds 0.1").out, "pairs of acquire and release"));
  expect_refused("bench --clients 0", "too small");
  expect_refused("bench --seconds 0", "more than 0");
  expect_refused("bench --seconds x", "'x' is not a number");
}

TEST_F(Stories, EveryExampleOfTheHelpWorks) {
  const Folder bin;
  std::filesystem::create_symlink(BATON_PROGRAM, bin / "baton");
  setenv("PATH", ((bin / "").string() + ":" + std::getenv("PATH")).c_str(), 1);
  for (const std::string command :
       {"lock", "elect", "acquire", "renew", "release", "leader", "locks", "sessions", "status",
        "break", "put", "get", "ls", "rm", "watch", "bench", "demo"}) {
    const Outcome help = baton(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    const Words shown = examples_of(help.out);
    EXPECT_FALSE(shown.empty()) << command << " shows no example";
    for (const std::string& line : shown) {
      const Outcome outcome = shell(line);
      EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.out << outcome.err;
    }
  }
}

// Lines of the guide's shell blocks; "# exits N" states the exit code.
TEST_F(Stories, EveryExampleOfTheGuideWorks) {
  const Folder bin;
  std::filesystem::create_symlink(BATON_PROGRAM, bin / "baton");
  setenv("PATH", ((bin / "").string() + ":" + std::getenv("PATH")).c_str(), 1);
  std::ifstream guide(BATON_GUIDE);
  bool is_shell = false;
  int examples = 0;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("```")) {
      is_shell = line == "```sh";
    } else if (is_shell && has(line, "baton ")) {
      std::smatch match;
      int expected = 0;
      if (std::regex_search(line, match, std::regex("# exits ([0-9]+)"))) {
        expected = std::stoi(match[1].str());
      }
      const Outcome outcome = shell(line);
      EXPECT_EQ(outcome.code, expected) << line << "\n" << outcome.out << outcome.err;
      ++examples;
    }
  }
  EXPECT_GE(examples, 15);
}

}  // namespace
}  // namespace baton::test
