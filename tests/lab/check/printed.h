// What gtest prints of the checker's parameters.
#pragma once

#include <ostream>

#include "lab/check/catalog.h"
#include "support/test_name.h"

namespace baton::check {

inline void PrintTo(const Entry* entry, std::ostream* to) {
  *to << (entry == nullptr ? "no algorithm" : entry->info().name);
}

}  // namespace baton::check
