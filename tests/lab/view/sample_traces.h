// Runs that a student meets first, as traces.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace baton::test {

Trace one_asks(std::uint32_t size = 3);
Trace everybody_asks(std::uint32_t size);
// Named processes, delays that differ, and a duplicate.
Trace named_and_uneven();
// A lost reply, a crash, a suspicion and a recovery.
Trace loss_and_crash();
// Maekawa's algorithm as first published: three processes, each waiting for the next one's vote.
Trace maekawa_deadlock();
// An algorithm that is wrong: nobody waits for anybody.
Trace two_inside();
// A ring of four elects its largest process.
Trace election();

}  // namespace baton::test
