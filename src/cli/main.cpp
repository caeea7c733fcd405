#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/program.h"
#include "cli/lab/trace.h"
#include "cli/network/commands.h"
#include "cli/network/demos.h"
#include "cli/service/commands.h"

namespace {

void add_commands(baton::cli::Command& app, baton::cli::Action& action) {
  baton::cli::add_service_commands(app, action);
  baton::cli::add_peer(app, action);
  baton::cli::add_network_demos(app, action);
  app.begin_group(baton::cli::laboratory_commands);
  baton::cli::add_list(app, action);
  baton::cli::add_sim(app, action);
  baton::cli::add_compare(app, action);
  baton::cli::add_check(app, action);
  baton::cli::add_trace(app, action);
}

}  // namespace

int main(int argc, char** argv) {
  return baton::cli::run_program(
      argc, argv,
      {"Baton: locks and leader elections for scripts and programs, and a laboratory that "
       "simulates, measures and checks the algorithms of the field.",
       {"baton lock nightly-backup -- ./backup.sh", "baton sim ricart-agrawala -n 3 --trace"},
       add_commands});
}
