#include "cli/service/hold_options.h"

#include <cstdlib>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/program.h"
#include "cli/common/text.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

// From a loss until the command is asked to end, and from the kill until nothing is left.
constexpr Micros time_to_kill = 500ms;
// What a lease must leave for keepalives, besides.
constexpr Micros shortest_lease = 1s;
constexpr std::size_t longest_label = 200;

const std::vector<std::string> ways_to_lose{"kill", "signal", "ignore"};

// The drift margin of the lease protocol: clocks may differ by two in a hundred.
Micros shortest_ttl_for(Micros time_to_stop) {
  const Micros needed = (time_to_stop + shortest_lease) * 50 / 49;
  return std::chrono::ceil<std::chrono::milliseconds>(needed / 100) * 100;
}

}  // namespace

void HoldOptions::add_waiting_to(Command& command) {
  command.add_flag("--try", only_try, "Do not wait if it is held: exit with 75");
  add_duration(command, "--wait", asked.wait, "Wait at most so long (default: for ever)");
  add_duration(command, "--ttl", ttl, "Length of the lease, after which it expires unless renewed");
  add_duration(command, "--max-hold", asked.max_hold, "Hold it at most so long (0s: no limit)");
  add_duration(command, "--lock-delay", lock_delay,
               "Keep it closed so long after the lease expires");
  command.add_option("--label", asked.label, "What 'baton locks' shows of the holder")
      .type_name("TEXT");
  command.add_flag("--fast", asked.fast, "Grant before it is on disk (docs/guarantees.md)");
  command
      .add_option("--conflict-exit-code", conflict_exit_code,
                  "Exit code if another client holds it")
      .whole_number(0, 255)
      .type_name("N")
      .show_default();
}

void HoldOptions::add_lock_to(Command& command) {
  command.add_option("NAME", names, "One or several locks, taken together: all or none")
      .in_usage("NAME…");
  command.add_flag("--shared", asked.shared, "Share it with other clients that say --shared");
  command
      .add_option("--slots", asked.slots,
                  "Let so many hold it at once; all must say the same number")
      .whole_number(1, 65536)
      .type_name("N");
  command.add_flag("--despite-deadlock", asked.despite_deadlock, "Wait even if that is a deadlock");
}

void HoldOptions::add_command_to(Command& command) {
  command
      .add_option("--on-lost", on_lost,
                  "If it is lost: kill the command and all that it started, send the command a "
                  "TERM signal, or let it run")
      .type_name("kill|signal|ignore")
      .show_default();
  add_duration(command, "--kill-after", kill_after, "Time between TERM and KILL when it is lost")
      .show_default(typed(time_to_end()));
  command.add_option("-c", shell_line, "Run this line of shell instead of a command")
      .type_name("LINE");
}

void HoldOptions::check() const {
  if (names.empty()) {
    throw UsageError(is_election ? "say which election" : "say which lock; any name will do");
  }
  if (is_election && names.size() > 1)
    throw UsageError("one election at a time, not " + std::to_string(names.size()));
  if (asked.shared && asked.slots > 1) throw UsageError("--shared and --slots exclude each other");
  if (only_try && asked.wait) throw UsageError("--try and --wait exclude each other");
}

void HoldOptions::check_command() const {
  check();
  const bool has_line = !shell_line.empty();
  const bool has_words = !words_after_dashes().empty();
  if (has_line && has_words) throw UsageError("-c and -- COMMAND exclude each other");
  if (!has_line && !has_words) throw UsageError("say what to run: -- COMMAND, or -c 'shell line'");
  if (std::find(ways_to_lose.begin(), ways_to_lose.end(), on_lost) == ways_to_lose.end()) {
    throw UsageError("--on-lost takes kill, signal or ignore, not '" + on_lost + "'" +
                     did_you_mean(on_lost, ways_to_lose));
  }
  const Micros needed = shortest_ttl_for(time_to_stop());
  if (ttl >= needed) return;
  throw UsageError("--ttl " + typed(ttl) +
                   " leaves too little time to stop the command before another client gets the " +
                   std::string(is_election ? "lead" : "lock") + "; with --kill-after " +
                   typed(time_to_end()) + " it must be at least " + typed(needed));
}

Micros HoldOptions::time_to_end() const { return kill_after.value_or(2s); }

Micros HoldOptions::time_to_stop() const {
  return on_lost == "kill" ? time_to_end() + time_to_kill : Micros(0);
}

ClientOptions HoldOptions::client() const {
  return {.ttl = ttl,
          .lock_delay = lock_delay,
          .fast = asked.fast,
          .label = beginning_of(asked.label, longest_label)};
}

LockOptions HoldOptions::lock() const {
  LockOptions options = asked;
  if (only_try) options.wait = Micros(0);
  return options;
}

CampaignOptions HoldOptions::campaign() const {
  const LockOptions options = lock();
  return {.wait = options.wait,
          .max_hold = options.max_hold,
          .label = options.label,
          .fast = options.fast};
}

process::Options HoldOptions::supervision() const {
  process::Options options;
  options.command = shell_line.empty() ? process::Command{words_after_dashes(), {}}
                                       : process::Command::shell(shell_line);
  options.kill_after = std::chrono::ceil<std::chrono::milliseconds>(time_to_end());
  if (on_lost == "signal") options.on_lost = process::OnLost::signal;
  if (on_lost == "ignore") options.on_lost = process::OnLost::ignore;
  return options;
}

std::string HoldOptions::quoted_names() const {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

}  // namespace baton::cli
