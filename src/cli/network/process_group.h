// A group: real processes on loopback that form a group, and do what their controller tells them.
//
// The controller is this process. Each member is a child of it that runs one net::Peer; the two talk
// over a socket, one line per packet:
//
//   controller                      member
//   request NAME                 granted NAME NANOSECONDS AT   (since the request was carried out)
//   release NAME
//   leave NAME                   left NAME AT                  (and releases it)
//   counters                     counters ENTER EXIT UPKEEP RECEIVED GRANTS SENT TAKEN BYTES
//   count PATH LOCK TIMES        progress DONE …, then counted DONE SECONDS WAITS…
//                                (PATH may be quoted; LOCK "-": none)
//   bank PATH LOCK TIMES         likewise, and before: did TRANSACTION, each time
//   enter LOCK SECONDS           likewise, without a file
//   crash                        (is gone)
//
// AT is in nanoseconds of the machine's steady clock, the same for all members. A member whose
// controller is gone ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/ids.h"

namespace baton::cli {

struct ProcessGroupOptions {
  std::uint32_t size = 3;
  std::string algorithm;  // empty: the usual one
  std::chrono::milliseconds heartbeat{100};
  bool tls = false;
  std::string trace_folder;  // each member writes its trace there; empty: none
};

// What a member has sent and received.
struct MessageCounters {
  std::uint64_t enter = 0;  // messages of the algorithm
  std::uint64_t exit = 0;
  std::uint64_t upkeep = 0;
  std::uint64_t received = 0;
  std::uint64_t grants = 0;
  std::uint64_t sent = 0;  // of instances, to other members
  std::uint64_t taken = 0;
  std::uint64_t bytes = 0;  // of those sent

  std::uint64_t of_algorithm() const { return enter + exit; }
};

// What a member says after `count`, `bank` or `enter`.
struct WorkResult {
  std::uint64_t done = 0;
  double seconds = 0;
  double mean_wait_us = 0;
  double median_wait_us = 0;
  double longest_wait_us = 0;
  std::uint64_t in_a_row = 0;  // entries after which nobody else came before its own next one
  // Ascending; all, or as many at equal distances in their order.
  std::vector<double> some_waits_us;
};

class ProcessGroupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ProcessGroup {
 public:
  // Returns when all members are in one view. Throws ProcessGroupError.
  explicit ProcessGroup(const ProcessGroupOptions& options);
  // Ends all members.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(children_.size()); }
  void tell(NodeId member, const std::string& line);
  void tell_all(const std::string& line);
  // The next line of this member that begins with this word, without the word. What else it says
  // meanwhile is kept. Throws ProcessGroupError after `patience` or if it is gone.
  std::string hear(NodeId member, const std::string& word,
                   std::chrono::milliseconds patience = std::chrono::seconds(30));
  // Any line of any member; false if none comes in time.
  bool hear_any(NodeId& member, std::string& line, std::chrono::milliseconds patience);

  MessageCounters counters(NodeId member);
  MessageCounters counters();  // of all
  // Until nothing of any algorithm is under way. Not for those that never fall silent: throws
  // ProcessGroupError after half a minute.
  void wait_until_quiet();
  // It has ended, or is about to.
  bool is_gone(NodeId member) const { return children_[member.value].socket < 0; }
  pid_t process(NodeId member) const { return children_[member.value].process; }

 private:
  struct Child {
    pid_t process = 0;
    int socket = -1;
    std::vector<std::string> unheard;
  };
  void start(const ProcessGroupOptions& options);
  void end();
  void read_from(Child& member);

  std::vector<Child> children_;
};

WorkResult parse_work(const std::string& line);

}  // namespace baton::cli
