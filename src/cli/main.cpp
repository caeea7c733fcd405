#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/text.h"

namespace {

constexpr const char* version = "baton 0.1.0";

// One line, on standard error, and the way to more.
int complain(const CLI::App& app, const std::string& what) {
  std::string command = "baton";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  std::fprintf(stderr, "%s: %s (see '%s --help')\n", command.c_str(), what.c_str(),
               command.c_str());
  return baton::cli::exit_usage;
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
  const std::string best = baton::cli::nearest(typed.substr(word), names);
  return "there is no option '" + typed + "'" +
         (best.empty() ? "" : "; did you mean '--" + best + "'?");
}

// CLI11 knows what is wrong, but not how to put it to a newcomer.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (app.get_subcommands().empty()) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
    if (argc > 1 && argv[1][0] != '-') {
      return "there is no command '" + std::string(argv[1]) + "'" +
             baton::cli::did_you_mean(argv[1], names);
    }
    if (argc > 1) return about_extra(app, {argv[1]});
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return "say what to do: " + all;
  }
  const CLI::App& command = *app.get_subcommands().front();
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

int run(int argc, char** argv) {
  CLI::App app{
      "Baton: distributed mutual exclusion and leader election.\n"
      "Runs, measures, checks and draws the field's algorithms.\n\n"
      "Example: baton sim ricart-agrawala -n 3 --trace"};
  app.name("baton");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);

  baton::cli::Action action;
  baton::cli::add_list(app, action);
  baton::cli::add_sim(app, action);
  baton::cli::add_compare(app, action);
  baton::cli::add_check(app, action);

  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return complain(app, explain(app, error, argc, argv));
  } catch (const baton::cli::UsageError& error) {
    return complain(app, error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "baton: %s\n", error.what());
    return baton::cli::exit_usage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int code = run(argc, argv);
  // A full disk behind a redirection shows only now.
  std::cout.flush();
  if (!std::cout && code != baton::cli::exit_usage) {
    std::fputs("baton: cannot write to standard output\n", stderr);
    return baton::cli::exit_usage;
  }
  return code;
}
