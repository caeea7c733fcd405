// An algorithm's description of itself: what it assumes of the world, what it promises in return,
// and what it costs. Hosts refuse a world that breaks the assumptions; the generic tests hold the
// algorithm to the promises; `baton compare` measures the costs. The description also names the
// runs and instances that the documents show, so no tool needs a list of algorithms.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/outbox.h"
#include "core/parameter.h"
#include "core/setup.h"

namespace baton {

enum class Kind : std::uint8_t { mutual_exclusion, shared_memory, election, observation };

enum class Assumption : std::uint8_t {
  no_loss,         // every message sent to a living process arrives
  no_duplication,  // no message arrives twice
  fifo,            // messages from one sender to one receiver arrive in the order sent
  no_crash,        // processes do not stop
  no_suspicion,    // nobody suspects a living process
  synchronous      // no message takes longer than Setup::delay_bound, and no step takes time
};

enum class Promise : std::uint8_t {
  safety,              // at most one process inside
  deadlock_freedom,    // someone gets in whenever someone waits
  starvation_freedom,  // everyone who asked gets in
  order,               // requests ordered by happened-before are served in that order
  // Elections, judged among processes that can talk to each other:
  one_leader,       // never two leaders in one epoch; without epochs, not once all is quiet
  right_leader,     // the leader is the process that the algorithm should choose
  everyone_learns,  // in the end all processes take the same one for the leader
  // Observation:
  consistency,  // every recorded cut is consistent, and the conserved quantity adds up
  detection     // an announcement is true, and comes in the end
};

// A small set of the values of an enumeration.
template <class Enum>
class Flags {
 public:
  constexpr Flags() = default;
  constexpr Flags(std::initializer_list<Enum> values) {
    for (const Enum value : values) bits_ |= bit(value);
  }
  constexpr bool has(Enum value) const { return (bits_ & bit(value)) != 0; }
  constexpr void add(Enum value) { bits_ |= bit(value); }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr Flags operator|(Flags a, Flags b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(Flags, Flags) = default;

 private:
  static constexpr std::uint32_t bit(Enum value) {
    return std::uint32_t{1} << static_cast<unsigned>(value);
  }
  std::uint32_t bits_ = 0;
};

using Assumptions = Flags<Assumption>;
using Promises = Flags<Promise>;

inline constexpr Assumptions reliable_channels{Assumption::no_loss, Assumption::no_duplication,
                                               Assumption::no_crash};
inline constexpr Assumptions reliable_fifo_channels{Assumption::no_loss, Assumption::no_duplication,
                                                    Assumption::no_crash, Assumption::fifo};

// A situation in which a cost is stated and measured. `before` and `requester` are two different
// processes, chosen so that neither is the coordinator where the group is large enough.
enum class Scenario : std::uint8_t {
  alone,      // `before` entered and left long ago; now `requester` enters and leaves
  again,      // `requester` enters and leaves a second time with nothing in between
  handover,   // `before` is inside and only `requester` waits; delay from exit to entry
  everyone,   // all ask at the same instant, once each; per entry
  saturated,  // all ask again as soon as they have left; per entry, from one entry to a later one
  sequential  // uniformly drawn processes, one after the other; the average per entry
};

enum class Metric : std::uint8_t {
  messages,
  enter,      // messages up to the entry
  exit,       // messages caused by leaving
  multicast,  // transmissions on a network that can multicast
  delay       // message times: request to entry, under `handover` exit to next entry
};

struct Case {
  const Setup& setup;
  NodeId before;
  NodeId requester;
};

// The figure that theory gives: one value, a range, or the mean of a random quantity.
struct Expected {
  double low = 0;
  double high = 0;
  bool is_mean = false;

