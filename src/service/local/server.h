// The local server as a process: what `baton local-server` does, which nobody need type.
#pragma once

namespace baton::local {

// Serves this user until nobody has needed it for a while (BATON_IDLE_STOP, in seconds), also
// without what the journal has lost, if that is accepted. Returns the exit code: 0 also if another
// one serves already.
int serve_user(bool accept_loss);

}  // namespace baton::local
