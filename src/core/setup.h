// The facts that all processes of a group know from the beginning and that never change. Processes
// share one immutable Setup; it is no part of a protocol's state.
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

// A rule of the layers that a run leaves out on purpose, to show what the rule is for.
enum class Omission : std::uint8_t {
  nothing,
  durable_promises,  // a process that restarts has forgotten its promises
  unique_epochs,     // a process that restarts does not know that this is another life
  stable_storage,    // a process that restarts has forgotten both, and gives out its epochs again
  hold_rule,         // a view takes over a hold even if there may have been another view in between
  waiting_for_leases,  // a view begins although a process outside it may still be inside
  farewells_by_life,   // a farewell from an earlier life counts for the present one
  loyalty,             // members of a view that is well promise another view all the same
  release_replay,      // the group forgets a release that happens during a change of view
  epoch_check          // a process accepts messages of an older view
};
// How a process acquires several resources: algorithms/resource/multi_lock.h and all_or_nothing.h.
enum class Acquisition : std::uint8_t { naive, ascending, atomic, coordinator, detect };

// A parameter of an algorithm whose value differs from the usual one.
struct Chosen {
  const Parameter* parameter = nullptr;
  std::int64_t value = 0;
};

struct Setup {
  // The algorithm that AnyLock and AnyElection run in this group.
  const AnyClass* protocol = nullptr;

  std::uint32_t size = 0;  // processes 0 … size−1, in ring order
  NodeId coordinator{0};   // the process that coordinates and at which a token starts
  std::vector<Chosen> chosen =
      {};  // the algorithm's parameters that differ from their usual values

  Tree tree = {};
  std::shared_ptr<const VotingSets> voting = {};

  // The numbers that processes compare instead of their own, all different; empty: their own.
  std::vector<std::uint32_t> identities = {};
  // How well each process would serve as the leader; empty: all alike.
  std::vector<std::uint32_t> capacities = {};
  // The pairs of processes that are within each other's reach; none: all pairs.
  std::shared_ptr<const Graph> graph = {};
  // The position of each process; empty: on a square lattice.
  std::vector<Place> places = {};

  // For a membership. `lease`: a lease expires after so many ticks without confirmation.
  // `patience`: a process is suspected after so many ticks of silence.
  std::uint32_t lease = 8;
  std::uint32_t patience = 4;
  Omission omission = Omission::nothing;

  // The number of resources, where there are several; they are numbered from 0.
  std::uint32_t resources = 0;
  Acquisition acquisition = Acquisition::naive;

  // For synchronous algorithms: no message takes longer. Their timeouts are multiples of it.
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
  // The number of pairs of processes that are within each other's reach.
  std::uint64_t edges() const { return graph ? graph->edges() : most_edges(size); }
  Place place(NodeId node) const;
  // Hops along the ring.
  std::uint32_t ring_distance(NodeId from, NodeId to) const {
    return to.value >= from.value ? to.value - from.value : to.value + size - from.value;
  }
};

// A group in which every algorithm can run. Process 0 coordinates, has the token, and is the centre
// of a star. The voting sets are the smallest known; every parameter has its usual value.
Setup default_setup(std::uint32_t size);

}  // namespace baton
