#include "lab/sim/observation_oracle.h"

#include <algorithm>
#include <utility>

namespace baton::sim {

namespace {

std::string process(NodeId node) { return "process " + std::to_string(node.value); }

}  // namespace

void CutOracle::record(NodeId node, const SnapshotId& snapshot) {
  recordings_[node.value].push_back(snapshot);
}

void CutOracle::send(NodeId from, std::uint32_t slot) {
  if (slot >= sent_.size()) sent_.resize(slot + 1);
  sent_[slot] = {from, recordings_[from.value].size()};
}

bool CutOracle::has_recorded(NodeId node, const SnapshotId& snapshot) const {
  const auto& recordings = recordings_[node.value];
  return std::find(recordings.begin(), recordings.end(), snapshot) != recordings.end();
}

bool CutOracle::is_effect_without_cause(NodeId to, std::uint32_t slot) const {
  const Sent& sent = sent_[slot];
  const auto& recordings = recordings_[sent.from.value];
  // The later recordings are those that the receiver may not know yet.
  for (std::size_t i = sent.after; i-- > 0;) {
    if (!has_recorded(to, recordings[i])) return true;
  }
  return false;
}

void CutOracle::blame(NodeId to, std::uint32_t slot, const std::string& message) {
  const Sent& sent = sent_[slot];
  for (std::size_t i = 0; i < sent.after; ++i) {
    const SnapshotId& snapshot = recordings_[sent.from.value][i];
    if (has_recorded(to, snapshot)) continue;
    blamed_.emplace(snapshot, process(to) + " received " + message +
                                  " before it recorded its state, but " + process(sent.from) +
                                  " sent it after it had recorded its own");
  }
}

void CutOracle::complete(CutFound found, Ticks now) {
  const std::string name =
      "the cut of snapshot " + SnapshotId{found.initiator, found.number}.text();
  const auto blamed = blamed_.find({found.initiator, found.number});
  found.consistent = blamed == blamed_.end();
  if (!found.consistent) {
    std::string what = name + " is inconsistent: " + blamed->second;
    if (found.counts && !found.is_conserved()) {
      what += "; it finds " + std::to_string(found.in_states + found.in_channels) +
              " where there are " + std::to_string(found.in_all);
    }
    violate(now, std::move(what));
  } else if (found.counts && !found.is_conserved()) {
    violate(now, name + " finds " + std::to_string(found.in_states) + " in states and " +
                     std::to_string(found.in_channels) + " in channels, together " +
                     std::to_string(found.in_states + found.in_channels) + " where there are " +
                     std::to_string(found.in_all));
  }
  report_->cuts.push_back(found);
}

void CutOracle::judge_unfinished(std::uint64_t begun, Ticks now) {
  if (report_->cuts.size() >= begun) return;
  violate(now, "all is quiet, and " + std::to_string(begun - report_->cuts.size()) +
                   " snapshots were never completed");
}

void CutOracle::violate(Ticks at, std::string what) {
  if (report_->violated(Promise::consistency) != nullptr) return;
  report_->violations.push_back({Promise::consistency, at, std::move(what)});
}

void TerminationOracle::announce(NodeId node, NodeId active, std::uint64_t under_way, Ticks now) {
  report_->announcements.push_back({node, now});
  if (active == nobody && under_way == 0) return;
  std::string why;
  if (active != nobody) why = process(active) + " is active";
  if (under_way > 0) {
    why +=
        (why.empty() ? "" : " and ") + std::to_string(under_way) +
        (under_way == 1 ? " message of the computation is" : " messages of the computation are") +
        " under way";
  }
  violate(now, process(node) + " announces termination, but " + why);
}

void TerminationOracle::judge_silence(Ticks now) {
  if (!report_->announcements.empty()) return;
  violate(now, "the computation has come to rest, and nobody announces it");
}

void TerminationOracle::violate(Ticks at, std::string what) {
  if (report_->violated(Promise::detection) != nullptr) return;
  report_->violations.push_back({Promise::detection, at, std::move(what)});
}

}  // namespace baton::sim
