// The local server as a process: what `baton local-server` does, which nobody need type.
#pragma once

namespace baton::local {

// Serves this user until nobody has needed it for a while (BATON_IDLE_STOP, in seconds). Returns
// the exit code: 0 also if another one serves already.
int serve_user();

}  // namespace baton::local
