// One process's part in the snapshots of Chandy and Lamport (algorithms/observe/snapshot.h), for
// the layers built on them.
//
// A process records its own state when it is the initiator or the first marker of a snapshot
// arrives; then, before anything else, it sends a marker to everybody. From each channel it records
// the messages that arrive after its own state was recorded and before the channel's marker: with
// FIFO channels these are exactly those that were under way.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/observe/protocol.h"
#include "core/node_set.h"

namespace baton {

// One per directed channel and snapshot. It tells whose marker made its sender record, so that
// each process knows in the end for whom it was the first: its successors in a spanning tree.
struct Marker {
  SnapshotId snapshot;
  NodeId predecessor;  // nobody if the sender is the initiator

  std::string text() const {
    if (predecessor == nobody) return "(" + snapshot.text() + ")";
    return "(" + snapshot.text() + " after " + std::to_string(predecessor.value) + ")";
  }
};

template <Protocol P>
class Recorder {
 public:
  using Message = typename P::Message;

  struct Part {
    SnapshotId snapshot;
    NodeId predecessor;
    NodeSet open;        // channels from these processes: their markers have not come yet
    NodeSet successors;  // for whom this process's marker was the first
    typename P::State state;
    std::vector<Carried<Message>> received;  // on open channels
    bool disturbed = false;                  // something arrived before the last marker
  };
  using State = std::vector<Part>;

  Recorder(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

  Part* find(const SnapshotId& snapshot) {
    const auto found = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const Part& part) { return part.snapshot == snapshot; });
    return found == parts_.end() ? nullptr : &*found;
  }

  // Records the state and sends the markers.
  template <class Out>
  Part& begin(const SnapshotId& snapshot, NodeId predecessor, const P& observed, Out& out) {
    parts_.push_back({.snapshot = snapshot,
                      .predecessor = predecessor,
                      .open = NodeSet::all_but(self_, setup_->size),
                      .state = observed.state()});
    out.broadcast(self_, setup_->size, Marker{snapshot, predecessor});
    out.emit(Recorded{snapshot});
    return parts_.back();
  }

  // Called upon a marker. Returns the part of its snapshot, begun now if the marker is the first,
  // and closes the marker's channel.
  template <class Out>
  Part& receive(NodeId from, const Marker& marker, const P& observed, Out& out) {
    Part* part = find(marker.snapshot);
    if (part == nullptr) part = &begin(marker.snapshot, from, observed, out);
    part->open.erase(from);
    if (marker.predecessor == self_) part->successors.insert(from);
    return *part;
  }

  // A message of the observed protocol arrives.
  void note(NodeId from, const Message& message) {
    // No channel: a message to itself is never under way between two events.
    if (from == self_) return;
    for (Part& part : parts_) {
      if (part.open.empty()) continue;
      part.disturbed = true;
      if (part.open.contains(from)) part.received.push_back({from, self_, message});
    }
  }

  // Ends the part; no marker of this snapshot can come any more.
  Part take(const SnapshotId& snapshot) {
    Part* part = find(snapshot);
    Part taken = std::move(*part);
    parts_.erase(parts_.begin() + (part - parts_.data()));
    return taken;
  }

  const State& state() const { return parts_; }
  void assume(State parts) { parts_ = std::move(parts); }

 private:
  NodeId self_;
  const Setup* setup_;
  State parts_;
};

}  // namespace baton
