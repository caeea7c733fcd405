// Schedules as files: one JSON object per line (docs/formats/schedule.md).
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/schedule.h"
#include "lab/view/line_error.h"

namespace baton::view {

// The same schedule always gives the same bytes.
std::string write_schedule(const Schedule& schedule);

// Reads a whole file and checks its form. The caller checks whether the algorithm exists and
// whether the steps can be carried out.
std::variant<Schedule, LineError> read_schedule(std::string_view text);

}  // namespace baton::view
