// `baton serve` alone, for tests of the server as a process.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/command.h"

int main(int argc, char** argv) {
  CLI::App app{"The server, for tests"};
  app.require_subcommand(1);
  baton::cli::Action action;
  baton::cli::add_serve(app, action);
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return baton::cli::exit_usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return baton::cli::exit_usage;
  }
}
