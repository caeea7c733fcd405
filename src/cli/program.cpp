#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/text.h"

namespace baton::cli {

namespace {

std::vector<std::string> after_dashes;

// The program itself, the command that was typed, and within it another one if it has such.
std::vector<const CLI::App*> named_commands(const CLI::App& app) {
  std::vector<const CLI::App*> named{&app};
  while (!named.back()->get_subcommands().empty()) {
    named.push_back(named.back()->get_subcommands().front());
  }
  return named;
}

// The first of them that was given something it does not know, or else the last.
std::size_t at_fault(const std::vector<const CLI::App*>& named) {
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i]->remaining_size() > 0) return i;
  }
  return named.size() - 1;
}

// One line, on standard error, and the way to more.
int complain(const std::vector<const CLI::App*>& named, const std::string& what) {
  std::string command;
  for (std::size_t i = 0; i <= at_fault(named); ++i) {
    command += (i == 0 ? "" : " ") + named[i]->get_name();
  }
  std::fprintf(stderr, "%s: %s (see '%s --help')\n", command.c_str(), printable(what).c_str(),
               command.c_str());
  return exit_usage;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    const bool is_for_people = !sub->get_group().empty();
    if (is_for_people) names.push_back(sub->get_name());
  }
  return names;
}

std::string no_such_command(const CLI::App& app, const std::string& typed) {
  return "there is no command '" + typed + "'" + did_you_mean(typed, names_of_commands(app));
}

std::string no_such_option(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  const auto word = std::min(typed.find_first_not_of('-'), typed.size());
  const std::string best = nearest(typed.substr(word), names);
  return "there is no option '" + typed + "'" +
         (best.empty() ? "" : "; did you mean '--" + best + "'?");
}

bool is_option(const std::string& typed) { return typed.size() > 1 && typed.front() == '-'; }

// Of what was not expected, the first option if there is one: what follows it belongs to it.
std::string about_extra(const std::vector<const CLI::App*>& named) {
  const std::size_t fault = at_fault(named);
  const CLI::App& app = *named[fault];
  const std::vector<std::string> extras = app.remaining();
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  const bool has_commands = !app.get_subcommands(nullptr).empty();
  const bool begins_with_option = option == extras.begin();
  if (has_commands && !begins_with_option) return no_such_command(app, extras.front());
  if (option == extras.end()) return "'" + extras.front() + "' was not expected";
  const std::string typed = option->substr(0, option->find('='));
  for (std::size_t i = fault + 1; i < named.size(); ++i) {
    if (named[i]->get_option_no_throw(typed) == nullptr) continue;
    return typed + " goes after '" + named[i]->get_name() + "'";
  }
  return no_such_option(app, typed);
}

// CLI11 knows what is wrong, but not how to put it to a newcomer.
std::string explain(const std::vector<const CLI::App*>& named, const CLI::ParseError& error) {
  const std::size_t fault = at_fault(named);
  const bool is_about_a_value = dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr &&
                                dynamic_cast<const CLI::RequiredError*>(&error) == nullptr;
  const bool comes_earlier = fault + 1 < named.size();
  if (named[fault]->remaining_size() > 0 && (comes_earlier || !is_about_a_value)) {
    return about_extra(named);
  }
  if (named.size() == 1) {
    std::string all;
    for (const std::string& name : names_of_commands(*named[0]))
      all += (all.empty() ? "" : ", ") + name;
    return "say what to do: " + all;
  }
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool is_flag = text.find("flag override") != text.npos;
    if (is_flag) return "--" + text.substr(0, text.find(' ')) + " takes no value";
    return text.substr(0, text.find(':')) + " takes one value";
  }
  if (const auto end = text.find('\n'); end != text.npos) text.erase(end);
  return text;
}

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

// A command's own words are not for us to parse.
int cut_at_dashes(int argc, char** argv) {
  if (argc < 2 || (std::string(argv[1]) != "lock" && std::string(argv[1]) != "elect")) return argc;
  for (int i = 2; i < argc; ++i) {
    if (std::string(argv[i]) != "--") continue;
    after_dashes.assign(argv + i + 1, argv + argc);
    return i;
  }
  return argc;
}

// "help lock" says what "lock --help" says.
int help(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* found = &app;
  std::string name = app.get_name();
  for (const std::string& word : words) {
    const auto within =
        found->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
    if (within.empty()) throw UsageError(no_such_command(*found, word));
    found = within.front();
    name += " " + word;
  }
  // Not by App::help(), which would tell of the command that was typed: this one.
  std::cout << found->get_formatter()->make_help(found, name, CLI::AppFormatMode::Normal);
  return exit_ok;
}

void add_help(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("help",
                                          "What a command does, and its options.\n\n"
                                          "Example: baton help lock");
  const auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *words, "Which one (default: a list of all)");
  command.callback(
      [&app, &action, words] { action = [&app, words] { return help(app, *words); }; });
}

void add_version(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("version",
                                          "The version of this program.\n\n"
                                          "Example: baton version");
  command.callback([&action] {
    action = [] {
      std::cout << version << "\n";
      return exit_ok;
    };
  });
}

int run(int argc, char** argv, const Program& program) {
  CLI::App app{program.description};
  app.name("baton");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());

  Action action;
  program.add_commands(app, action);
  add_help(app, action);
  add_version(app, action);

  argc = cut_at_dashes(argc, argv);
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return complain(named_commands(app), explain(named_commands(app), error));
  } catch (const UsageError& error) {
    return complain(named_commands(app), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "baton: %s\n", error.what());
    return exit_usage;
  }
}

}  // namespace

const std::vector<std::string>& words_after_dashes() { return after_dashes; }

int run_program(int argc, char** argv, const Program& program) {
  const int code = run(argc, argv, program);
  // A full disk behind a redirection shows only now.
  std::cout.flush();
  if (!std::cout && code != exit_usage) {
    std::fputs("baton: cannot write to standard output\n", stderr);
    return exit_usage;
  }
  return code;
}

}  // namespace baton::cli
