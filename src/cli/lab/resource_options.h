// The options of `baton sim` for several resources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/setup.h"
#include "lab/sim/plan.h"

namespace baton::cli {

class Command;

struct ResourceOptions {
  std::uint32_t resources = 0;  // 0: the usual run, with one
  std::string strategy = "naive";
  std::vector<std::string> wants;
  std::uint32_t each = 2;
  bool shuffle = false;

  bool are_meant() const { return resources > 0; }

  void add_to(Command& command);
  // Adds what they say to a plan. Throws UsageError where that cannot be.
  void apply(sim::Plan& plan, const Info& info, const std::vector<std::string>& given) const;
};

std::string_view name_of(Acquisition acquisition);

}  // namespace baton::cli
