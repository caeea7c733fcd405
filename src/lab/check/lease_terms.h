// The lengths of time in the world of the lease protocol, and its names for counted things.
#pragma once

#include <cstddef>

#include "lab/check/lease_world.h"
#include "service/lease/lease.h"

namespace baton::check::lease_terms {

using Number = LeaseWorld::Number;

// Small, but large enough that a keepalive may be lost and the next is still in time.
inline constexpr service::LeaseTerms terms{
    .ttl = {4}, .margin = {1}, .jeopardy = {2}, .interval = {1}};
// The present. Moments before the horizon are so far back that they matter to no lease.
inline constexpr Number present = 8;
inline constexpr Number horizon = 3;
inline constexpr service::Duration longest_turn{1};
// A leader that nobody hears of may go on for this long: longer than a session whose time is
// counted from the moment in which the leader's key was taken away.
inline constexpr service::ProofTerms proof_terms{.ttl = {5}, .margin = {1}, .interval = {1}};
// A server's pause is longer than all leases.
inline constexpr Number longest_pause = 5;
inline constexpr Number reserved_at_once = 2;

inline constexpr service::Time now{present};

inline service::SessionId session_of(std::size_t client) { return {client + 1}; }
// Requests are numbered: odd ones acquire, even ones release.
inline bool is_release(Number request) { return request % 2 == 0; }

}  // namespace baton::check::lease_terms