  static constexpr Expected exactly(double value) { return {value, value, false}; }
  static constexpr Expected between(double low, double high) { return {low, high, false}; }
  static constexpr Expected mean(double value) { return {value, value, true}; }
};

// The commonest closed forms: a constant, and a number of messages per other process.
template <int value>
Expected constant(const Case&) {
  return Expected::exactly(value);
}
template <int count>
Expected per_peer(const Case& c) {
  return Expected::exactly(count * (static_cast<double>(c.setup.size) - 1));
}

struct Cost {
  Scenario scenario{};
  Metric metric{};
  std::string_view formula = {};  // as the literature writes it
  Expected (*value)(const Case&) = nullptr;
};

// Which process an election should choose among those alive that can talk to each other.
enum class Choice : std::uint8_t {
  highest_identity,
  smallest,       // the smallest number
  best_capacity,  // Setup::capacities; ties go to the higher identity
  anyone,         // but only one
  several         // a set of them, judged by the algorithm's own measures
};

// A situation in which an election's cost is stated: which process starts, which is down from the
// beginning, and any property of the group that matters.
struct ElectionCase {
  Setup setup = {};
  std::vector<NodeId> initiators = {};
  std::vector<NodeId> down = {};
};

struct ElectionCost {
  std::string_view situation = {};  // "lowest starts, highest is down"
  // Makes the situation out of a default group of some size, in which no process starts. Random
  // choices come from the chooser.
  void (*arrange)(ElectionCase&, Chooser&) = nullptr;
  std::string_view type = {};     // the messages that are counted: one type's name, or "" for all
  std::string_view formula = {};  // as the literature writes it
  Expected (*value)(const ElectionCase&) = nullptr;
};

// A figure that one of the lectures (docs/course/README.md) gives for this algorithm.
struct LectureFigure {
  std::string_view document = {};  // "Cardellini", "Canonical Problems", as the page names it
  std::string_view quantity = {};  // what the figure counts
  std::string_view figure = {};    // as the document writes it
  std::string_view reason = {};    // why our figure differs, or "" if it is the same
};

// For a wrong variant: what breaks, and the world in which it does.
struct Flaw {
  Promise breaks{};
  Assumptions needs_broken{};  // beyond the ordinary random schedules: which fault must be allowed
  std::string_view why = {};
};

// An instance for `baton check` that the documents show.
struct CheckedInstance {
  std::string_view options = {};  // after the algorithm's name; empty: the checker's own defaults
  std::string_view what = {};     // a description, where the page needs one
  bool is_quick = true;           // takes a few seconds, so the tests run it again
};

struct Info {
  std::string_view name = {};   // as in the registry: ricart-agrawala
  std::string_view title = {};  // Ricart–Agrawala
  std::string_view publication = {};
  std::string_view idea = {};
  Kind kind = Kind::mutual_exclusion;
  Assumptions assumes = {};
  Promises promises = {};
  std::string_view problem = {};  // the weakness that comparison tables list
  bool perpetual = false;         // sends messages for ever, even when nobody asks
  bool survives_crashes = false;
  // One process grants everything, so it can grant several resources at once.
  bool has_coordinator = false;
  std::vector<Cost> costs = {};
  Choice choice = Choice::highest_identity;  // elections
  std::vector<ElectionCost> election_costs = {};
  std::vector<LectureFigure> seeds = {};
  std::vector<const Parameter*> parameters = {};
  // Says which values are wrong together although each is right alone; empty if none.
  std::string (*objection)(const Setup&) = nullptr;
  // The options of `baton sim` for the run on the algorithm's page. In that run a wrong variant
  // breaks its promise.
  std::string_view example = "-n 3";
  // The algorithm's rows of docs/checked.md; the checker catches a wrong variant in the first of
  // them. Empty if the algorithm needs larger groups than the checker can take.
  std::vector<CheckedInstance> checked = {CheckedInstance{}};
  // Instances for docs/traps.md. Each breaks something although the algorithm is right: it breaks
  // an assumption, or demands what the algorithm does not promise.
  std::vector<CheckedInstance> traps = {};
  std::vector<Flaw> flaws = {};  // not empty: a wrong variant, kept because it teaches

  bool is_wrong() const { return !flaws.empty(); }
};

// An algorithm's description as the start of a variant's. It drops the runs and instances, because
// they may show nothing about the variant.
inline Info variant_of(Info info) {
  info.example = Info().example;
  info.checked = Info().checked;
  info.traps.clear();
  return info;
}

}  // namespace baton
