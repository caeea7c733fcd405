#include "cli/network/demos.h"

#include <CLI/CLI.hpp>

namespace baton::cli {

void add_crew_demos(CLI::App& app, Action& action) {
  CLI::App& demo = *app.get_subcommand("demo");
  add_demo_counter(demo, action);
  add_demo_bank(demo, action);
}

}  // namespace baton::cli
