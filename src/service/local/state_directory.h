// Where the local server of this user is met: a directory that everything which the user runs on
// this machine agrees on, whatever its environment.
//
// It is below XDG_STATE_HOME, and else below the home directory of the password entry: HOME and
// XDG_RUNTIME_DIR are different, or missing, in cron jobs, services and `su`. It has the machine in
// its name, since a home directory may be shared by several. In it are
//   server.lock   locked by the server for as long as it lives; tells its process
//   start.lock    locked by whoever starts one
//   socket        bound and removed only by who has locked server.lock
//   journal.db    what survives
//   failure       why the last start went wrong
//   server.log
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace baton::local {

// There is no local server to be had; says why and what to do.
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

// Whether somebody listens there. Throws Unavailable if that is not for this user to know.
bool is_served(const std::filesystem::path& socket);

// The socket of a server for the whole machine: socket in /run/baton, or in the directory that
// BATON_RUN_DIRECTORY names. Empty if there is none for this user. A server that is down for a
// moment leaves socket.lock behind, and is still the one to be used.
std::filesystem::path socket_of_host();

}  // namespace baton::local
