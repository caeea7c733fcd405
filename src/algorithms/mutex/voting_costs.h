// The closed forms that the algorithms with voting sets share. A process's own vote is free.
#pragma once

#include <algorithm>
#include <vector>

#include "core/info.h"
#include "core/voting_sets.h"

namespace baton::voting_costs {

// A number of messages for each of the K−1 other voters.
template <int count>
Expected per_voter(const Case& c) {
  return Expected::exactly(count * (static_cast<double>(c.setup.voting->set_size()) - 1));
}

// REQUEST and RELEASE go out once each; the other voters answer one by one.
inline Expected with_multicast(const Case& c) {
  const std::uint32_t voters = c.setup.voting->set_size();
  return Expected::exactly(voters == 1 ? 0 : voters + 1);
}

// Request and vote; nothing to wait for where a process votes alone.
inline Expected round_trip(const Case& c) {
  return Expected::exactly(c.setup.voting->set_size() == 1 ? 0 : 2);
}

// RELEASE, then vote: two hops through a common voter that is a third process, but only one where
// the voter is the one who leaves or the one who waits.
inline Expected handover(const Case& c) {
  const std::vector<NodeId> voters = c.setup.voting->of(c.requester);
  const bool through_a_third = std::any_of(voters.begin(), voters.end(), [&](NodeId voter) {
    return voter != c.before && voter != c.requester && c.setup.voting->contains(c.before, voter);
  });
  return Expected::exactly(through_a_third ? 2 : 1);
}

}  // namespace baton::voting_costs
