// Schedules: what is accepted is written as it was read.
#include <variant>

#include "fuzz/fuzz.h"
#include "lab/view/schedule_file.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  Schedule schedule;
  schedule.algorithm = "lamport";
  schedule.arguments = {"--n", "3"};
  schedule.verdict = "two inside";
  for (std::size_t kind = 0; kind < scheduled_kinds; ++kind) {
    ScheduledStep step;
    step.kind = static_cast<ScheduledStep::Kind>(kind);
    step.node = {0};
    step.peer = {1};
    step.message = "Request(<1,0>)";
    if (kind % 3 == 0) step.choices = {1, 0};
    schedule.steps.push_back(step);
  }
  const std::string all = view::write_schedule(schedule);
  schedule.loop = 2;
  schedule.steps.resize(3);
  return {all, view::write_schedule(schedule)};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  const auto read = view::read_schedule(fuzz::text_of(data, size));
  if (const auto* error = std::get_if<view::LineError>(&read)) {
    fuzz::demand(error->line > 0 && !error->what.empty(), "an error says where and what");
    return 0;
  }
  const auto& schedule = std::get<Schedule>(read);
  const std::string written = view::write_schedule(schedule);
  const auto again = view::read_schedule(written);
  fuzz::demand(std::holds_alternative<Schedule>(again) &&
                   view::write_schedule(std::get<Schedule>(again)) == written,
               "what is written is read again");
  return 0;
}
