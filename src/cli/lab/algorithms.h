// Finding an algorithm by what was typed. There are two catalogues, the message-passing algorithms
// of the registry and the machines over shared memory; a name is in one of them at most.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/shared/catalog.h"
#include "core/info.h"
#include "lab/sim/catalog.h"

namespace baton::cli {

// A message-passing algorithm. Throws UsageError, with the nearest name of either catalogue.
const sim::Entry& algorithm(const std::string& typed);

// One on these layers. Throws UsageError where it does not run on them.
const sim::Runnable& algorithm_on_layers(const std::string& typed, sim::Layers layers);

// A shared-memory machine, or null.
const CatalogedMachine* machine(const std::string& typed);

// As `baton list --json` and `baton compare --kind` call it.
std::string_view name_of(Kind kind);

inline constexpr Promise all_promises[] = {
    Promise::safety,          Promise::deadlock_freedom, Promise::starvation_freedom,
    Promise::order,           Promise::one_leader,       Promise::right_leader,
    Promise::everyone_learns, Promise::consistency,      Promise::detection};
inline constexpr Assumption all_assumptions[] = {
    Assumption::no_loss,  Assumption::no_duplication, Assumption::fifo,
    Assumption::no_crash, Assumption::no_suspicion,   Assumption::synchronous};

}  // namespace baton::cli
