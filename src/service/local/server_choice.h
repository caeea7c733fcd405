// Which server a command talks to, and the local one of this user where nothing else was chosen:
// it is started by whoever needs it first.
//
// A hundred commands may do so at once: one of them gets start.lock and starts the server, the
// others wait until somebody listens. Whether a server lives is told by the kernel alone (it
// listens, it has locked server.lock), never by what a dead one has left behind.
#pragma once

#include <string>

#include "service/local/state_directory.h"

namespace baton::local {

enum class Scope {
  given,  // by --url or BATON_URL
  host,   // a server for the whole machine
  user    // started by the first command of this user
};

struct ServerChoice {
  Scope scope = Scope::given;
  std::string url;

  // For people: "user (this user's commands on this machine)".
  std::string describe() const;
};

// `url` is what was typed; empty: what BATON_URL says, then the machine's server, then this user's.
// Throws Unavailable.
ServerChoice choose(const std::string& url);

// Sees to it that the chosen server runs, if that is in our hands. Throws Unavailable.
void make_sure(const ServerChoice& choice);

}  // namespace baton::local
