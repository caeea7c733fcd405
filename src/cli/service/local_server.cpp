#include "service/local/server.h"

#include "cli/common/arguments.h"
#include "cli/service/commands.h"

namespace baton::cli {

void add_local_server(Command& app, Action& action) {
  Command& command = app.add_command(
      "local-server", "Run the local server of this user, which the first command starts");
  command.hide();
  const auto accept_loss = std::make_shared<bool>(false);
  command.add_flag("--accept-loss", *accept_loss, "Start although the journal has lost records");
  command.callback([accept_loss, &action] {
    action = [accept_loss] { return local::serve_user(*accept_loss); };
  });
}

void add_service_commands(Command& app, Action& action) {
  app.begin_group(service_commands);
  add_lock(app, action);
  add_elect(app, action);
  add_acquire(app, action);
  add_renew(app, action);
  add_release(app, action);
  add_locks(app, action);
  add_sessions(app, action);
  add_leader(app, action);
  add_status(app, action);
  add_break(app, action);
  add_put(app, action);
  add_get(app, action);
  add_ls(app, action);
  add_rm(app, action);
  add_watch(app, action);
  add_serve(app, action);
  add_backup(app, action);
  add_restore(app, action);
  add_bench(app, action);
  add_demo(app, action);
  add_local_server(app, action);
}

}  // namespace baton::cli
