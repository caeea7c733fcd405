// Voting sets (quorums). Each process has a set of processes whose votes it needs. Any two sets
// intersect, all have the same size K, every process is in exactly K of them, and each process is
// in its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"

namespace baton {

class VotingSets {
 public:
  virtual ~VotingSets() = default;

  // Ascending, and always the same for the same process.
  virtual std::vector<NodeId> of(NodeId node) const = 0;
  // The place of `voter` in of(node), from 0; none if it is not in the set. Does not list the set.
  virtual std::optional<std::uint32_t> place(NodeId node, NodeId voter) const = 0;
  bool contains(NodeId node, NodeId voter) const { return place(node, voter).has_value(); }
  // K, the size of every set.
  virtual std::uint32_t set_size() const = 0;
  virtual std::string describe() const = 0;
};

// The constructions. Each returns null where none exists for that number of processes.

// √N × √N processes in a square; the set is the row and the column: K = 2√N − 1.
std::shared_ptr<const VotingSets> grid_voting_sets(std::uint32_t size);
// The lines of a finite projective plane of order q, a prime power: N = q² + q + 1, K = q + 1. The
// triangle, N = 3 and K = 2, counts as the plane of order 1.
std::shared_ptr<const VotingSets> plane_voting_sets(std::uint32_t size);
// {i + d mod N : d in D} where every residue is a difference of two members of D. For every N.
std::shared_ptr<const VotingSets> cyclic_voting_sets(std::uint32_t size);
// The plane where it exists, otherwise the cyclic cover, which is never smaller.
std::shared_ptr<const VotingSets> best_voting_sets(std::uint32_t size);

// The number of processes nearest to `size` for which the construction exists, for a hint.
std::uint32_t nearest_grid_size(std::uint32_t size);
std::uint32_t nearest_plane_size(std::uint32_t size);

}  // namespace baton
