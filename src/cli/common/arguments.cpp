#include "cli/common/arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

namespace baton::cli {

struct Option::Parts {
  CLI::Option* option;  // belongs to its command
};

struct Command::Parts {
  explicit Parts(CLI::App& its_app) : app(its_app), name(its_app.get_name()) {
    if (CLI::Option* help = app.get_help_ptr(); help != nullptr) add(help);
  }

  Option& add(CLI::Option* option) {
    options.push_back(std::unique_ptr<Option>(
        new Option(std::make_unique<Option::Parts>(Option::Parts{option}))));
    return *options.back();
  }

  std::unique_ptr<CLI::App> own;  // of a program; a command's belongs to its program
  CLI::App& app;
  std::string name;
  std::vector<std::unique_ptr<Option>> options;
  std::vector<std::unique_ptr<Command>> commands;
};

namespace {

// In the list of commands each has one line; the rest is for its own help.
class Formatter : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string description = sub->get_description();
    std::ostringstream out;
    CLI::detail::format_help(out, sub->get_display_name(true),
                             description.substr(0, description.find('\n')), column_width_);
    return out.str();
  }
};

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
    return typed + " is too large, more than " + std::to_string(at_most);
  return value >= at_least ? "" : typed + " is too small, less than " + std::to_string(at_least);
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

Option& Option::between(int low, int high) {
  parts_->option->check(CLI::Range(low, high));
  return *this;
}

Option& Option::between(double low, double high) {
  parts_->option->check(CLI::Range(low, high));
  return *this;
}

Option& Option::one_of(std::initializer_list<std::string_view> choices) {
  parts_->option->check(CLI::IsMember(std::vector<std::string>(choices.begin(), choices.end())));
  return *this;
}

Option& Option::size_in_bytes() {
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
  parts_->option->type_name(std::string(name));
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
  auto app = std::make_unique<CLI::App>(std::string(description), std::string(name));
  app->formatter(std::make_shared<Formatter>());
  parts_ = std::make_unique<Parts>(*app);
  parts_->own = std::move(app);
}

Command::Command(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Command::~Command() = default;

Command& Command::add_command(std::string_view name, std::string_view description) {
  CLI::App* app = parts_->app.add_subcommand(std::string(name), std::string(description));
  parts_->commands.push_back(std::unique_ptr<Command>(new Command(std::make_unique<Parts>(*app))));
  return *parts_->commands.back();
}

Command& Command::footer(std::string_view text) {
  parts_->app.footer(std::string(text));
  return *this;
}

Command& Command::hide() {
  parts_->app.group("");
  return *this;
}

Command& Command::version(std::string_view text) {
  parts_->add(parts_->app.set_version_flag("--version", std::string(text)));
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

template <class Value>
Option& Command::bind(std::string_view name, Value& value, std::string_view description) {
  return parts_->add(parts_->app.add_option(std::string(name), value, std::string(description)));
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
  return parts_->add(parts_->app.add_option(std::string(name), callback, std::string(description)));
}

Option& Command::add_flag(std::string_view name, bool& value, std::string_view description) {
  return parts_->add(parts_->app.add_flag(std::string(name), value, std::string(description)));
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

// Not by App::help(), which would tell of the command that was typed.
std::string Command::help(std::string_view full_name) const {
  return parts_->app.get_formatter()->make_help(&parts_->app, std::string(full_name),
                                                CLI::AppFormatMode::Normal);
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
    return parts_->app.help();
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
