#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

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

// CLI11 says of a mistyped command only that it was not expected.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
    return "unknown command '" + std::string(argv[1]) + "'." +
           baton::cli::did_you_mean(argv[1], names);
  }
  std::string text = error.what();
  if (const auto end = text.find('\n'); end != text.npos) text.erase(end);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Baton: distributed mutual exclusion and leader election.\n"
      "Runs, measures and draws the field's algorithms.\n\n"
      "Example: baton sim ricart-agrawala -n 3 --trace"};
  app.name("baton");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);

  baton::cli::Action action;
  baton::cli::add_list(app, action);
  baton::cli::add_sim(app, action);
  baton::cli::add_compare(app, action);

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
    return baton::cli::exit_violation;
  }
}
