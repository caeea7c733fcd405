// What all commands of the service have in common: which server they talk to, and how what goes
// wrong becomes a line and an exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "baton/client.h"
#include "cli/common/command.h"
#include "service/local/server_choice.h"
#include "service/process/exit_codes.h"

namespace baton::cli {

class Command;

// Besides those of service/process/exit_codes.h. docs/tool.md says what each means to a script.
inline constexpr int exit_nothing = 1;     // there is no such leader, file, lock or session
inline constexpr int exit_deadlock = 122;  // waiting could never have ended
int exit_code_of(Error error);

// What went wrong, in words that say it once.
std::string told(const Failure& failure);

// The service, or the lack of it, says no.
class Refused : public std::runtime_error {
 public:
  // A failure without a message gets `what` as its message.
  Refused(const std::string& what, int code, Failure failure = {})
      : std::runtime_error(what), code_(code), failure_(std::move(failure)) {
    if (failure_.message.empty()) failure_.message = what;
  }
  explicit Refused(const Failure& failure);
  int code() const { return code_; }
  // For programs: which error, and its message alone.
  const Failure& failure() const { return failure_; }

 private:
  int code_;
  Failure failure_;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Refused(result.failure());
  return std::move(result).value();
}
inline void value_of(const Result<void>& result) {
  if (!result) throw Refused(result.failure());
}

// Adds --url, where every command has it.
void add_url(Command& command, std::string& url);

// Adds --stale, where a command only reads; and says how old the last answer was.
void add_stale(Command& command, bool& stale);
void tell_age(const Client& client);

// A server, which is started if it is the user's own and does not run.
class Reach {
 public:
  // As typed, or empty. Throws Refused.
  explicit Reach(const std::string& url);

  const local::ServerChoice& choice() const { return choice_; }
  const std::string& url() const { return choice_.url; }

  // Looks for it for some seconds, and says so if it is not there at once. Throws Refused.
  Client connect(ClientOptions options = {.session = false}) const;
  // The same for who only wants to look: if a server was chosen that is not there, at once.
  // `stale`: any server will do, also one that does not lead.
  Client look(bool stale = false) const;
  // The same, speaking for a session that was left.
  Client attach(ClientOptions options, const SessionTicket& ticket) const;
  // Starts it anew if it is gone. Whether that was possible.
  bool revive() const;

 private:
  template <class Connect>
  Client keep_trying(const ClientOptions& options, Connect connect) const;
  template <class Connect>
  Result<Client> try_patiently(ClientOptions options, Connect connect) const;

  local::ServerChoice choice_;
};

// What it throws as Refused becomes a line and an exit code; `as_json`: and an object.
Action service_action(const std::string& command, std::function<int()> what, bool as_json = false);

}  // namespace baton::cli
