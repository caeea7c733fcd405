#include "algorithms/observe/cut.h"

#include <algorithm>
#include <unordered_set>

namespace baton {

CutJudgement judge(const Trace& trace, const Cut& cut) {
  std::unordered_set<std::uint64_t> sent_inside;
  std::unordered_set<std::uint64_t> gone;  // received inside, or lost
  CutJudgement judgement;
  const auto is_inside = [&](std::size_t i) { return i < cut[trace.events[i].node.value]; };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    // A loss is no process's event; the message may belong to any part of the run.
    if (event.kind == TraceKind::drop) gone.insert(event.message);
    if (!is_inside(i)) continue;
    if (event.kind == TraceKind::send) sent_inside.insert(event.message);
    if (event.kind != TraceKind::receive) continue;
    gone.insert(event.message);
    // A trace lists causes before effects, so the cut has already seen every sending inside it.
    if (judgement.offender == 0 && !sent_inside.contains(event.message)) {
      judgement.offender = event.message;
    }
  }
  for (const std::uint64_t message : sent_inside) {
    if (!gone.contains(message)) judgement.in_transit.push_back(message);
  }
  std::sort(judgement.in_transit.begin(), judgement.in_transit.end());
  return judgement;
}

bool is_consistent_by_vector_time(const Trace& trace, const Cut& cut) {
  // Each process's vector time at the cut.
  std::vector<VectorClock> frontier(trace.size, VectorClock(trace.size));
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind == TraceKind::drop || i >= cut[event.node.value]) continue;
    frontier[event.node.value] = event.vector;
  }
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    for (std::uint32_t j = 0; j < trace.size; ++j) {
      if (frontier[j][{i}] > frontier[i][{i}]) return false;
    }
  }
  return true;
}

std::optional<Cut> cut_of(const Trace& trace, const std::string& snapshot) {
  Cut cut(trace.size);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind == TraceKind::record && event.name == snapshot) cut[event.node.value] = i + 1;
  }
  if (std::find(cut.begin(), cut.end(), 0) != cut.end()) return std::nullopt;
  return cut;
}

std::string in_words(const Trace& trace, const CutJudgement& judgement) {
  if (judgement.is_consistent()) return "the cut is consistent";
  const auto sent =
      std::find_if(trace.events.begin(), trace.events.end(), [&](const TraceEvent& event) {
        return event.kind == TraceKind::send && event.message == judgement.offender;
      });
  return "process " + trace.name(sent->peer) + " receives " + sent->name + sent->body +
         " inside the cut, which process " + trace.name(sent->node) + " sends outside";
}

}  // namespace baton
