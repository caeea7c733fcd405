#include "cli/lab/compare_election.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <string>

#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/common/theory.h"
#include "io/json_text.h"
#include "lab/sim/measure_election.h"

namespace baton::cli {

namespace {

using sim::ElectionMeasurement;

struct Row {
  const Info* info = nullptr;
  std::uint32_t size = 0;
  std::vector<ElectionMeasurement> measured;

  bool agrees() const {
    return std::all_of(measured.begin(), measured.end(),
                       [](const ElectionMeasurement& one) { return one.agrees(); });
  }
};

std::vector<Row> measure_all(const ElectionComparison& comparison) {
  std::vector<Row> rows;
  ProgressLine line;
  for (const Setup& setup : comparison.setups) {
    for (const sim::Entry* entry : comparison.algorithms) {
      line.show("measuring " + std::string(entry->info().name) +
                ", N = " + std::to_string(setup.size));
      rows.push_back(
          {&entry->info(), setup.size, sim::measure_election(*entry, setup, comparison.seed)});
    }
  }
  return rows;
}

std::string messages_of(const ElectionCost& cost) {
  return cost.type.empty() ? "all" : std::string(cost.type);
}

void print_group(const std::vector<Row>& rows, std::uint32_t size, bool ascii) {
  using enum Table::Align;
  Table table(
      {"N = " + std::to_string(size), "situation", "messages", "formula", "theory", "measured"},
      {left, left, left, left, right, right});
  table.may_raise_first();
  for (const Row& row : rows) {
    if (row.size != size) continue;
    std::string name(row.info->name);
    if (row.measured.empty()) table.add({name, "none published", "", "", "", "-"});
    std::string_view situation;
    for (const ElectionMeasurement& one : row.measured) {
      // Named once for all its lines.
      const bool is_new = one.cost->situation != situation;
      situation = one.cost->situation;
      table.add({name, is_new ? in_characters(situation, ascii) : "", messages_of(*one.cost),
                 in_characters(one.cost->formula, ascii), text_of(one.expected),
                 text_of(one.value, one.half_width, ascii) + mark_of(one.agrees(), ascii)});
      name.clear();
    }
  }
  std::cout << "\n" << table.str(table_width());
}

void print_notes(const ElectionComparison& comparison) {
  const auto shown = [&](std::string_view text) { return in_characters(text, comparison.ascii); };
  Table problems({"algorithm", "problem"});
  Table lectures({"algorithm", "lecture", "quantity", "figure there", "why Baton's differs"});
  lectures.may_raise_first();
  for (const sim::Entry* entry : comparison.algorithms) {
    const Info& info = entry->info();
    problems.add({std::string(info.name), shown(info.problem)});
    for (const LectureFigure& figure : info.seeds) {
      if (figure.reason.empty()) continue;
      lectures.add({std::string(info.name), std::string(figure.document), shown(figure.quantity),
                    shown(figure.figure), shown(figure.reason)});
    }
  }
  std::cout << "\nWhat each suffers from\n\n" << problems.str(table_width());
  if (!lectures.empty()) {
    std::cout << "\nWhere the lectures count differently\n\n" << lectures.str(table_width());
  }
}

void print_tables(const std::vector<Row>& rows, const ElectionComparison& comparison) {
  std::cout << explained(
      "Messages per election; a message that comes back because its receiver is down does not "
      "count");
  for (const Setup& setup : comparison.setups) print_group(rows, setup.size, comparison.ascii);
  print_notes(comparison);
  std::size_t differences = 0;
  for (const Row& row : rows) {
    for (const ElectionMeasurement& one : row.measured) differences += one.agrees() ? 0 : 1;
  }
  if (differences > 0) {
    std::cout << "\n" << differences << " measured value(s) differ from theory.\n";
  } else {
    std::cout << "\nEvery measured value agrees with theory.\n";
  }
}

void print_json(const std::vector<Row>& rows) {
  boost::json::array all;
  for (const Row& row : rows) {
    boost::json::array measured;
    for (const ElectionMeasurement& one : row.measured) {
      measured.push_back({{"situation", one.cost->situation},
                          {"messages", messages_of(*one.cost)},
                          {"formula", one.cost->formula},
                          {"expected", json_of(one.expected)},
                          {"measured", json_of(one.value)},
                          {"half_width", json_of(one.half_width)},
                          {"agrees", one.agrees()}});
    }
    all.push_back({{"algorithm", row.info->name},
                   {"kind", "election"},
                   {"n", row.size},
                   {"agrees", row.agrees()},
                   {"measurements", std::move(measured)}});
  }
  std::cout << io::json_text(all) << "\n";
}

}  // namespace

int compare_elections(const ElectionComparison& comparison) {
  const std::vector<Row> rows = measure_all(comparison);
  if (comparison.json) {
    print_json(rows);
  } else {
    print_tables(rows, comparison);
  }
  const bool agree =
      std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.agrees(); });
  return agree ? exit_ok : exit_violation;
}

}  // namespace baton::cli
