// The wait-for graph: which party waits for which, and whether that is a deadlock.
//
// The nodes are parties, that is owners of sessions. For each of its waiting requests, at each
// name, a party waits for all holders and all earlier requests that are in its way; at a lock with
// several slots, until enough of them have ended. If a session was opened within another one (a
// `baton run` inside a `baton run`), the parties of the outer session also wait for the inner one
// to end.
//
// A party at one of whose names it holds enough itself, or has an earlier request for enough, does
// not wait there: it will simply enter again. A hold that is over (broken, expired) ends by itself,
// so nobody waits in vain for it.
//
// With slots a cycle is not always a deadlock. So the search reduces the graph: it removes each
// party that does not wait, then each party that waits only for removed ones, and so on. The
// parties that are left never end, and contain a cycle.
//
// When a cycle can come into being. A cycle needs a new edge.
// - A request that starts to wait gives its party new edges: a new cycle begins with one of them.
//   An upgrade, which comes before others, also gives others edges to its party: there a cycle may
//   begin with any edge of the party.
// - A grant gives no one an edge that it had not: those who wait for the holder now waited for its
//   request before, as it was ahead of them. A request that is granted at once is compatible with
//   all who wait at its names; only an upgrade is not, and it is searched for before it is granted.
// - A downgrade, and each end of a hold or of a request, takes edges of others away; but the party
//   itself may have relied on what ended in order to enter again. Then what it still waits for is
//   searched for anew. (A downgrade that the same owner's own request relies on is refused.)
// - A session that is opened within another waits for nothing yet.
// - What clients report after a crash can be anything: all requests are searched for when all have
//   reported and before anything else is done, the youngest first.
// Requests that wait in spite of a deadlock leave their cycle in the graph; one that comes later
// and waits for a part of that cycle, but is no part of it, has not closed it and is not refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/state/state.h"
#include "service/state/tables.h"

namespace baton::service {

// One after another around the cycle: each waits for the next, the last for the first.
using Cycle = std::vector<WaitEdge>;

// The cycle through this waiting request that cannot end, if there is one; of an upgrade, through
// its party.
std::optional<Cycle> find_cycle(const Tables& tables, const Request& request);
std::optional<Cycle> find_cycle(const Tables& tables, const Party& party);

// "session 3 (backup on host a) holds 'x' and waits for 'y'; session 4 …".
std::string describe(const Tables& tables, const Cycle& cycle);

// All edges, for people.
std::vector<WaitEdge> wait_edges(const Tables& tables);

// Whether its party will simply enter again, once it is its turn elsewhere.
bool reenters(const Tables& tables, const Lock& lock, const Request& request);

}  // namespace baton::service
