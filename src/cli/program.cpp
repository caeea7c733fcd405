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

// The command that was typed, and within it another one if it has such.
std::vector<const CLI::App*> named_commands(const CLI::App& app) {
  std::vector<const CLI::App*> named;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    named.push_back(at = at->get_subcommands().front());
  }
  return named;
}

// One line, on standard error, and the way to more.
int complain(const CLI::App& app, const std::string& what) {
  std::string command = "baton";
  for (const CLI::App* sub : named_commands(app)) command += " " + sub->get_name();
  std::fprintf(stderr, "%s: %s (see '%s --help')\n", command.c_str(), what.c_str(),
               command.c_str());
  return exit_usage;
}

// Of what was not expected, the first option if there is one: what follows it belongs to it.
std::string about_extra(const CLI::App& app, const std::vector<std::string>& extras) {
  std::string typed = extras.front();
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra.front() != '-') continue;
    typed = extra.substr(0, extra.find('='));
    break;
  }
  if (typed.front() != '-') return "'" + typed + "' was not expected";
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  const auto word = std::min(typed.find_first_not_of('-'), typed.size());
  const std::string best = nearest(typed.substr(word), names);
  return "there is no option '" + typed + "'" +
         (best.empty() ? "" : "; did you mean '--" + best + "'?");
}

// CLI11 knows what is wrong, but not how to put it to a newcomer.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (app.get_subcommands().empty()) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands(nullptr)) {
      const bool is_for_people = !sub->get_group().empty();
      if (is_for_people) names.push_back(sub->get_name());
    }
    if (argc > 1 && argv[1][0] != '-') {
      return "there is no command '" + std::string(argv[1]) + "'" + did_you_mean(argv[1], names);
    }
    if (argc > 1) return about_extra(app, {argv[1]});
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return "say what to do: " + all;
  }
  const CLI::App& command = *named_commands(app).back();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return about_extra(command, command.remaining());
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return "say which algorithm; 'baton list' shows them all";
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

int run(int argc, char** argv, const Program& program) {
  CLI::App app{program.description};
  app.name("baton");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());

  Action action;
  program.add_commands(app, action);

  argc = cut_at_dashes(argc, argv);
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return complain(app, explain(app, error, argc, argv));
  } catch (const UsageError& error) {
    return complain(app, error.what());
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
