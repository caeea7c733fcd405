// The options that describe a group: how many processes, in which tree, with which voting sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lab/network_options.h"
#include "cli/lab/parameter_options.h"
#include "core/setup.h"

namespace baton::cli {

class Command;

inline constexpr std::uint32_t most_processes = 10'000'000;

struct GroupOptions {
  std::string tree = "star";
  std::string voting = "best";
  std::uint32_t coordinator = 0;
  std::vector<std::uint32_t> identities;
  std::uint32_t lease = Setup{}.lease;
  std::uint32_t patience = Setup{}.patience;
  NetworkOptions network;
  ParameterOptions parameters;  // for whom they are meant is known to those who ask for a setup

  void add_to(Command& command);
  // What of the group is random depends on the seed. Throws UsageError where such a group cannot
  // be.
  Setup setup(std::int64_t processes, std::uint64_t seed = 1) const;
};

// "2..50" or "7": the numbers of processes meant, or UsageError.
std::vector<std::int64_t> sizes(const std::vector<std::string>& typed);
// A whole number of processes, or UsageError.
std::int64_t group_size(const std::string& typed);

}  // namespace baton::cli
