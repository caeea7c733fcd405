// The schedule of a shared-memory run for people: a line per step, with a lane for each process
// that shows whether it is outside, on its way in, or inside.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/shared/random_run.h"
#include "core/table.h"

namespace baton::cli {

struct ScheduleView {
  std::uint32_t processes = 0;
  std::size_t first = 0;  // lines for the steps first … last−1 of the schedule
  std::size_t last = 0;
  std::size_t width = 80;  // lanes that would take more than half of it are left out
  bool ascii = false;
  // Longer lines are broken.
  std::size_t longest_line = text::Table::unlimited;
};

std::string text_of(const std::vector<MachineStep>& schedule, const ScheduleView& view);

}  // namespace baton::cli
