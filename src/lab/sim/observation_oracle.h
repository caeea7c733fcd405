// Watches observers from outside. The oracle sees which message was sent before or after which
// recording, and which processes are active; no process sees that.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algorithms/observe/protocol.h"
#include "core/ids.h"
#include "lab/sim/report.h"

namespace baton::sim {

// Judges cuts: no message is received inside that was sent outside, and the conserved quantity is
// complete.
class CutOracle {
 public:
  CutOracle(std::uint32_t size, Report& report) : report_(&report), recordings_(size) {}

  void record(NodeId node, const SnapshotId& snapshot);
  // A message is sent, or received. Its slot identifies it while it is under way.
  void send(NodeId from, std::uint32_t slot);
  // True if this receipt makes a cut inconsistent; the caller then tells blame() the message.
  bool is_effect_without_cause(NodeId to, std::uint32_t slot) const;
  void blame(NodeId to, std::uint32_t slot, const std::string& message);

  // A snapshot is complete: the quantity that it found, and the real one.
  void complete(CutFound found, Ticks now);
  // All is quiet.
  void judge_unfinished(std::uint64_t begun, Ticks now);

 private:
  struct Sent {
    NodeId from;
    std::size_t after = 0;  // after so many recordings of the sender
  };

  bool has_recorded(NodeId node, const SnapshotId& snapshot) const;
  void violate(Ticks at, std::string what);

  Report* report_;
  std::vector<std::vector<SnapshotId>> recordings_;  // of each process, in its order
  std::vector<Sent> sent_;                           // by slot
  std::map<SnapshotId, std::string> blamed_;
};

// Judges announcements of termination.
class TerminationOracle {
 public:
  explicit TerminationOracle(Report& report) : report_(&report) {}

  void announce(NodeId node, NodeId active, std::uint64_t under_way, Ticks now);
  // The computation has come to rest, long ago or for ever.
  void judge_silence(Ticks now);

 private:
  void violate(Ticks at, std::string what);

  Report* report_;
};

}  // namespace baton::sim
