#include "cli/lab/schedule.h"

#include <string_view>

#include "cli/common/terminal.h"

namespace baton::cli {

namespace {

// The same marks as in the space-time diagram.
std::string_view lane(Section section, bool ascii) {
  switch (section) {
    case Section::outside:
    case Section::leaving:
      return ascii ? "|" : "│";
    case Section::doorway:
    case Section::waiting:
      return ascii ? ":" : "┆";
    case Section::inside:
      break;
  }
  return ascii ? "#" : "█";
}

// What the step brings about, where it does.
std::string_view outcome(Section before, Section after) {
  if (before == after) return "";
  switch (after) {
    case Section::outside:
      return "is outside";
    case Section::doorway:
      return "begins its doorway";
    case Section::waiting:
      return before == Section::outside ? "wants to enter" : "has passed its doorway";
    case Section::inside:
      return "ENTERS";
    case Section::leaving:
      return "leaves";
  }
  return "";
}

std::string right_aligned(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

}  // namespace

std::string text_of(const std::vector<MachineStep>& schedule, const ScheduleView& view) {
  const std::size_t name_width = std::to_string(view.processes - 1).size();
  const std::size_t step_width = std::max<std::size_t>(4, std::to_string(view.last).size());
  const bool lanes = view.processes * (name_width + 1) <= view.width / 2;

  // Where sentences begin.
  const std::size_t begin =
      step_width + 1 + (lanes ? view.processes * (name_width + 1) : 0) + 2 + name_width + 1;

  std::string text = right_aligned("step", step_width) + " ";
  for (std::uint32_t i = 0; lanes && i < view.processes; ++i) {
    text += " " + right_aligned(std::to_string(i), name_width);
  }
  text += "\n";

  std::vector<Section> sections(view.processes, Section::outside);
  for (std::size_t i = 0; i < view.last; ++i) {
    const MachineStep& step = schedule[i];
    const Section before = sections[step.process.value];
    sections[step.process.value] = step.then;
    if (i < view.first) continue;
    text += right_aligned(std::to_string(i + 1), step_width) + " ";
    for (std::uint32_t p = 0; lanes && p < view.processes; ++p) {
      text += std::string(name_width, ' ');
      text += lane(sections[p], view.ascii);
    }
    text += "  " + right_aligned(std::to_string(step.process.value), name_width) + " ";
    std::string sentence = step.what;
    if (step.choices > 1) {
      sentence += ", which is being written: " + std::to_string(step.choice);
    }
    const std::string_view what = outcome(before, step.then);
    if (!what.empty()) sentence += (view.ascii ? " -> " : " → ") + std::string(what);
    text += filled(sentence, view.longest_line, begin) + "\n";
  }
  return text;
}

}  // namespace baton::cli
