#include "cli/common/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace baton::cli {
namespace {

using Words = std::vector<std::string>;

std::string complaint(Command& command, const Words& words) {
  try {
    command.parse(words);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Arguments, BindsOptionsOfEveryTypeToVariables) {
  std::string word;
  std::uint32_t small = 0;
  std::uint64_t large = 0;
  double real = 0;
  bool flag = false;
  std::optional<std::uint64_t> maybe;
  std::optional<std::string> never;
  Words words;
  std::vector<std::uint32_t> numbers;
  Command program("program", "");
  program.add_option("WORD", word, "");
  program.add_option("--small", small, "");
  program.add_option("-l,--large", large, "");
  program.add_option("--real", real, "");
  program.add_flag("--flag", flag, "");
  program.add_option("--maybe", maybe, "");
  program.add_option("--never", never, "");
  program.add_option("--words", words, "").one_value_each();
  program.add_option("--numbers", numbers, "").separated_by(',');

  EXPECT_FALSE(program.parse({"--small", "3", "-l", "18446744073709551615", "--real", "0.5",
                              "--flag", "--maybe", "7", "--words", "a", "--words", "b", "--numbers",
                              "1,2,3", "--", "here"}));

  EXPECT_EQ(word, "here");
  EXPECT_EQ(small, 3u);
  EXPECT_EQ(large, 18446744073709551615u);
  EXPECT_EQ(real, 0.5);
  EXPECT_TRUE(flag);
  EXPECT_EQ(maybe, 7u);
  EXPECT_FALSE(never);
  EXPECT_EQ(words, (Words{"a", "b"}));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(Arguments, TakesOptionsWhoseNamesAreOnlyKnownAtRunTime) {
  std::map<std::string, std::string> values;
  Command program("program", "");
  for (const std::string name : {"patience", "votes"}) {
    program
        .add_option(
            "--" + name, [&values, name](const std::string& typed) { values[name] = typed; },
            "Of " + name)
        .type_name("N")
        .whole_number(1, 9)
        .show_default("5")
        .group("Parameters");
  }

  const std::string help = program.help("program");
  EXPECT_NE(help.find("--patience N  Of patience (default: 5)\n"), help.npos) << help;
  EXPECT_NE(help.find("Of votes"), help.npos) << help;
  EXPECT_EQ(complaint(program, {"--votes", "10"}), "--votes: 10 is too large; the most is 9");
  EXPECT_FALSE(program.parse({"--votes", "3"}));
  EXPECT_EQ(values, (std::map<std::string, std::string>{{"votes", "3"}}));
  EXPECT_EQ(program.find_option("--votes")->count(), 1u);
  EXPECT_EQ(program.find_option("--patience")->count(), 0u);
  EXPECT_EQ(program.find_option("--other"), nullptr);
}

TEST(Arguments, SayWhatKindOfMistakeWasMade) {
  const auto kind_of = [](const Words& words) {
    std::string file;
    std::uint32_t number = 0;
    Command program("program", "");
    program.add_option("FILE", file, "").required();
    program.add_option("--number", number, "").whole_number();
    try {
      program.parse(words);
    } catch (const ArgumentError& error) {
      return error.kind();
    }
    throw std::logic_error("nothing was wrong");
  };
  EXPECT_EQ(kind_of({}), ArgumentError::Kind::missing);
  EXPECT_EQ(kind_of({"a", "b"}), ArgumentError::Kind::unexpected);
  EXPECT_EQ(kind_of({"a", "--other"}), ArgumentError::Kind::unexpected);
  EXPECT_EQ(kind_of({"a", "--number", "-1"}), ArgumentError::Kind::value);
  EXPECT_EQ(kind_of({"a", "--number"}), ArgumentError::Kind::value);
}

TEST(Arguments, KnowTheCommandThatWasTyped) {
  Command program("program", "Does things");
  std::string done;
  Command& first = program.add_command("first", "The first.\n\nIn more words");
  program.add_command("second", "The second");
  first.add_command("within", "").callback([&] { done += "within "; });
  first.callback([&] { done += "first "; });

  EXPECT_FALSE(program.parse({"first", "within"}));

  ASSERT_EQ(program.chosen(), &first);
  EXPECT_EQ(first.chosen(), first.find_command("within"));
  EXPECT_EQ(done, "within first ");
  const std::string help = program.help("program");
  EXPECT_NE(help.find("The first."), help.npos) << help;
  EXPECT_EQ(help.find("In more words"), help.npos) << help;
}

TEST(Arguments, SettingsOfAFileGoTheSameWay) {
  std::istringstream file("name = \"x\"\nnumbers = [1, 2]\n[section]\nname = y\n");
  Words names;
  for (const Setting& setting : settings_in(file)) names.push_back(setting.name);
  ASSERT_GE(names.size(), 3u);
  EXPECT_EQ(names[0], "name");
  EXPECT_EQ(names[1], "numbers");
  EXPECT_NE(std::find(names.begin(), names.end(), "section.name"), names.end());

  std::uint32_t number = 0;
  Command program("program", "");
  Option& option = program.add_option("--number", number, "").whole_number(1, 9);
  option.take({"4"});
  EXPECT_EQ(number, 4u);
}

}  // namespace
}  // namespace baton::cli
