// The options that describe a group: how many processes, in which tree, with which voting sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/network_options.h"
#include "core/setup.h"

namespace baton::cli {

class Command;

inline constexpr std::uint32_t most_processes = 10'000'000;

struct GroupOptions {
  std::string tree = "star";
  std::string voting = "best";
  std::uint32_t votes = 0;
  std::uint32_t ask = 0;
  std::uint32_t coordinator = 0;
  bool tell_queued = false;
  std::vector<std::uint32_t> identities;
  std::uint32_t random_bits = 8;
  std::uint32_t lease = Setup{}.lease;
  std::uint32_t patience = Setup{}.patience;
  std::uint32_t transfers = Setup{}.transfers;
  std::uint32_t largest_transfer = Setup{}.largest_transfer;
  std::uint32_t work = Setup{}.work;
  NetworkOptions network;

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
