// The directory of this user's local server. All programs of the user on this machine find the same
// one, whatever their environment.
//
// It is below XDG_STATE_HOME, and else below the home directory of the password entry: HOME and
// XDG_RUNTIME_DIR are different, or missing, in cron jobs, services and `su`. It has the machine in
// its name, since a home directory may be shared by several. In it are
//   server.lock   locked by the server for as long as it lives; tells its process
//   start.lock    locked by the command that starts the server
//   socket        bound and removed only by the process that has locked server.lock
//   journal.db    the server's journal
//   failure       why the last start went wrong
//   server.log
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace baton::local {

// No local server is available. The message says why and what to do.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct StateDirectory {
  std::filesystem::path directory;
  // In the directory, or where that has too long a name for a socket, below /tmp.
  std::filesystem::path socket;

  std::string url() const { return "unix:" + socket.string(); }
  std::string journal() const { return (directory / "journal.db").string(); }
};

// Of this user. Makes the directories, for this user alone. Throws Unavailable.
StateDirectory state_directory_of_user();

// True if a server listens on the socket. Throws Unavailable if this user may not connect to it.
bool is_served(const std::filesystem::path& socket);

// The socket of the server for the whole machine: `socket` in /run/baton, or in the directory that
// BATON_RUN_DIRECTORY names. Empty if this user has none. While that server is down, its file
// socket.lock stays, and commands wait for it instead of starting a local server.
std::filesystem::path socket_of_host();

}  // namespace baton::local
