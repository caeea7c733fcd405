// What all processes of a group know from the beginning and never change. Shared, immutable, and
// no part of a protocol's state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/graph.h"
#include "core/ids.h"
#include "core/plane.h"
#include "core/tree.h"
#include "core/voting_sets.h"

namespace baton {

class AnyClass;  // core/any_protocol.h

// A rule of the layers that is left out on purpose, to see what it is there for.
enum class Omission : std::uint8_t {
  nothing,
  durable_promises,    // a process that restarts has forgotten what it promised
  unique_epochs,       // ... does not know that this is another life
  stable_storage,      // ... has forgotten both, and gives out its epochs again
  hold_rule,           // a hold is carried over whatever views there were in between
  waiting_for_leases,  // a new view begins although someone left out may still be inside
  farewells_by_life,   // ... or has said farewell in an earlier life
  loyalty,             // members of a view that is well promise another all the same
  release_replay,      // a release during a change of view is forgotten
  epoch_check          // messages of an older view are accepted
};
// How several resources are acquired: resource/multi_lock.h and resource/all_or_nothing.h.
enum class Acquisition : std::uint8_t { naive, ascending, atomic, coordinator, detect };

struct Setup {
  // What an AnyLock or AnyElection in this group is.
  const AnyClass* protocol = nullptr;

  std::uint32_t size = 0;    // processes 0 … size−1, in ring order
  NodeId coordinator{0};     // of `central`; also where a token starts
  bool tell_queued = false;  // `central` answers DENIED to a request that must wait

  Tree tree;                                 // `raymond`
  std::shared_ptr<const VotingSets> voting;  // `maekawa` and its kin

  // `majority-voting`: votes needed, and how many voters are asked.
  std::uint32_t votes_needed = 0;
  std::uint32_t voters_asked = 0;

  // Elections: what processes compare, where not their own numbers; no two are equal.
  std::vector<std::uint32_t> identities;

  // `wireless`: how well each process would do as the leader; empty: all alike.
  std::vector<std::uint32_t> capacities;
  // ... and who is within reach of whom; none: everybody.
  std::shared_ptr<const Graph> graph;

  // `superpeer`: how many there shall be, how many processes each may serve (0: any number), and
  // where everyone is; empty: on a square lattice.
  std::uint32_t superpeers = 1;
  std::uint32_t load_cap = 0;
  std::vector<Place> places;

  // `detector-leader`: patience grows with every wrong suspicion.
  bool patience_grows = true;

  // `Resilient<>` and its membership: ticks after which a lease ends that nobody confirms, and of
  // silence after which a process is suspected.
  std::uint32_t lease = 8;
  std::uint32_t patience = 4;
  Omission omission = Omission::nothing;

  // What is observed: how many transfers each process of the bank makes, and of how much at most;
  // how many messages the diffusing computation sends, 0: three per process.
  std::uint32_t transfers = 5;
  std::uint32_t largest_transfer = 20;
  std::uint32_t work = 0;

  // Several resources, numbered from 0.
  std::uint32_t resources = 0;
  Acquisition acquisition = Acquisition::naive;

  // `randomized`: how many bits a process draws; 1 to 31.
  std::uint32_t random_bits = 8;

  // No message takes longer, where an algorithm is synchronous. What it waits for is a multiple.
  Ticks delay_bound = message_time;

  NodeId successor(NodeId node) const { return {node.value + 1 == size ? 0 : node.value + 1}; }
  NodeId predecessor(NodeId node) const { return {node.value == 0 ? size - 1 : node.value - 1}; }
  std::uint32_t identity(NodeId node) const {
    return identities.empty() ? node.value : identities[node.value];
  }
  std::uint32_t capacity(NodeId node) const {
    return capacities.empty() ? 0 : capacities[node.value];
  }
  std::vector<NodeId> neighbours(NodeId node) const;
  // How many pairs of processes are within each other's reach.
  std::uint64_t edges() const { return graph ? graph->edges() : most_edges(size); }
  Place place(NodeId node) const;
  // Hops along the ring.
  std::uint32_t ring_distance(NodeId from, NodeId to) const {
    return to.value >= from.value ? to.value - from.value : to.value + size - from.value;
  }
};

// A group in which every algorithm can run: tokens start at process 0, which coordinates and is the
// centre of a star; the smallest voting sets known; a majority of votes, asked of all; one
// superpeer for up to five processes.
Setup default_setup(std::uint32_t size);

}  // namespace baton
