// Dijkstra's first solution for N processes, as a machine whose every interleaving can be explored.
//
// E. W. Dijkstra, "Solution of a problem in concurrent programming control", Communications of the
// ACM 8(9), 1965.
//
// Idea: k names the process whose turn it is. A process that wants to enter makes k its own as soon
// as the process that k names wants nothing. The process that finds its own name there claims the
// critical section (c[i] false) and enters if no other claims it; else it starts over. The claims
// make it safe; the turn sees to it that of several claimants one remains.
//
// Assumes: registers are atomic. A process that has left the noncritical section goes on.
// Promises: safety and freedom from deadlock. A process can starve: a leaving process may take the
// turn again before the others have noticed that it was free.
// Costs: without contention 4 writes and N reads when the turn is one's own already, else 6 writes
// and N+3 reads.
//
// b[k] takes two reads, first of k and then of b; they are two steps here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/shared/machine.h"
#include "core/ids.h"
#include "core/info.h"

namespace baton {

class DijkstraMachine {
 public:
  struct Options {
    NodeId k{0};  // whose turn it is in the beginning; the paper leaves it open
  };

  // The place of a process in its program: the comment says what its next step does. The labels are
  // the paper's.
  enum class Step : std::uint8_t {
    noncritical,  // Li0: b[i] := false
    read_turn,    // Li1: if k ≠ i
    withdraw,     // Li2: c[i] := true
    ask_who,      // Li3: reads k ...
    ask_whether,  //      ... and if b[k]
    take_turn,    //      then k := i
    claim,        // Li4: c[i] := false
    check,        //      if not c[other] then go to Li1
    critical,     // c[i] := true
    finish        // b[i] := true
  };
  struct Process {
    Step at = Step::noncritical;
    NodeId other{0};  // the loop variable of Li4, or the k that Li3 has read
  };
  struct State {
    std::vector<Process> processes;
    std::vector<bool> b;  // false: wants to enter
    std::vector<bool> c;  // false: claims the critical section
    NodeId k;
  };

  explicit DijkstraMachine(std::uint32_t processes) : DijkstraMachine(processes, Options()) {}
  DijkstraMachine(std::uint32_t processes, Options options);

  std::uint32_t size() const { return static_cast<std::uint32_t>(state_.processes.size()); }
  const State& state() const { return state_; }
  void assume(const State& state) { state_ = state; }
  Section section(NodeId process) const;
  bool enabled(NodeId) const { return true; }
  std::uint32_t choices(NodeId) const { return 1; }
  void step(NodeId process, std::uint32_t choice = 0);
  std::string next_step(NodeId process) const;

  static const Info& info();

 private:
  Process& at(NodeId process) { return state_.processes[process.value]; }
  const Process& at(NodeId process) const { return state_.processes[process.value]; }
  void go_to(NodeId process, Step step, NodeId other = NodeId{0});
  void check_from(NodeId process, std::uint32_t from);

  State state_;
};

}  // namespace baton
