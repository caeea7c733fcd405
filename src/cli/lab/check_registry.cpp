#include "cli/lab/check_registry.h"

#include <boost/json.hpp>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/check_text.h"
#include "cli/lab/search_interrupt.h"
#include "io/json_text.h"

namespace baton::cli {

namespace {

using check::Finding;

// One algorithm's instance, and whether what came of it is as it should be.
struct Row {
  const Info* info = nullptr;
  check::Bounds bounds;
  check::Report report;

  // With the layers that it is on: "resilient central".
  std::string name() const { return std::string(info->name); }
  bool is_as_it_should_be() const {
    if (info->is_wrong()) return report.broken() != nullptr;
    return report.broken() == nullptr && report.is_exhausted();
  }
  // The search ended before anything could be said for sure.
  bool is_interrupted() const {
    return SearchInterrupt::has_come() && report.broken() == nullptr && !report.is_exhausted();
  }
  std::uint64_t states() const {
    return report.safety.distinct + (report.liveness ? report.liveness->distinct : 0);
  }
  double seconds() const {
    return report.safety.seconds + (report.liveness ? report.liveness->seconds : 0);
  }
};

void add_rows(Table& table, const Row& row) {
  char time[32];
  std::snprintf(time, sizeof time, "%.2f", row.seconds());
  bool first = true;
  for (const Finding& finding : row.report.findings) {
    const bool broken = finding.verdict == Finding::Verdict::broken;
    std::string verdict(name_of(finding.verdict));
    if (broken) {
      verdict = (row.info->is_wrong() ? "caught" : "BROKEN") + std::string(", ") +
                std::to_string(finding.length()) + " steps";
    }
    table.add({first ? row.name() : "", finding.property, verdict,
               first ? grouped(row.states()) : "", first ? time : ""});
    first = false;
  }
}

struct Subject {
  const check::Checkable* checkable;
  CheckCommandOptions options;
};

// Of the instances that an algorithm names, the first one on each combination of layers.
std::vector<Subject> whole_registry(const CheckCommandOptions& options) {
  std::vector<Subject> all;
  for (const check::Entry& entry : check::catalog()) {
    std::set<Layers> seen;
    for (const CheckedInstance& instance : entry.info().checked) {
      const CheckCommandOptions with = options.with(instance);
      const Layers layers = with.layers();
      if (!seen.insert(layers).second) continue;
      const check::Checkable& subject = entry.with(layers);
      if (subject.check == nullptr) algorithm_on_layers(std::string(entry.info().name), layers);
      all.push_back({&subject, with});
    }
  }
  for (const check::Checkable& machine : check::machines()) {
    if (machine.info().checked.empty()) continue;
    all.push_back({&machine, options.with(machine.info().checked.front())});
  }
  all.push_back({&check::membership(), options});
  all.push_back({&check::lease(), options});
  all.push_back({&check::lease_takeover(), options});
  return all;
}

}  // namespace

namespace {

Row checked(const Subject& one, std::optional<ProgressLine>& line) {
  Row row{.info = &one.checkable->info(), .bounds = one.options.bounds(*one.checkable)};
  check::CheckOptions search = one.options.search(one.checkable->info());
  search.explore.interrupted = SearchInterrupt::flag();
  if (line->is_shown()) {
    search.explore.progress = [&](const check::Progress& progress) {
      line->show(row.name() + ": " + progress_of(progress));
    };
  }
  row.report = one.checkable->check(row.bounds, search);
  return row;
}

std::string conclusion(const std::string& wrong, std::size_t undecided) {
  std::string text;
  if (!wrong.empty()) text += "Not as they should be: " + wrong + ". ";
  if (undecided > 0) {
    return text + "You interrupted the search: " + std::to_string(undecided) +
           (undecided == 1 ? " algorithm is" : " algorithms are") + " not decided.";
  }
  return wrong.empty()
             ? "Every right algorithm keeps what it promises, and every wrong one is caught."
             : text;
}

}  // namespace

int check_registry(const CheckCommandOptions& options) {
  using enum Table::Align;
  Table table({"algorithm", "property", "verdict", "states", "seconds"},
              {left, left, left, right, right});
  table.may_raise_first();
  boost::json::array all;
  std::string wrong;
  std::size_t undecided = 0;
  const SearchInterrupt interrupt;
  std::optional<ProgressLine> line(std::in_place);
  for (const Subject& one : whole_registry(options)) {
    if (SearchInterrupt::has_come()) {
      ++undecided;
      continue;
    }
    const Row row = checked(one, line);
    if (row.is_interrupted()) {
      ++undecided;
    } else if (!row.is_as_it_should_be()) {
      wrong += (wrong.empty() ? "" : ", ") + row.name();
    }
    add_rows(table, row);
    if (options.json) all.push_back(json_of(*row.info, row.bounds, row.report));
  }
  line.reset();
  if (options.json) {
    std::cout << io::json_text(all) << "\n";
  } else {
    std::cout << table.str(table_width()) << "\n"
              << filled(conclusion(wrong, undecided), table_width()) << "\n";
  }
  if (!wrong.empty()) return exit_violation;
  return undecided > 0 ? exit_undecided : exit_ok;
}

}  // namespace baton::cli
