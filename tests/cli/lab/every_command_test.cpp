// What holds for every command of both programs, as found in the program's own help.
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "cli/lab/commands.h"

namespace baton::test {
namespace {

// How many words a command takes; none if it takes any number.
std::optional<std::size_t> most_words(const Words& command) {
  const std::string help = help_of(command);
  const auto begin = help.find("\nUsage: ") + 1;
  const std::string usage = help.substr(begin, help.find('\n', begin) - begin);
  if (has(usage, "…")) return std::nullopt;
  std::size_t count = 0;
  std::istringstream words(usage.substr(usage.find("[OPTIONS]")));
  for (std::string word; words >> word;) {
    if (word != "[OPTIONS]") ++count;
  }
  return count;
}

Words long_options(const Words& command) {
  const std::string help = help_of(command);
  const std::regex option("\n  (-., )?(--[a-z-]+)");
  Words all;
  for (std::sregex_iterator it(help.begin(), help.end(), option), end; it != end; ++it) {
    all.push_back((*it)[2]);
  }
  return all;
}

class EveryCommand : public testing::TestWithParam<std::string> {
 protected:
  EveryCommand() {
    program() = GetParam();
    all_ = commands_within();
  }
  ~EveryCommand() override { program() = BATON_PROGRAM; }

  const std::vector<Words>& all_commands() const { return all_; }

 private:
  std::vector<Words> all_;
};

INSTANTIATE_TEST_SUITE_P(Of, EveryCommand, testing::Values(BATON_PROGRAM, SERVICE_PROGRAM),
                         [](const auto& program) {
                           return program.param == BATON_PROGRAM ? "Baton" : "BatonService";
                         });

TEST_P(EveryCommand, IsFound) {
  EXPECT_GE(all_commands().size(), 20U);
  const auto is_known = [this](const Words& command) {
    return std::find(all_commands().begin(), all_commands().end(), command) != all_commands().end();
  };
  EXPECT_TRUE(is_known({"lock"}));
  EXPECT_TRUE(is_known({"help"}));
  EXPECT_TRUE(is_known({"demo", "zombie"}));
  EXPECT_EQ(most_words({"sessions"}), 0U);
  EXPECT_EQ(most_words({"get"}), 1U);
  EXPECT_EQ(most_words({"lock"}), std::nullopt);
  EXPECT_GE(long_options({"lock"}).size(), 10U);
}

TEST_P(EveryCommand, ComesFirst) {
  for (const Words& command : all_commands()) {
    for (std::size_t at = 0; at < command.size(); ++at) {
      const auto with = [&](const std::string& word) {
        Words words = command;
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), word);
        return line_of(words);
      };
      expect_refused(with(command[at] + "x"), "did you mean '" + command[at] + "'?");
      expect_refused(with("zzzzzzzz"), "'zzzzzzzz'");
      expect_refused(with("''"), "''");
      expect_refused(with("--zzzzzzzz"), "'--zzzzzzzz'");
      expect_refused(with("--zzzzzzzz=1"), "'--zzzzzzzz'");
      expect_refused(with("-z 1"), "'-z'");
      expect_refused(with("--hepl"), "did you mean '--help'?");
    }
  }
}

TEST_P(EveryCommand, RefusesWordsThatItDoesNotTake) {
  for (const Words& command : all_commands()) {
    expect_refused(line_of(command) + "--zzzzzzzz", "there is no option '--zzzzzzzz'");
    expect_refused(line_of(command) + "-z", "there is no option '-z'");
    if (const auto most = most_words(command)) {
      Words words = command;
      words.insert(words.end(), *most + 1, "zzzzzzzz");
      expect_refused(line_of(words), "'zzzzzzzz'");
    }
  }
}

TEST_P(EveryCommand, KnowsTheNearestOption) {
  for (const Words& command : all_commands()) {
    for (const std::string& option : long_options(command)) {
      std::string swapped = option;
      std::swap(swapped[option.size() - 1], swapped[option.size() - 2]);
      for (const std::string& typed : {option + "x", swapped}) {
        if (typed == option) continue;
        expect_refused(line_of(command) + typed,
                       "there is no option '" + typed + "'; did you mean '" + option + "'?");
      }
    }
  }
}

TEST_P(EveryCommand, SaysThatItsOptionsComeAfterIt) {
  for (const Words& command : all_commands()) {
    for (const std::string& option : long_options(command)) {
      if (option == "--help" || option == "--version") continue;
      Words words = command;
      words.insert(words.begin(), option);
      expect_refused(line_of(words), option + " goes after '" + command.back() + "'");
    }
  }
}

TEST_P(EveryCommand, HasHelp) {
  EXPECT_EQ(baton("help").out, baton("--help").out);
  for (const Words& command : all_commands()) {
    const Outcome outcome = baton("help " + line_of(command));
    EXPECT_EQ(outcome.code, 0) << line_of(command);
    EXPECT_EQ(outcome.out, help_of(command)) << line_of(command);
    EXPECT_EQ(outcome.err, "") << line_of(command);
  }
  expect_refused("help lok", "there is no command 'lok'; did you mean 'lock'?");
  expect_refused("help demo zombi", "there is no command 'zombi'; did you mean 'zombie'?");
  expect_refused("help lock lock", "there is no command 'lock'");
}

TEST_P(EveryCommand, IsOfOneVersion) {
  EXPECT_EQ(baton("version").code, 0);
  EXPECT_EQ(baton("version").out, baton("--version").out);
}

}  // namespace
}  // namespace baton::test
