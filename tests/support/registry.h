// What tests over the whole registry have in common.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "lab/sim/catalog.h"
#include "support/seeds.h"
#include "support/test_name.h"

namespace baton::sim {

// For gtest.
inline void PrintTo(const Entry* entry, std::ostream* to) {
  *to << (entry == nullptr ? "no algorithm" : entry->info().name);
}

}  // namespace baton::sim

namespace baton::test {

inline std::vector<const sim::Entry*> entries(Kind kind, bool wrong) {
  std::vector<const sim::Entry*> all;
  for (const sim::Entry& entry : sim::catalog()) {
    if (entry.info().kind == kind && entry.info().is_wrong() == wrong) all.push_back(&entry);
  }
  return all;
}

// Those that run on layers.
inline std::vector<const sim::Entry*> layered_entries(Kind kind) {
  std::vector<const sim::Entry*> all;
  for (const sim::Entry* entry : entries(kind, false)) {
    if (entry->with(sim::Layers::both).run != nullptr) all.push_back(entry);
  }
  return all;
}

}  // namespace baton::test
