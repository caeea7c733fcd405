// Commands, their options, and the words that were typed for them.
//
// CLI11 does the work. Only arguments.cpp includes it: it takes longer to compile than most files
// that declare options. For the same reason every type that an option can be bound to has a
// function of its own here, instead of one template for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

// What was typed does not fit the options that there are: one line that says what is wrong.
class ArgumentError : public std::runtime_error {
 public:
  enum class Kind {
    unexpected,  // a word or an option that no command takes
    missing,     // a word that a command needs
    value,       // of an option
  };

  ArgumentError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// An option, a flag, or a word that has its meaning by its place. What describes it can be chained:
//
//   command.add_option("--threads", threads, "How many").whole_number(1, 256).group("Search");
class Option {
 public:
  ~Option();

  // What may be typed. Both numbers are read strictly: CLI11 alone would take -1 for a large number
  // without a sign.
  Option& whole_number(std::uint64_t at_least = 0,
                       std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max());
  Option& finite_number();
  Option& between(double low, double high);
  Option& one_of(std::initializer_list<std::string_view> choices);
  Option& size_in_bytes();            // 500, 64kb, 2GiB
  Option& no_value();                 // of a flag: without =true or =false
  Option& value_may_be_left_out();    // --trace, or --trace json
  Option& one_value_each();           // of several values: the option is repeated for each
  Option& separated_by(char letter);  // of several values: they may also be in one word
  Option& required();
  Option& needs(const Option& other);
  Option& variable(std::string_view name);  // of the environment, where the option is not typed

  // What the help says.
  Option& group(std::string_view heading);
  Option& type_name(std::string_view name);
  Option& in_usage(std::string_view text);  // of a word: "NAME" where it must be there, "[NAME…]"
  Option& show_default();                   // as the variable has it by now
  Option& show_default(std::string_view text);

  // "--processes" for "-n,--processes", or the name of a word.
  std::string name() const;
  std::string group() const;
  bool takes_value() const;

  // What was typed.
  std::size_t count() const;
  std::vector<std::string> values() const;

  // As if these had been typed. Throws ArgumentError.
  void take(const std::vector<std::string>& values);

 private:
  friend class Command;
  struct Parts;
  explicit Option(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// A program, or one of its commands, which may have commands of its own. Names of options are
// copied, so they may be made up at run time; variables must live until the command line has been
// read.
class Command {
 public:
  Command(std::string_view name, std::string_view description);  // a program
  ~Command();

  // The description's first paragraph, which is one line, is for the list of commands, too.
  Command& add_command(std::string_view name, std::string_view description);
  // What else the help says.
  Command& begin_group(std::string_view heading);  // of commands that are added from now on
  Command& example(std::string_view line);         // as it would be typed
  Command& footer(std::string_view text);          // in the end
  Command& runs_a_command();  // NAME… -- COMMAND [ARGUMENT…], or NAME… -c LINE
  Command& unlisted();        // not in the list of commands
  Command& hide();            // ... and never suggested
  Command& version(std::string_view text);
  Command& without_help();
  Command& needs_command();
  Command& allow_unexpected(bool allowed = true);

  // Is run when this command was typed, once its options have their values.
  Command& callback(std::function<void()> callback);

  // "-n,--processes" for an option, "NAME" for a word that has its meaning by its place.
  Option& add_option(std::string_view name, std::string& value, std::string_view description);
  Option& add_option(std::string_view name, int& value, std::string_view description);
  Option& add_option(std::string_view name, std::int64_t& value, std::string_view description);
  Option& add_option(std::string_view name, std::uint32_t& value, std::string_view description);
  Option& add_option(std::string_view name, std::uint64_t& value, std::string_view description);
  Option& add_option(std::string_view name, double& value, std::string_view description);
  Option& add_option(std::string_view name, std::optional<std::string>& value,
                     std::string_view description);
  Option& add_option(std::string_view name, std::optional<std::uint64_t>& value,
                     std::string_view description);
  Option& add_option(std::string_view name, std::optional<double>& value,
                     std::string_view description);
  Option& add_option(std::string_view name, std::vector<std::string>& values,
                     std::string_view description);
  Option& add_option(std::string_view name, std::vector<std::uint32_t>& values,
                     std::string_view description);
  // For all other types: `take` gets the word, and throws ArgumentError if it is wrong.
  Option& add_option(std::string_view name, std::function<void(const std::string& typed)> take,
                     std::string_view description);
  Option& add_flag(std::string_view name, bool& value, std::string_view description);

  const std::string& name() const;
  bool is_hidden() const;
  std::vector<const Command*> commands() const;
  Command* find_command(std::string_view name) const;  // null if there is none
  std::vector<const Option*> options() const;
  Option* find_option(
      std::string_view name) const;             // "--seed", "-n" or "NAME"; null if there is none
  std::vector<std::string> long_names() const;  // of its options, without dashes
  std::string help(std::string_view full_name) const;  // as wide as the terminal

  // Reads the command line, without the program's name. If it asks for help or for the version,
  // that is the text returned. Throws ArgumentError.
  std::optional<std::string> parse(const std::vector<std::string>& words);

  // What was typed.
  const Command* chosen() const;  // of its commands; null if none
  std::size_t count(std::string_view option) const;
  bool has_unexpected() const;                  // words that it does not know
  std::vector<std::string> unexpected() const;  // these, and "--" where it was typed

 private:
  struct Parts;
  explicit Command(std::unique_ptr<Parts> parts);
  template <class Value>
  Option& bind(std::string_view name, Value& value, std::string_view description);
  std::vector<std::string> usage(const std::string& full_name) const;

  std::unique_ptr<Parts> parts_;
};

// A line "name = value" or "name = [value, value]" of a configuration file.
struct Setting {
  std::string name;  // in a section: "section.name"
  std::vector<std::string> values;
};

// Throws if the text is no such file.
std::vector<Setting> settings_in(std::istream& from);

}  // namespace baton::cli
