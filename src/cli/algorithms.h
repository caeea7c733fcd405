// Finding an algorithm by what was typed, and describing it.
#pragma once

#include <string>

#include "core/info.h"
#include "sim/catalog.h"

namespace baton::cli {

// Throws UsageError with the nearest name.
const sim::Entry& algorithm(const std::string& typed);

std::string list_of(Assumptions assumptions);
std::string list_of(Promises promises);
// "2(N-1)" as stated for the messages of an entry and exit; "" if nothing is stated.
std::string stated_messages(const Info& info);

inline constexpr Promise all_promises[] = {Promise::safety, Promise::deadlock_freedom,
                                           Promise::starvation_freedom, Promise::order};
inline constexpr Assumption all_assumptions[] = {Assumption::no_loss, Assumption::no_duplication,
                                                 Assumption::fifo, Assumption::no_crash,
                                                 Assumption::no_suspicion};

}  // namespace baton::cli
