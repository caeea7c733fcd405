// The options of commands that hold something: `lock`, `elect` and `acquire`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baton/client.h"
#include "cli/service/duration.h"
#include "service/process/supervise.h"

namespace baton::cli {

class Command;

struct HoldOptions {
  std::vector<std::string> names;
  std::string url;
  LockOptions asked;
  bool only_try = false;
  Micros ttl{10'000'000};
  Micros lock_delay{0};
  int conflict_exit_code = process::exit_code::conflict;
  // Of an election.
  bool is_election = false;
  std::string value;
  // Of a command that is run meanwhile.
  std::string on_lost = "kill";
  std::optional<Micros> kill_after;
  std::string shell_line;

  // Of all three; how many names, slots and modes only where they are locks.
  void add_waiting_to(Command& command);
  void add_lock_to(Command& command);
  void add_command_to(Command& command);

  // Throws UsageError.
  void check() const;
  void check_command() const;

  // From TERM to KILL.
  Micros time_to_end() const;
  // How long before the lease may be over at the server a loss must be declared, so that
  // everything is stopped by then.
  Micros time_to_stop() const;
  ClientOptions client() const;
  LockOptions lock() const;
  CampaignOptions campaign() const;
  process::Options supervision() const;
  // "'a'", "'a' and 'b'".
  std::string quoted_names() const;
};

}  // namespace baton::cli
