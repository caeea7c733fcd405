// The commands of the lock and election service. Each adds itself to the command line.
#pragma once

#include "cli/common/command.h"

namespace baton::cli {

void add_lock(Command& app, Action& action);
void add_elect(Command& app, Action& action);
void add_acquire(Command& app, Action& action);
void add_renew(Command& app, Action& action);
void add_release(Command& app, Action& action);
void add_leader(Command& app, Action& action);
void add_locks(Command& app, Action& action);
void add_sessions(Command& app, Action& action);
void add_status(Command& app, Action& action);
void add_backup(Command& app, Action& action);
void add_restore(Command& app, Action& action);
void add_break(Command& app, Action& action);
void add_put(Command& app, Action& action);
void add_get(Command& app, Action& action);
void add_ls(Command& app, Action& action);
void add_rm(Command& app, Action& action);
void add_watch(Command& app, Action& action);
void add_bench(Command& app, Action& action);
void add_demo(Command& app, Action& action);
// For the program itself; it is not shown.
void add_local_server(Command& app, Action& action);

// All of them.
void add_service_commands(Command& app, Action& action);

}  // namespace baton::cli
