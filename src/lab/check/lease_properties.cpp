// The properties of the world of the lease protocol.
#include <algorithm>

#include "lab/check/lease_terms.h"
#include "lab/check/lease_world.h"

namespace baton::check {

using namespace lease_terms;
using service::LeaseServer;

const std::vector<Property>& LeaseWorld::properties(std::size_t servers) {
  using enum Property::Kind;
  static const std::vector<Property> of_one{{"one holder"},
                                            {"no end while the lease runs"},
                                            {"fences never go back"},
                                            {"nothing acknowledged is lost"},
                                            {"who keeps alive is not expired"},
                                            {"a loss is never taken back"},
                                            {"an end is never taken back"},
                                            {"nothing stays locked"},
                                            {"nobody is forgotten"},
                                            {"a loss is declared", sometimes},
                                            {"a lost lock goes to the next", sometimes},
                                            {"something is granted after a restart", sometimes},
                                            {"something is reclaimed", sometimes},
                                            {"a paused holder is fenced off", sometimes},
                                            {"a doubt ends well", sometimes},
                                            {"a clean stop leaves nothing to reclaim", sometimes}};
  static const std::vector<Property> of_two = [] {
    std::vector<Property> all = of_one;
    all[fenced_off].name = "";  // no client is paused
    all[granted_after_restart].name = "something is granted after a takeover";
    all[a_clean_restart].name = "a clean hand-over leaves nothing to reclaim";
    all.push_back({"an old leader still answers", sometimes});
    all.push_back({"an old leader's append is refused", sometimes});
    return all;
  }();
  return servers == 1 ? of_one : of_two;
}

std::string LeaseWorld::describe(std::size_t property) {
  switch (property) {
    case exclusion:
      return "two clients hold the lock at once, and neither is paused";
    case lease_covers:
      return "a session has ended although its client's lease still runs";
    case fences_rise:
      return "a fence is given out that is not higher than all before";
    case nothing_lost:
      return "a client holds in the durable grade what the journal does not have";
    case keeping_alive_helps:
      return "a client that kept its session alive has lost it";
    case loss_is_final:
      return "a client holds what it has declared lost";
    case end_is_final:
      return "a session goes on whose client was told that it is over";
    case no_orphan:
      return "the lock is held for a client that has released it";
    case nobody_forgotten:
      return "the lock is free, and a client that waits for it is not served";
  }
  return "it never happens";
}

namespace {

// True if the session of the client has not reported yet, or the server does not know it any more.
bool has_yet_to_report(const LeaseWorld::Server& server, std::size_t i) {
  const auto& leases = server.lease.leases;
  return std::none_of(leases.begin(), leases.end(), [&](const LeaseServer::Lease& lease) {
    return lease.session == session_of(i) && !lease.unreported && !lease.expiring;
  });
}

}  // namespace

PropertySet LeaseWorld::judge(const State& state) {
  PropertySet found = state.broken;
  found |= static_cast<PropertySet>(state.shown) << a_loss;
  const auto note = [&](bool is, std::size_t property) {
    if (is) found |= PropertySet{1} << property;
  };
  const Kept& applied = state.applied();
  const std::size_t leader = std::max<std::size_t>(state.leader, 1) - 1;
  const Server& s = state.server[leader];
  bool quiet =
      state.leader != 0 && s.runs() && s.turned && s.journal.empty() && answers(state, leader);
  for (std::size_t i = 0; i < clients; ++i) {
    quiet = quiet && state.to_server[i].empty() && state.to_client[i].empty();
  }
  std::size_t holders = 0;
  for (std::size_t i = 0; i < clients; ++i) {
    const Client& c = state.client[i];
    const bool holds = c.stage == Stage::holding;
    note(c.paused && holds && c.fence < state.presented, fenced_off);
    note(c.told_gone && s.up && applied.alive[i], end_is_final);
    note(holds && c.lost, loss_is_final);
    const bool by_another = state.leader != 0 && c.server != leader;
    note(by_another && c.lease.leased_from == now && answers(state, c.server), old_leader_answers);
    if (c.paused) continue;
    holders += holds ? 1 : 0;
    note(client(state, i).has_lease(now) && !applied.alive[i], lease_covers);
    const Kept& kept = state.durable;
    note(holds && !c.fast && (kept.holder != i + 1 || kept.fence != c.fence), nothing_lost);
    if (!quiet || c.cut_off || c.refused || c.server != leader || is_due(state, i)) continue;
    if (has_yet_to_report(s, i)) continue;
    note(c.stage == Stage::idle && applied.holder == i + 1, no_orphan);
    const bool waits = c.stage == Stage::asking && !c.harmed;
    note(waits && applied.holder == 0 && server(state, leader).may_grant(), nobody_forgotten);
  }
  note(holders > 1, exclusion);
  return found;
}

}  // namespace baton::check
