// A random scheduler for shared-memory machines: it draws each step's process from those that have
// something to do, and draws an open outcome as well. The same seed gives the same run on every
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "algorithms/shared/machine.h"

namespace baton {

struct MachineRun {
  std::uint32_t processes = 2;
  std::uint64_t entries_per_process = 1;
  std::uint64_t seed = 0;
  std::uint64_t max_steps = 1'000'000;
  bool keep_schedule = false;
};

struct MachineStep {
  NodeId process;
  std::string what;           // "reads num[1]"
  std::uint32_t choice = 0;   // which outcome was drawn
  std::uint32_t choices = 1;  // how many outcomes there were
  Section then = Section::outside;
};

struct MachineReport {
  std::uint64_t steps = 0;
  std::uint64_t entries = 0;
  bool finished = false;         // each process has entered and left as often as asked
  std::uint64_t violations = 0;  // entries while another process was inside
  std::optional<std::uint64_t> violated_step;  // the first step that made one, counted from 1
  std::uint64_t longest_wait_entries = 0;      // entries by others while one process waited
  std::uint64_t longest_wait_step = 0;         // the step of the last of these
  // Entries ahead of a process that had passed its doorway before the entering one began its own.
  std::uint64_t inversions = 0;
  std::optional<std::uint64_t> inverted_step;  // the first step that made one
  std::vector<std::uint64_t> entries_of;       // by process
  std::vector<MachineStep> schedule;           // if asked for

  double steps_per_entry() const {
    return entries == 0 ? 0 : static_cast<double>(steps) / static_cast<double>(entries);
  }
};

// Keeps account of a run: who entered, how often others went first, and whether two were inside.
class RunAccount {
 public:
  explicit RunAccount(std::uint32_t processes)
      : waited_entries_(processes), began_(processes), passed_(processes) {
    report_.entries_of.resize(processes);
  }

  // One step by `process`, which took it from section `before` to `after`.
  void note(NodeId process, Section before, Section after);

  MachineReport& report() { return report_; }

 private:
  MachineReport report_;
  std::uint32_t inside_ = 0;
  // For each process that waits, the entries by others since its doorway ended.
  std::vector<std::optional<std::uint64_t>> waited_entries_;
  // For each process, the steps at which it last left the noncritical section and passed its
  // doorway.
  std::vector<std::uint64_t> began_;
  std::vector<std::uint64_t> passed_;
};

template <SharedMachine M>
MachineReport run_at_random(M machine, const MachineRun& run) {
  std::mt19937_64 random(run.seed);
  // The slight bias of a remainder does not matter here, and it is the same on every machine.
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  RunAccount account(machine.size());
  MachineReport& report = account.report();
  std::vector<NodeId> ready;
  while (report.steps < run.max_steps) {
    ready.clear();
    bool busy = false;
    for (std::uint32_t i = 0; i < machine.size(); ++i) {
      const bool outside = machine.section({i}) == Section::outside;
      if (outside && report.entries_of[i] >= run.entries_per_process) continue;
      busy = true;
      if (machine.enabled({i})) ready.push_back({i});
    }
    report.finished = !busy;
    if (ready.empty()) break;
    const NodeId process = ready[below(ready.size())];
    const std::uint32_t choices = machine.choices(process);
    const std::uint32_t choice = choices == 1 ? 0 : below(choices);
    const Section before = machine.section(process);
    if (run.keep_schedule) {
      report.schedule.push_back({process, machine.next_step(process), choice, choices, before});
    }
    machine.step(process, choice);
    const Section after = machine.section(process);
    if (run.keep_schedule) report.schedule.back().then = after;
    account.note(process, before, after);
  }
  return report;
}

}  // namespace baton
