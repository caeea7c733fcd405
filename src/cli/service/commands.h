// The commands of the lock and election service. Each adds itself to the command line.
#pragma once

#include "cli/command.h"

namespace baton::cli {

void add_lock(CLI::App& app, Action& action);
void add_elect(CLI::App& app, Action& action);
void add_acquire(CLI::App& app, Action& action);
void add_renew(CLI::App& app, Action& action);
void add_release(CLI::App& app, Action& action);
void add_leader(CLI::App& app, Action& action);
void add_locks(CLI::App& app, Action& action);
void add_sessions(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_backup(CLI::App& app, Action& action);
void add_restore(CLI::App& app, Action& action);
void add_break(CLI::App& app, Action& action);
void add_put(CLI::App& app, Action& action);
void add_get(CLI::App& app, Action& action);
void add_ls(CLI::App& app, Action& action);
void add_rm(CLI::App& app, Action& action);
void add_watch(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
// For the program itself; it is not shown.
void add_local_server(CLI::App& app, Action& action);

// All of them.
void add_service_commands(CLI::App& app, Action& action);

}  // namespace baton::cli
