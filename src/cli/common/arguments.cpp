#include "cli/common/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <type_traits>
#include <utility>

#include "cli/common/help.h"
#include "cli/common/terminal.h"

namespace baton::cli {

struct Option::Parts {
  CLI::Option* option;  // belongs to its command
  std::string type;     // of the value, for the help
  std::string in_usage{};
};

struct Command::Parts {
  explicit Parts(CLI::App& its_app) : app(its_app), name(its_app.get_name()) {
    if (CLI::Option* help = app.get_help_ptr(); help != nullptr) add(help, "");
  }

  Option& add(CLI::Option* option, const std::string& type) {
    options.push_back(std::unique_ptr<Option>(
        new Option(std::make_unique<Option::Parts>(Option::Parts{option, type}))));
    return *options.back();
  }
  // The first paragraph is the summary, and the rest the text.
  void describe(std::string_view description) {
    const std::size_t end = std::min(description.find("\n\n"), description.size());
    summary = description.substr(0, end);
    text = description.substr(std::min(end + 2, description.size()));
  }

  std::unique_ptr<CLI::App> own;  // of a program; a command's belongs to its program
  CLI::App& app;
  std::string name;
  std::string summary;
  std::string text;
  std::vector<std::string> examples;
  std::string epilogue;
  std::string group;
  std::string group_of_next = "Commands";
  bool runs_a_command = false;
  bool is_listed = true;
  std::vector<std::unique_ptr<Option>> options;
  std::vector<std::unique_ptr<Command>> commands;
};

namespace {

// CLI11 knows what is wrong, but not how to put it to a newcomer.
std::string text_of(const CLI::Error& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool is_flag = text.find("flag override") != text.npos;
    if (is_flag) return "--" + text.substr(0, text.find(' ')) + " takes no value";
    return text.substr(0, text.find(':')) + " takes one value";
  }
  return text.substr(0, text.find('\n'));
}

ArgumentError translated(const CLI::Error& error) {
  const bool is_unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  return {is_unexpected ? ArgumentError::Kind::unexpected
          : is_missing  ? ArgumentError::Kind::missing
                        : ArgumentError::Kind::value,
          text_of(error)};
}

std::string why_not_whole(const std::string& typed, std::uint64_t at_least, std::uint64_t at_most) {
  std::uint64_t value = 0;
  const char* last = typed.data() + typed.size();
  const auto [end, error] = std::from_chars(typed.data(), last, value);
  const bool overflows = error == std::errc::result_out_of_range;
  if (!overflows && (error != std::errc{} || end != last)) {
    return "'" + typed + "' is not a whole number";
  }
  if (overflows || value > at_most)
    return typed + " is too large; the most is " + std::to_string(at_most);
  return value >= at_least ? "" : typed + " is too small; the least is " + std::to_string(at_least);
}

std::string why_not_finite(const std::string& typed) {
  double value = 0;
  const char* last = typed.data() + typed.size();
  const auto [end, error] = std::from_chars(typed.data(), last, value);
  const bool is_number = error == std::errc{} && end == last && std::isfinite(value);
  return is_number ? "" : "'" + typed + "' is not a number";
}

}  // namespace

