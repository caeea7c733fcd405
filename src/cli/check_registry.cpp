#include "cli/check_registry.h"

#include <boost/json.hpp>
#include <cstdio>
#include <iostream>
#include <vector>

#include "cli/check_text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace baton::cli {

namespace {

using check::Finding;

// One algorithm's instance, and whether what came of it is as it should be.
struct Row {
  const Info* info = nullptr;
  Layers layers = Layers::none;
  check::Bounds bounds;
  check::Report report;

  std::string name() const {
    std::string name(info->name);
    if (layers == Layers::reliable) name += ", reliable";
    if (layers == Layers::resilient) name += ", resilient";
    return name;
  }
  bool is_as_it_should_be() const {
    if (info->is_wrong()) return report.broken() != nullptr;
    return report.broken() == nullptr && report.is_exhausted();
  }
  std::uint64_t states() const {
    return report.safety.distinct + (report.liveness ? report.liveness->distinct : 0);
  }
  double seconds() const {
    return report.safety.seconds + (report.liveness ? report.liveness->seconds : 0);
  }
};

// Those of the layers that are checked along; the others can be asked for by name.
bool is_checked_on(Layers layers, std::string_view name) {
  const bool resilient = name == "central" || name == "ricart-agrawala" || name == "token-ring" ||
                         name == "suzuki-kasami";
  return layers == Layers::none || (layers == Layers::resilient && resilient) ||
         (layers == Layers::reliable && name == "central");
}

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
  Layers layers = Layers::none;
};

std::vector<Subject> whole_registry() {
  std::vector<Subject> all;
  for (const check::Entry& entry : check::catalog()) {
    // Superpeers are for groups larger than can be checked.
    if (entry.info().choice == Choice::several) continue;
    for (const check::Checkable& subject : entry.layered) {
      const auto layers = static_cast<Layers>(&subject - entry.layered);
      if (subject.check != nullptr && is_checked_on(layers, entry.info().name)) {
        all.push_back({&subject, layers});
      }
    }
  }
  for (const check::Checkable& machine : check::machines()) all.push_back({&machine});
  all.push_back({&check::membership()});
  all.push_back({&check::lease()});
  all.push_back({&check::lease_takeover()});
  return all;
}

// Some mistakes need four processes to show.
check::Bounds default_instance(const CheckCommandOptions& options,
                               const check::Checkable& subject) {
  if (subject.info().name != "wrong-maekawa-sanders-failed-to-newcomers-only") {
    return options.bounds(subject);
  }
  check::Bounds bounds = options.bounds(subject, 4);
  bounds.requests = 1;
  return bounds;
}

}  // namespace

int check_registry(const CheckCommandOptions& options) {
  using enum Table::Align;
  Table table({"algorithm", "property", "verdict", "states", "seconds"},
              {left, left, left, right, right});
  boost::json::array all;
  std::string wrong;
  ProgressLine line;
  for (const auto& [subject, layers] : whole_registry()) {
    Row row{
        .info = &subject->info(), .layers = layers, .bounds = default_instance(options, *subject)};
    check::CheckOptions search = options.search(subject->info());
    if (line.is_shown()) {
      search.explore.progress = [&](const check::Progress& progress) {
        line.show(row.name() + ": " + progress_of(progress));
      };
    }
    row.report = subject->check(row.bounds, search);
    if (!row.is_as_it_should_be()) wrong += (wrong.empty() ? "" : ", ") + row.name();
    add_rows(table, row);
    if (options.json) all.push_back(json_of(*row.info, row.bounds, row.report));
  }
  if (options.json) {
    std::cout << boost::json::serialize(all) << "\n";
  } else {
    std::cout << table.str(terminal_width());
    if (wrong.empty()) {
      std::cout
          << "\nEvery right algorithm keeps what it promises, and every wrong one is caught.\n";
    } else {
      std::cout << "\nNot as they should be: " << wrong << "\n";
    }
  }
  return wrong.empty() ? exit_ok : exit_violation;
}

}  // namespace baton::cli
