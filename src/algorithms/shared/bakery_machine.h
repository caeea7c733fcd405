// Lamport's bakery as a machine whose every interleaving can be explored.
//
// L. Lamport, "A new solution of Dijkstra's concurrent programming problem", Communications of the
// ACM 17(8), 1974.
//
// Idea: in the doorway a process takes a ticket that is larger than all it sees, and then waits
// until every other process has either no ticket or a larger one; equal tickets are ordered by
// process number. While it picks its ticket it says so (`choosing`), and others wait for it to
// have decided, since its ticket may turn out smaller than theirs. Each register is written by its
// owner only.
//
// Assumes: nothing of the registers but that a read which overlaps no write returns what was
// written last. A read that overlaps a write may return any value: safe registers, the weakest
// there are. A process that has left the noncritical section goes on.
// Promises: safety, freedom from deadlock and starvation; first come, first served: a process that
// has finished its doorway before another begins its own enters before it.
// Costs: 4 writes and 3(N−1) reads for an entry without contention.
//
// Over safe registers a write is two steps, its beginning and its end, and a read is one step. That
// loses no behaviour: a read that takes time and overlaps a write could as well have happened in
// one instant of the overlap.
//
// Differences from the paper:
// - A process does not look at its own registers; it knows them.
// - Tickets end at `last_ticket`, so that there are finitely many states. While the last one is
//   out the bakery is closed: nobody outside may start, and who would need a higher one turns back
//   from the doorway without a ticket. (The paper lets a process fail at any time in this way.)
//   Without the closed door one that turns back again and again could keep others waiting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/shared/machine.h"
#include "core/ids.h"
#include "core/info.h"

namespace baton {

class BakeryMachine {
 public:
  enum class Registers : std::uint8_t { safe, atomic };
  struct Options {
    Registers registers = Registers::safe;
    // The default is never reached in a random run. A checker, which tries every value that an
    // overlapping read might return, wants a small one.
    Ticket last_ticket{1'000'000'000};
  };

  // The place of a process in its program: the comment says what its next step does.
  enum class Step : std::uint8_t {
    noncritical,     // begins choosing[i] := true
    raising,         // ends it
    look,            // reads num[other], for the maximum
    draw,            // begins num[i] := 1 + maximum
    drawing,         // ends it
    lower,           // begins choosing[i] := false
    lowering,        // ends it
    await_choosing,  // while choosing[other]
    await_number,    // while num[other] ≠ 0 and {num[other], other} < {num[i], i}
    critical,        // begins num[i] := 0
    discarding       // ends it
  };
  struct Process {
    Step at = Step::noncritical;
    NodeId other{0};  // the loop variable
    Ticket maximum;   // of the tickets seen in the doorway
  };
  struct State {
    std::vector<Process> processes;
    std::vector<bool> choosing;
    std::vector<Ticket> num;
  };

  explicit BakeryMachine(std::uint32_t processes) : BakeryMachine(processes, Options()) {}
  BakeryMachine(std::uint32_t processes, Options options);

  std::uint32_t size() const { return static_cast<std::uint32_t>(state_.processes.size()); }
  const State& state() const { return state_; }
  void assume(const State& state) { state_ = state; }
  Section section(NodeId process) const;
  bool enabled(NodeId process) const;
  std::uint32_t choices(NodeId process) const;
  void step(NodeId process, std::uint32_t choice = 0);
  std::string next_step(NodeId process) const;

  static const Info& info();

 protected:
  Process& at(NodeId process) { return state_.processes[process.value]; }
  const Process& at(NodeId process) const { return state_.processes[process.value]; }
  void begin_looking(NodeId process);
  void leave_doorway(NodeId process);

  State state_;

 private:
  bool is_written_choosing(NodeId owner) const;
  bool is_written_num(NodeId owner) const;
  bool read_choosing(NodeId owner, std::uint32_t choice) const;
  Ticket read_num(NodeId owner, std::uint32_t choice) const;
  bool bakery_is_closed() const;
  bool turns_back(NodeId process) const;
  NodeId next_other(NodeId process, std::uint32_t from) const;
  void look_at(NodeId process, std::uint32_t from);
  void wait_for(NodeId process, std::uint32_t from);
  void begin_or_end(NodeId process, std::uint32_t choice);

  Options options_;
};

}  // namespace baton