Option::Option(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Option::~Option() = default;

Option& Option::whole_number(std::uint64_t at_least, std::uint64_t at_most) {
  parts_->option->check(
      [=](const std::string& typed) { return why_not_whole(typed, at_least, at_most); });
  return *this;
}

Option& Option::finite_number() {
  parts_->option->check(why_not_finite);
  return *this;
}

Option& Option::between(double low, double high) {
  parts_->option->check([=](const std::string& typed) {
    if (const std::string why_not = why_not_finite(typed); !why_not.empty()) return why_not;
    const double value = std::stod(typed);
    if (low <= value && value <= high) return std::string();
    std::ostringstream text;
    text << typed << " is not between " << low << " and " << high;
    return text.str();
  });
  return *this;
}

Option& Option::one_of(std::initializer_list<std::string_view> choices) {
  const std::vector<std::string> words(choices.begin(), choices.end());
  parts_->type.clear();
  for (const std::string& word : words) parts_->type += (parts_->type.empty() ? "" : "|") + word;
  parts_->option->check([words](const std::string& typed) {
    if (std::find(words.begin(), words.end(), typed) != words.end()) return std::string();
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return "'" + typed + "' is none of " + all;
  });
  return *this;
}

Option& Option::size_in_bytes() {
  parts_->type = "SIZE";
  parts_->option->transform(CLI::AsSizeValue(false));
  return *this;
}

Option& Option::no_value() {
  parts_->option->disable_flag_override();
  return *this;
}

Option& Option::value_may_be_left_out() {
  parts_->option->expected(0, 1);
  return *this;
}

Option& Option::one_value_each() {
  parts_->option->allow_extra_args(false);
  return *this;
}

Option& Option::separated_by(char letter) {
  parts_->option->delimiter(letter);
  return *this;
}

Option& Option::required() {
  parts_->option->required();
  return *this;
}

Option& Option::needs(const Option& other) {
  parts_->option->needs(other.parts_->option);
  return *this;
}

Option& Option::variable(std::string_view name) {
  parts_->option->envname(std::string(name));
  return *this;
}

Option& Option::group(std::string_view heading) {
  parts_->option->group(std::string(heading));
  return *this;
}

Option& Option::type_name(std::string_view name) {
  parts_->type = name;
  return *this;
}

Option& Option::in_usage(std::string_view text) {
  parts_->in_usage = text;
  return *this;
}

Option& Option::show_default() {
  parts_->option->capture_default_str();
  return *this;
}

Option& Option::show_default(std::string_view text) {
  parts_->option->default_str(std::string(text));
  return *this;
}

std::string Option::name() const { return parts_->option->get_name(); }
std::string Option::group() const { return parts_->option->get_group(); }
bool Option::takes_value() const { return parts_->option->get_expected_max() > 0; }
std::size_t Option::count() const { return parts_->option->count(); }
std::vector<std::string> Option::values() const { return parts_->option->results(); }

void Option::take(const std::vector<std::string>& values) {
  try {
    for (const std::string& value : values) parts_->option->add_result(value);
    parts_->option->run_callback();
  } catch (const CLI::Error& error) {
    throw translated(error);
  }
}

Command::Command(std::string_view name, std::string_view description) {
  auto app = std::make_unique<CLI::App>("", std::string(name));
  app->set_help_flag("-h,--help", "Show this help");  // of all its commands, too
  parts_ = std::make_unique<Parts>(*app);
  parts_->own = std::move(app);
  parts_->describe(description);
}

Command::Command(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Command::~Command() = default;

Command& Command::add_command(std::string_view name, std::string_view description) {
  CLI::App* app = parts_->app.add_subcommand(std::string(name), "");
  parts_->commands.push_back(std::unique_ptr<Command>(new Command(std::make_unique<Parts>(*app))));
  parts_->commands.back()->parts_->describe(description);
  parts_->commands.back()->parts_->group = parts_->group_of_next;
  return *parts_->commands.back();
}

Command& Command::begin_group(std::string_view heading) {
  parts_->group_of_next = heading;
  return *this;
}

Command& Command::example(std::string_view line) {
  parts_->examples.emplace_back(line);
  return *this;
}

Command& Command::footer(std::string_view text) {
  parts_->epilogue = text;
  return *this;
}

Command& Command::runs_a_command() {
  parts_->runs_a_command = true;
  return *this;
}

Command& Command::unlisted() {
  parts_->is_listed = false;
  return *this;
}

Command& Command::hide() {
  parts_->app.group("");
  return unlisted();
}

Command& Command::version(std::string_view text) {
  parts_->add(parts_->app.set_version_flag("--version", std::string(text), "Show the version"), "");
  return *this;
}

Command& Command::without_help() {
  const CLI::Option* help = parts_->app.get_help_ptr();
  std::erase_if(parts_->options,
                [&](const auto& option) { return option->parts_->option == help; });
  parts_->app.set_help_flag();
  return *this;
}

Command& Command::needs_command() {
  parts_->app.require_subcommand(1);
  return *this;
}

Command& Command::allow_unexpected(bool allowed) {
  parts_->app.allow_extras(allowed);
  return *this;
}

Command& Command::callback(std::function<void()> callback) {
  parts_->app.callback(std::move(callback));
  return *this;
}

namespace {

template <class Value>
constexpr const char* type_of(const Value&) {
  return std::is_arithmetic_v<Value> ? "N" : "TEXT";
}
template <class Value>
constexpr const char* type_of(const std::optional<Value>&) {
  return type_of(Value{});
}
template <class Value>
constexpr const char* type_of(const std::vector<Value>&) {
  return type_of(Value{});
}

}  // namespace

template <class Value>
Option& Command::bind(std::string_view name, Value& value, std::string_view description) {
  return parts_->add(parts_->app.add_option(std::string(name), value, std::string(description)),
                     type_of(value));
}

Option& Command::add_option(std::string_view name, std::string& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, int& value, std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::int64_t& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::uint32_t& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::uint64_t& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, double& value, std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::optional<std::string>& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::optional<std::uint64_t>& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::optional<double>& value,
                            std::string_view description) {
  return bind(name, value, description);
}

Option& Command::add_option(std::string_view name, std::vector<std::string>& values,
                            std::string_view description) {
  return bind(name, values, description);
}

Option& Command::add_option(std::string_view name, std::vector<std::uint32_t>& values,
                            std::string_view description) {
  return bind(name, values, description);
}

Option& Command::add_option(std::string_view name, std::function<void(const std::string&)> take,
                            std::string_view description) {
  const CLI::callback_t callback = [take = std::move(take)](const CLI::results_t& typed) {
    take(typed.front());
    return true;
  };
  return parts_->add(parts_->app.add_option(std::string(name), callback, std::string(description)),
                     "TEXT");
}

Option& Command::add_flag(std::string_view name, bool& value, std::string_view description) {
  return parts_->add(parts_->app.add_flag(std::string(name), value, std::string(description)), "");
}

const std::string& Command::name() const { return parts_->name; }
bool Command::is_hidden() const { return parts_->app.get_group().empty(); }

std::vector<const Command*> Command::commands() const {
  std::vector<const Command*> all;
  for (const auto& command : parts_->commands) all.push_back(command.get());
  return all;
}

Command* Command::find_command(std::string_view name) const {
  for (const auto& command : parts_->commands) {
    if (command->name() == name) return command.get();
  }
  return nullptr;
}

std::vector<const Option*> Command::options() const {
  std::vector<const Option*> all;
  for (const auto& option : parts_->options) all.push_back(option.get());
  return all;
}

Option* Command::find_option(std::string_view name) const {
  const CLI::Option* found = parts_->app.get_option_no_throw(std::string(name));
  for (const auto& option : parts_->options) {
    if (option->parts_->option == found) return option.get();
  }
  return nullptr;
}

std::vector<std::string> Command::long_names() const {
  std::vector<std::string> names;
  for (const auto& option : parts_->options) {
    for (const std::string& name : option->parts_->option->get_lnames()) names.push_back(name);
  }
  return names;
}

// --- Help ---------------------------------------------------------------------------------------

namespace {

bool is_word(const CLI::Option& option) { return option.get_positional(); }
bool takes_many(const CLI::Option& option) { return option.get_expected_max() > 1; }

// "-n, --processes N", "--trace [FORMAT]", "NAME…"
std::string term_of(const CLI::Option& option, const std::string& type) {
  if (is_word(option)) {
    return option.get_name(true) + (takes_many(option) ? "…" : "");
  }
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) {
    names += (names.empty() ? "--" : ", --") + name;
  }
  if (option.get_expected_max() == 0) return names;
  return names + (option.get_expected_min() == 0 ? " [" + type + "]" : " " + type);
}

std::string explanation_of(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string usual = option.get_default_str();
  if (usual.empty()) return text;
  if (!text.ends_with(')')) return text + " (default: " + usual + ")";
  text.pop_back();
  return text + "; default: " + usual + ")";
}

std::string word_in_usage(const CLI::Option& option, const std::string& text) {
  if (!text.empty()) return text;
  const std::string name = term_of(option, "");
  return option.get_required() ? name : "[" + name + "]";
}

HelpSection& section_of(std::vector<HelpSection>& all, const std::string& heading) {
  for (HelpSection& section : all) {
    if (section.heading == heading) return section;
  }
  all.push_back({heading, {}});
  return all.back();
}

}  // namespace

std::vector<std::string> Command::usage(const std::string& full_name) const {
  std::string begin = full_name + (parts_->commands.empty() ? "" : " COMMAND") + " [OPTIONS]";
  for (const auto& option : parts_->options) {
    const CLI::Option& one = *option->parts_->option;
    if (is_word(one)) begin += " " + word_in_usage(one, option->parts_->in_usage);
  }
  if (!parts_->runs_a_command) return {begin};
  return {begin + " -- COMMAND [ARGUMENT…]", begin + " -c LINE"};
}

std::string Command::help(std::string_view full_name) const {
  HelpPage page{.summary = parts_->summary,
                .usage = usage(std::string(full_name)),
                .text = parts_->text,
                .examples = parts_->examples,
                .epilogue = parts_->epilogue};
  for (const auto& command : parts_->commands) {
    if (!command->parts_->is_listed) continue;
    section_of(page.sections, command->parts_->group)
        .entries.push_back({command->name(), command->parts_->summary});
  }
  for (const bool is_for_words : {true, false}) {
    for (const auto& option : parts_->options) {
      const CLI::Option& one = *option->parts_->option;
      if (is_word(one) != is_for_words) continue;
      section_of(page.sections, is_for_words ? "Arguments" : one.get_group())
          .entries.push_back({term_of(one, option->parts_->type), explanation_of(one)});
    }
  }
  return text_of(page, prose_width());
}

std::optional<std::string> Command::parse(const std::vector<std::string>& words) {
  // CLI11 takes them from the back.
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    parts_->app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::Success&) {
    const Command* asked = this;
    std::string full_name = name();
    while (const Command* within = asked->chosen()) {
      asked = within;
      full_name += " " + asked->name();
    }
    return asked->help(full_name);
  } catch (const CLI::ParseError& error) {
    throw translated(error);
  }
}

const Command* Command::chosen() const {
  const std::vector<CLI::App*> typed = parts_->app.get_subcommands();
  for (const auto& command : parts_->commands) {
    if (!typed.empty() && &command->parts_->app == typed.front()) return command.get();
  }
  return nullptr;
}

std::size_t Command::count(std::string_view option) const {
  return parts_->app.count(std::string(option));
}

bool Command::has_unexpected() const { return parts_->app.remaining_size() > 0; }
std::vector<std::string> Command::unexpected() const { return parts_->app.remaining(); }

std::vector<Setting> settings_in(std::istream& from) {
  std::vector<Setting> settings;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(from)) {
    settings.push_back({item.fullname(), item.inputs});
  }
  return settings;
}

}  // namespace baton::cli
