// A request, a waiting request and a hold: one type each, which commands, tables, images, snapshots
// and queries share.
//
//   Acquire ──▶ WaitingRequest ──▶ Hold, and a Grant as the answer
//
// The terms of a lock travel as one value. So a new option of a lock needs a field here (in
// HoldTerms if the hold keeps it, else in RequestTerms) and its effect in the state machine. The
// other places: docs/decisions/0012-one-form-per-thing.md.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/namespace.h"
#include "service/state/ids.h"

namespace baton::service {

using baton::Namespace;
enum class Mode : std::uint8_t { exclusive, shared };

// A holder or waiter: one owner of a session.
struct Party {
  SessionId session;
  OwnerId owner;

  friend auto operator<=>(const Party&, const Party&) = default;
};

// The terms that a request states and that its hold keeps.
struct HoldTerms {
  Mode mode{};
  Duration max_hold;  // 0: as long as it likes
  std::string value;  // what the leader of an election says
  std::string label;  // for people

  friend bool operator==(const HoldTerms&, const HoldTerms&) = default;
};

// All terms of a request, besides its names and its party. Only `hold` matters after the grant.
struct RequestTerms {
  HoldTerms hold;
  std::uint32_t slots = 1;        // how many may hold it at once; all who use a name must agree
  bool fast = false;              // told before it is durable
  bool despite_deadlock = false;  // waits even if it could never end

  friend bool operator==(const RequestTerms&, const RequestTerms&) = default;
};

// A request that waits, at all its names at once.
struct WaitingRequest {
  RequestId id;
  Party party;
  RequestTerms terms;
  bool upgrade = false;
  bool once = false;  // it does not want to wait, but cannot be answered yet
  std::uint64_t ticket = 0;
  Time since;
  std::optional<Time> deadline;
  Namespace space{};
  std::vector<std::string> names;

  Mode mode() const { return terms.hold.mode; }

  friend bool operator==(const WaitingRequest&, const WaitingRequest&) = default;
};

// Of one name.
struct Hold {
  Party party;
  HoldTerms terms;
  std::uint32_t slot = 0;
  FencingToken fence;
  std::uint32_t times = 1;  // that it was entered
  Time since;
  Time ends;                        // it is over, and its holder has been told; 0: it is not
  bool expired = false;             // its session is gone: what is left is the lock-delay
  std::vector<RequestId> requests;  // whose kept answers say that it is held

  bool is_over() const { return ends.value != 0; }
  // The time at which max_hold is over.
  std::optional<Time> limit() const {
    return terms.max_hold.value == 0 ? std::nullopt : std::optional(since + terms.max_hold);
  }

  friend bool operator==(const Hold&, const Hold&) = default;
};

// The answer to a request that was granted.
struct Grant {
  // Of one of several names.
  struct Part {
    FencingToken fence;
    std::uint32_t slot = 0;

    friend bool operator==(const Part&, const Part&) = default;
  };
  FencingToken fence;       // the largest of them
  std::uint32_t slot = 0;   // of a lock with several; of the first name
  std::vector<Part> parts;  // if more than one name was asked for: each one's, in that order

  friend bool operator==(const Grant&, const Grant&) = default;
};

}  // namespace baton::service
