// The commands of the service as a program of their own: what the tests of these commands run, so
// that they need not wait for the laboratory to be built.
#include "cli/common/command.h"
#include "cli/common/program.h"
#include "cli/service/commands.h"

int main(int argc, char** argv) {
  return baton::cli::run_program(argc, argv,
                                 {"Baton: locks and leader elections for scripts and programs.",
                                  {"baton lock nightly-backup -- ./backup.sh"},
                                  baton::cli::add_service_commands});
}
