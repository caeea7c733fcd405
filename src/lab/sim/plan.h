// The full description of a simulated run: the same plan gives the same run, event for event.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/resource/resource_id.h"
#include "core/ids.h"
#include "core/info.h"
#include "core/setup.h"

namespace baton::sim {

struct Delay {
  enum class Kind : std::uint8_t { constant, uniform, exponential, heavy };
  Kind kind = Kind::constant;
  Ticks low = message_time;   // the mean; for `uniform` the lower end
  Ticks high = message_time;  // the upper end of `uniform`

  // No delay, or hardly any, exceeds this. The oracles state their bounds on waiting in it.
  Ticks practical_limit() const;
};

struct Workload {
  enum class Kind : std::uint8_t {
    one,        // a single request
    everyone,   // all processes at the same instant, once each
    closed,     // each process asks, leaves, thinks, and asks again
    poisson,    // requests arrive at random at random processes
    saturated,  // each process asks again as soon as it has left
    turns       // one process after the other, each when all is quiet again
  };
  Kind kind = Kind::everyone;
  std::uint64_t entries = 0;        // in all, for the last four
  std::uint32_t requesters = 0;     // so many processes, drawn by the seed; 0: all
  Ticks at{0};                      // when `one` and `everyone` ask
  NodeId first = nobody;            // the process that asks under `one`; nobody: drawn by the seed
  Ticks think = 10 * message_time;  // mean of the exponential pause of `closed`
  double rate = 0.1;                // requests per message time under `poisson`
  std::vector<NodeId> order = {};   // the processes that take turns; empty: drawn uniformly
  std::vector<std::pair<Ticks, NodeId>> also = {};  // further requests, at given times
  std::uint64_t count_from = 0;                     // see Report::steady

  // Several resources: the resources that each process wants, in its order. If a process's list is
  // empty, it wants `wants_each` of them: around the table, as philosophers do, process i from
  // resource i on; or drawn anew, in random order, for each request.
  std::vector<std::vector<ResourceId>> wants = {};
  std::uint32_t wants_each = 2;
  bool wants_drawn = false;
};

struct Fault {
  enum class Kind : std::uint8_t {
    crash,
    quit,     // leaves of its own accord, and may tell the others
    recover,  // comes back without its state, except what its protocol keeps durably
    pause,    // does nothing for a while, and does not know it
    resume,
    partition,
    heal,
    cut,      // two processes can no longer talk to each other, though perhaps to others
    mend,     // the two processes can talk to each other again
    suspect,  // one process takes another for crashed, rightly or not
    trust     // one process no longer takes another for crashed
  };
  Ticks at{0};
  Kind kind{};
  NodeId node = nobody;                     // the process that it strikes, or that suspects
  NodeId whom = nobody;                     // the process that is suspected
  std::vector<std::uint32_t> side_of = {};  // partition: processes with equal numbers can talk
};

// Messages on this channel take so much longer.
struct SlowLink {
  NodeId from{};
  NodeId to{};
  Ticks more{0};
};

// Faults::detection of elections in `baton sim`, where nothing else is said.
inline constexpr Ticks usual_detection = 3 * message_time;

struct Faults {
  double loss = 0;
  double duplication = 0;
  bool reordering = false;  // channels are not FIFO
  // After this time the host tells each process which others have become unreachable for it or
  // reachable again, by a crash, a recovery or a partition. 0: it tells nobody.
  Ticks detection{0};
  // Processes that are not there at the beginning; each joins with a recovery.
  std::vector<NodeId> absent = {};
  std::vector<SlowLink> slow = {};
  std::vector<Fault> schedule = {};
};

struct Plan {
  Setup setup = {};
  std::uint64_t seed = 1;
  Delay delay = {};
  Workload workload = {};
  Faults faults = {};
  Ticks critical_section = message_time;
  Ticks send_cost{0};      // each send occupies its sender for so long, one after the other
  NodeId inside = nobody;  // already in the critical section when the run begins
  // Servers that keep the fenced resource; a write must reach a majority.
  std::uint32_t servers = 1;
  Assumptions may_break = {};  // assumptions that this run breaks on purpose
  Promises demands = {};       // judged like promises although the algorithm does not make them

  // Limits after which the oracles report; 0: a default for the group's size.
  Ticks progress_bound{0};             // no process has entered although one waits
  std::uint64_t starvation_bound = 0;  // entries of others while one process waited
  Ticks time_limit = forever;

  // Called now and then with the number of entries so far.
  std::function<void(std::uint64_t entries)> progress = {};
};

// The reason why this plan cannot be run with this algorithm, in one line with a hint; no value if
// it can.
std::optional<std::string> objection(const Plan& plan, const Info& info);

// Names as the command line uses them: "loss" breaks Assumption::no_loss.
std::string_view name_of_breaking(Assumption assumption);
std::string_view describe(Assumption assumption);
std::string_view name_of(Promise promise);

}  // namespace baton::sim
