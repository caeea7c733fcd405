// The subcommands of `baton`. Each adds itself to the command line and runs when it was named.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace baton::cli {

class Command;

// Exit codes, the same for every command.
inline constexpr int exit_ok = 0;
inline constexpr int exit_violation = 1;  // a promise was broken, or a measurement differs
inline constexpr int exit_usage = 2;      // nothing was judged: wrong usage, or a failed write
inline constexpr int exit_undecided = 3;  // nothing is broken in what was seen, which was not all

// Wrong usage: one line that says what is wrong and what to do instead.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What to run once the command line is parsed; returns the exit code.
using Action = std::function<int()>;

// The two groups in the list of commands.
inline constexpr const char* service_commands = "Service";
inline constexpr const char* laboratory_commands = "Laboratory";

void add_list(Command& app, Action& action);
void add_sim(Command& app, Action& action);
void add_compare(Command& app, Action& action);
void add_check(Command& app, Action& action);
void add_serve(Command& app, Action& action);

}  // namespace baton::cli
