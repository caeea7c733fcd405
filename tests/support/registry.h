// What tests over the whole registry have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/sim/catalog.h"
#include "support/seeds.h"

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

// The algorithm's name as a test's name may be.
inline std::string test_name_of(const sim::Entry& entry) {
  std::string name(entry.info().name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}
inline std::string test_name(const testing::TestParamInfo<const sim::Entry*>& parameter) {
  return test_name_of(*parameter.param);
}

}  // namespace baton::test
