// What all processes of a group know from the beginning and never change. Shared, immutable, and
// no part of a protocol's state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/graph.h"
#include "core/ids.h"
#include "core/parameter.h"
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
// How several resources are acquired: algorithms/resource/multi_lock.h and all_or_nothing.h.
enum class Acquisition : std::uint8_t { naive, ascending, atomic, coordinator, detect };

// A parameter of an algorithm that has another than its usual value.
struct Chosen {
  const Parameter* parameter = nullptr;
  std::int64_t value = 0;
};

struct Setup {
  // What an AnyLock or AnyElection in this group is.
  const AnyClass* protocol = nullptr;

  std::uint32_t size = 0;  // processes 0 … size−1, in ring order
  NodeId coordinator{0};   // who coordinates, and where a token starts
  // Of the algorithm's parameters; the others have their usual values.
  std::vector<Chosen> chosen = {};

  Tree tree = {};
  std::shared_ptr<const VotingSets> voting = {};

  // What processes compare, where not their own numbers; no two are equal.
  std::vector<std::uint32_t> identities = {};
  // How well each process would do as the leader; empty: all alike.
  std::vector<std::uint32_t> capacities = {};
  // Who is within reach of whom; none: everybody.
  std::shared_ptr<const Graph> graph = {};
  // Where everyone is; empty: on a square lattice.
  std::vector<Place> places = {};

  // Where a membership agrees on views: ticks after which a lease ends that nobody confirms, and of
  // silence after which a process is suspected.
  std::uint32_t lease = 8;
  std::uint32_t patience = 4;
  Omission omission = Omission::nothing;

  // Several resources, numbered from 0.
  std::uint32_t resources = 0;
  Acquisition acquisition = Acquisition::naive;

  // No message takes longer, where an algorithm is synchronous. What it waits for is a multiple.
  Ticks delay_bound = message_time;

  std::int64_t value(const Parameter& parameter) const;
  bool has_chosen(const Parameter& parameter) const;
  void choose(const Parameter& parameter, std::int64_t value);

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
// centre of a star; the smallest voting sets known; every parameter as usual.
Setup default_setup(std::uint32_t size);

}  // namespace baton
