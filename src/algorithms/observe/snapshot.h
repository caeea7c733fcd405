// Distributed snapshots: a layer that records a state in which the whole group may have been, while
// the protocol inside it goes on undisturbed.
//
// K. M. Chandy and L. Lamport, "Distributed snapshots: determining global states of distributed
// systems", ACM Transactions on Computer Systems 3(1), 1985.
//
// Idea: the initiator records its state and sends a marker on each of its channels. A process that
// gets the first marker does the same. Messages that arrive on a channel between a process's own
// recording and the marker were under way. A marker runs ahead of every message sent after its
// sender's recording, so the receiver records before it receives such a message: the cut is
// consistent.
//
// Assumes: no message is lost or duplicated, channels are FIFO, and no process stops. Without FIFO
// a message overtakes the marker, and what it carries is counted twice or not at all. Promises:
// every cut is consistent. It need not be a state that the group was in at any moment, but is one
// that it could have been in. Costs: N(N−1) markers per snapshot, one per directed channel; and N−1
// pieces, which bring what was recorded to the initiator.
//
// Any number of snapshots may be under way, also of the same initiator.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "algorithms/observe/observer.h"
#include "algorithms/observe/recorder.h"

namespace baton {

// The record of one process.
template <class P>
struct Piece {
  SnapshotId snapshot;
  typename P::State state;
  std::vector<Carried<typename P::Message>> received;
};

template <Protocol P>
class Snapshot : public Observer<P, std::variant<Recorded, GlobalState<P>, typename P::Event>,
                                 Marker, Piece<P>> {
  using Base =
      Observer<P, std::variant<Recorded, GlobalState<P>, typename P::Event>, Marker, Piece<P>>;

 public:
  using Message = typename Base::Message;
  using Event = typename Base::Event;
  using Out = typename Base::Out;
  using Base::let_observed;

  // At the initiator: the pieces that have come, each at its process's place.
  struct Collection {
    GlobalState<P> global;
    NodeSet missing;
  };
  struct State {
    typename P::State observed;
    SequenceNumber begun;
    typename Recorder<P>::State parts;
    std::vector<Collection> collections;
  };

  Snapshot(NodeId self, const Setup& setup) : Base(self, setup), recorder_(self, setup) {}

  // Takes a snapshot.
  void observe(Out& out) {
    begun_ = next(begun_);
    const SnapshotId snapshot{self_, begun_};
    Collection collection{{.snapshot = snapshot, .states = {}, .channels = {}}, {}};
    collection.global.states.resize(setup_->size);
    collection.missing = NodeSet::all_but(nobody, setup_->size);
    collections_.push_back(std::move(collection));
    recorder_.begin(snapshot, nobody, observed_, out);
    finish_if_over(snapshot, out);
  }

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(upon{[&](const Marker& marker) { upon_marker(from, marker, out); },
                    [&](const Piece<P>& piece) { upon_piece(from, piece, out); },
                    [&](const auto& inner) {
                      const typename P::Message carried(inner);
                      recorder_.note(from, carried);
                      let_observed(out, [&](P& protocol, auto& box) {
                        protocol.receive(from, carried, box);
                      });
                    }},
               message);
  }

  void start(Out& out) requires Starts<P> {
    let_observed(out, [](P& protocol, auto& box) { protocol.start(box); });
  }
  void expire(TimerId timer, Out& out) requires HasTimers<P> {
    let_observed(out, [&](P& protocol, auto& box) { protocol.expire(timer, box); });
  }

  State state() const { return {observed_.state(), begun_, recorder_.state(), collections_}; }
  static const Info& info() { return P::info(); }

 protected:
  void upon_marker(NodeId from, const Marker& marker, Out& out) {
    recorder_.receive(from, marker, observed_, out);
    finish_if_over(marker.snapshot, out);
  }

  void finish_if_over(const SnapshotId& snapshot, Out& out) {
    if (!recorder_.find(snapshot)->open.empty()) return;
    auto part = recorder_.take(snapshot);
    out.send(snapshot.initiator,
             Piece<P>{snapshot, std::move(part.state), std::move(part.received)});
  }

  void upon_piece(NodeId from, const Piece<P>& piece, Out& out) {
    const auto collection =
        std::find_if(collections_.begin(), collections_.end(),
                     [&](const Collection& one) { return one.global.snapshot == piece.snapshot; });
    if (collection == collections_.end()) return;
    GlobalState<P>& global = collection->global;
    global.states[from.value] = piece.state;
    global.channels.insert(global.channels.end(), piece.received.begin(), piece.received.end());
    collection->missing.erase(from);
    if (!collection->missing.empty()) return;
    out.emit(std::move(global));
    collections_.erase(collection);
  }

  using Base::observed_;
  using Base::self_;
  using Base::setup_;

  Recorder<P> recorder_;
  SequenceNumber begun_;
  std::vector<Collection> collections_;
};

}  // namespace baton
