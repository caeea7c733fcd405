// The numbers by which the lock service knows things, its time, and the limits of what it accepts.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "core/ids.h"

namespace baton::service {

// Counted by the state machine from 1 on, never used twice.
using SessionId = Strong<struct SessionTag, std::uint64_t>;
// Chosen by the client, ascending within its session: a repeated request is answered, not repeated.
using RequestId = Strong<struct RequestTag, std::uint64_t>;
// Chosen by the client: who within a session holds or waits, such as a thread. The holder of a lock
// is an owner of a session; two owners of one session exclude each other.
using OwnerId = Strong<struct OwnerTag, std::uint64_t>;
// Strictly increasing for ever, over all locks: a resource that has seen a larger one refuses.
using FencingToken = Strong<struct FencingTag, std::uint64_t>;
// Counts the changes of files and of leaders.
using Revision = Strong<struct RevisionTag, std::uint64_t>;
// Microseconds. Service time goes on only while a server leads: a restart loses no one's time.
using Duration = Strong<struct DurationTag, std::int64_t>;
using Time = Strong<struct TimeTag, std::int64_t>;

constexpr Time operator+(Time time, Duration duration) { return {time.value + duration.value}; }
constexpr Duration operator-(Time a, Time b) { return {a.value - b.value}; }
inline constexpr SessionId no_session{0};

inline constexpr std::size_t longest_name = 512;        // bytes of UTF-8
inline constexpr std::size_t largest_file = 64 * 1024;  // bytes
inline constexpr std::size_t longest_label = 1024;
inline constexpr std::size_t longest_nonce = 128;
inline constexpr std::size_t longest_who = 256;  // a host's or a user's name
inline constexpr std::size_t most_names_at_once = 64;
inline constexpr std::uint32_t most_slots = 65'536;
inline constexpr Duration shortest_ttl{1'000'000};
inline constexpr Duration longest_ttl{3'600'000'000};
inline constexpr Duration longest_lock_delay{3'600'000'000};
// Of waits and of maximum holds: 365 days. For ever is longer, but has no number.
inline constexpr Duration longest_wait{365LL * 24 * 3'600'000'000};
// Of a try in a gated state: whether a name is free must be found out elsewhere.
inline constexpr Duration longest_try{250'000};
inline constexpr std::size_t most_sessions = 200'000;
inline constexpr std::size_t most_waiting = 10'000;      // requests of one session
inline constexpr std::size_t most_unconfirmed = 10'000;  // answers that one session did not confirm
inline constexpr std::uint32_t most_latest_answers = 10'000;  // that one session may ask to be kept
inline constexpr std::size_t most_endings = 10'000;  // of holds, that one session has not confirmed
inline constexpr std::size_t most_file_bytes = 256 * 1024 * 1024;   // keys and values of all files
inline constexpr std::size_t most_changes = 10'000;                 // kept for watches …
inline constexpr std::size_t most_change_bytes = 16 * 1024 * 1024;  // … and no more than this

// In a session that does not confirm, requests from here on are never repeated: their answers are
// not kept, and do not push out those that are.
inline constexpr RequestId first_unrepeated{std::uint64_t{1} << 63};

}  // namespace baton::service
