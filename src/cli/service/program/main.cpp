// The commands of the service as a program of their own: what the tests of these commands run, so
// that they need not wait for the laboratory to be built.
#include "cli/common/command.h"
#include "cli/common/program.h"
#include "cli/service/commands.h"

int main(int argc, char** argv) {
  return baton::cli::run_program(argc, argv,
                                 {"The lock and election service of Baton.\n\n"
                                  "Example: baton lock nightly-backup -- ./backup.sh",
                                  [](baton::cli::Command& app, baton::cli::Action& action) {
                                    baton::cli::add_serve(app, action);
                                    baton::cli::add_service_commands(app, action);
                                  }});
}
