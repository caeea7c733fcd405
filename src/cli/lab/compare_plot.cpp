#include "cli/lab/compare_plot.h"

#include <algorithm>
#include <sstream>

#include "cli/common/arguments.h"
#include "cli/common/command.h"

namespace baton::cli {

namespace {

// Evenly spread on a logarithmic axis, and measured within seconds. With fewer than four processes
// half of the algorithms cost the same.
const std::vector<std::string> default_sizes{"4", "5", "7", "10", "14", "20", "30", "50"};

}  // namespace

void PlotOptions::add_to(Command& command) {
  command
      .add_option("--svg", file,
                  "Draw messages per entry against N into this file (default: N from 4 to 50)")
      .type_name("FILE");
}

void PlotOptions::settle(const Command& command, std::vector<std::string>& processes) {
  given = command.count("--svg") > 0;
  if (given && command.count("--processes") == 0) processes = default_sizes;
}

ComparePlot::ComparePlot(const PlotOptions& options, const std::vector<Setup>& setups)
    : file_(options.file) {
  if (!options.given) return;
  if (options.file.empty()) throw UsageError("--svg needs the name of a file");
  const bool several = std::any_of(setups.begin(), setups.end(), [&](const Setup& setup) {
    return setup.size != setups.front().size;
  });
  if (!several) {
    throw UsageError("--svg draws messages against N, which takes several sizes: -n 2..50");
  }
  plot_.title = "Messages per entry";
  plot_.subtitle =
      "Curves are theory, marks are measured. One process enters and leaves alone; where a token "
      "circulates for ever, all want it.";
  plot_.x_title = "N, the number of processes";
  plot_.y_title = "messages";
}

void ComparePlot::add(const Info& info, std::uint32_t size, const sim::Measurement* messages) {
  if (messages == nullptr) return;
  auto series = std::find_if(plot_.series.begin(), plot_.series.end(),
                             [&](const view::PlotSeries& one) { return one.name == info.name; });
  if (series == plot_.series.end()) {
    plot_.series.push_back({std::string(info.name), std::string(messages->formula), {}, {}});
    series = plot_.series.end() - 1;
  }
  series->measured.push_back({static_cast<double>(size), messages->value, messages->agrees()});
  if (!messages->expected) return;
  series->theory.push_back(
      {static_cast<double>(size), messages->expected->low, messages->expected->high});
}

void ComparePlot::write() {
  const auto by_x = [](const auto& a, const auto& b) { return a.x < b.x; };
  for (view::PlotSeries& series : plot_.series) {
    std::stable_sort(series.measured.begin(), series.measured.end(), by_x);
    std::stable_sort(series.theory.begin(), series.theory.end(), by_x);
  }
  std::ostringstream drawn;
  view::write_plot(plot_, drawn);
  if (drawn.view().empty()) {
    throw UsageError("none of these algorithms has messages per entry to draw");
  }
  file_.replace([&](std::ostream& out) { out << drawn.view(); });
}

}  // namespace baton::cli
