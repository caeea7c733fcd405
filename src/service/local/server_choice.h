// Chooses the server for a command. If the user chose none, that is this user's local server, and
// the first command that needs it starts it.
//
// A hundred commands may need it at once: one of them locks start.lock and starts the server, and
// the others wait until the server listens. A command decides by the kernel alone whether a server
// lives (it listens, it has locked server.lock), never by files that a dead server left behind.
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

// `url` is the option --url. If it is empty: BATON_URL, then the machine's server, then this user's
// local server. Throws Unavailable.
ServerChoice choose(const std::string& url);

// Starts the chosen server if it is the user's local one and does not run. Throws Unavailable.
void make_sure(const ServerChoice& choice);

}  // namespace baton::local
