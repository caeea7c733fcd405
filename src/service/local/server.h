// The local server as a process. Baton starts it by `baton local-server`; a user need not.
#pragma once

namespace baton::local {

// Serves this user until no command has needed the server for a while (BATON_IDLE_STOP, in
// seconds). With accept_loss it starts even if the journal has lost records. Returns the exit code;
// 0 also if another local server serves already.
int serve_user(bool accept_loss);

}  // namespace baton::local
