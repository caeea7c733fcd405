// The subcommands of `baton`. Each adds itself to the command line and runs when it was named.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace baton::cli {

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

void add_list(CLI::App& app, Action& action);
void add_sim(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);

}  // namespace baton::cli
