#include "cli/common/program.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "core/nearest.h"

namespace baton::cli {

namespace {

std::vector<std::string> after_dashes;

// The program itself, the command that was typed, and within it another one if it has such.
std::vector<const Command*> named_commands(const Command& app) {
  std::vector<const Command*> named;
  for (const Command* one = &app; one != nullptr; one = one->chosen()) named.push_back(one);
  return named;
}

// The first of them that was given something it does not know, or else the last.
std::size_t at_fault(const std::vector<const Command*>& named) {
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i]->has_unexpected()) return i;
  }
  return named.size() - 1;
}

// One line, on standard error, and the way to more.
int complain(const std::vector<const Command*>& named, const std::string& what) {
  std::string command;
  for (std::size_t i = 0; i <= at_fault(named); ++i) {
    command += (i == 0 ? "" : " ") + named[i]->name();
  }
  tell(command + ": " + printable(what) + " (see '" + command + " --help')");
  return exit_usage;
}

std::vector<std::string> names_of_commands(const Command& app) {
  std::vector<std::string> names;
  for (const Command* sub : app.commands()) {
    if (!sub->is_hidden()) names.push_back(sub->name());
  }
  return names;
}

std::string no_such_command(const Command& app, const std::string& typed) {
  return "there is no command '" + typed + "'" + did_you_mean(typed, names_of_commands(app));
}

std::string no_such_option(const Command& app, const std::string& typed) {
  const auto word = std::min(typed.find_first_not_of('-'), typed.size());
  const std::string best = nearest(typed.substr(word), app.long_names());
  return "there is no option '" + typed + "'" +
         (best.empty() ? "" : "; did you mean '--" + best + "'?");
}

bool is_option(const std::string& typed) { return typed.size() > 1 && typed.front() == '-'; }

// Of what was not expected, the first option if there is one: what follows it belongs to it.
std::string about_extra(const std::vector<const Command*>& named) {
  const std::size_t fault = at_fault(named);
  const Command& app = *named[fault];
  const std::vector<std::string> extras = app.unexpected();
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  const bool has_commands = !app.commands().empty();
  const bool begins_with_option = option == extras.begin();
  if (has_commands && !begins_with_option) return no_such_command(app, extras.front());
  if (option == extras.end()) return "'" + extras.front() + "' was not expected";
  const std::string typed = option->substr(0, option->find('='));
  for (std::size_t i = fault + 1; i < named.size(); ++i) {
    if (named[i]->find_option(typed) == nullptr) continue;
    return typed + " goes after '" + named[i]->name() + "'";
  }
  return no_such_option(app, typed);
}

std::string explain(const std::vector<const Command*>& named, const ArgumentError& error) {
  const std::size_t fault = at_fault(named);
  const bool is_about_a_value = error.kind() == ArgumentError::Kind::value;
  const bool comes_earlier = fault + 1 < named.size();
  if (named[fault]->has_unexpected() && (comes_earlier || !is_about_a_value)) {
    return about_extra(named);
  }
  return named.size() == 1 ? "say which command" : error.what();
}

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
int help(const Command& app, const std::vector<std::string>& words) {
  const Command* found = &app;
  std::string name = app.name();
  for (const std::string& word : words) {
    const Command* within = found->find_command(word);
    if (within == nullptr) throw UsageError(no_such_command(*found, word));
    found = within;
    name += " " + word;
  }
  std::cout << found->help(name);
  return exit_ok;
}

void add_help(Command& app, Action& action) {
  Command& command = app.add_command("help", "Show what a command does, and its options");
  command.example("baton help lock").unlisted();
  const auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *words, "The command (default: a list of all)");
  command.callback(
      [&app, &action, words] { action = [&app, words] { return help(app, *words); }; });
}

void add_version(Command& app, Action& action) {
  Command& command = app.add_command("version", "Show the version of this program");
  command.example("baton version").unlisted();
  command.callback([&action] {
    action = [] {
      std::cout << version << "\n";
      return exit_ok;
    };
  });
}

int run(int argc, char** argv, const Program& program) {
  Command app("baton", program.description);
  for (const std::string& line : program.examples) app.example(line);
  app.footer("'baton COMMAND --help' says more of a command.").version(version);
  app.needs_command();

  Action action;
  program.add_commands(app, action);
  add_help(app, action);
  add_version(app, action);

  // Nothing was asked for, so this is wrong usage; what can be asked for is the best answer.
  if (argc == 1) {
    std::fputs(app.help(app.name()).c_str(), stderr);
    return exit_usage;
  }
  argc = cut_at_dashes(argc, argv);
  try {
    if (const auto text = app.parse({argv + 1, argv + argc})) {
      std::cout << *text;
      return exit_ok;
    }
    return action();
  } catch (const ArgumentError& error) {
    return complain(named_commands(app), explain(named_commands(app), error));
  } catch (const UsageError& error) {
    return complain(named_commands(app), error.what());
  } catch (const std::exception& error) {
    tell(std::string("baton: ") + error.what());
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
