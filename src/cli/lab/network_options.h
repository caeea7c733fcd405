// The options that say how a group lies in space: who reaches whom, who is where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/setup.h"

namespace baton::cli {

class Command;

struct NetworkOptions {
  std::string graph = "complete";
  std::vector<std::string> capacities;
  std::string places = "lattice";

  void add_to(Command& command);
  // What is drawn at random is drawn from the seed. Throws UsageError where such a group cannot be.
  void apply_to(Setup& setup, std::uint64_t seed) const;
};

}  // namespace baton::cli
