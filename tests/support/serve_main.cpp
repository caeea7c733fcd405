// `baton serve` alone, for tests of the server as a process.
#include <cstdio>
#include <exception>

#include "cli/common/arguments.h"
#include "cli/common/command.h"

int main(int argc, char** argv) {
  baton::cli::Command app("baton", "The server, for tests");
  app.needs_command();
  baton::cli::Action action;
  baton::cli::add_serve(app, action);
  try {
    if (const auto text = app.parse({argv + 1, argv + argc})) {
      std::fputs(text->c_str(), stdout);
      return baton::cli::exit_ok;
    }
    return action();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return baton::cli::exit_usage;
  }
}
