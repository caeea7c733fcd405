#include "cli/lab/compare_formulas.h"

#include <boost/json.hpp>
#include <iostream>
#include <string>

#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "io/json_text.h"
#include "lab/sim/formulas.h"

namespace baton::cli {

namespace {

using sim::FormulaCheck;
using sim::FormulaTopic;
using Relation = sim::FormulaCheck::Relation;

std::string_view name_of(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return "equal";
    case Relation::at_least:
      return "at-least";
    case Relation::at_most:
      return "at-most";
    case Relation::shown:
      return "shown";
  }
  return "";
}

std::string mark(const FormulaCheck& check, bool ascii) {
  if (check.relation == Relation::shown) return "";
  if (check.agrees()) return ascii ? " ok" : " ✓";
  return ascii ? " DIFFERS" : " ✗";
}

void print_json(const std::vector<FormulaTopic>& topics) {
  boost::json::array all;
  for (const FormulaTopic& topic : topics) {
    for (const FormulaCheck& check : topic.checks) {
      all.push_back({{"topic", topic.name},
                     {"situation", check.situation},
                     {"formula", check.formula},
                     {"expected", check.expected},
                     {"measured", check.measured},
                     {"half_width", check.half_width},
                     {"relation", name_of(check.relation)},
                     {"agrees", check.agrees()},
                     {"remark", check.remark}});
    }
  }
  std::cout << io::json_text(all) << "\n";
}

void print_topic(const FormulaTopic& topic, bool ascii, std::size_t width) {
  using enum Table::Align;
  Table table({"situation", "formula", "theory", "measured", "remark"},
              {left, left, right, right, left});
  table.may_raise_first();
  for (const FormulaCheck& check : topic.checks) {
    std::string measured = number(check.measured);
    if (check.half_width > 0) measured += (ascii ? " +-" : " ±") + number(check.half_width);
    table.add({in_characters(check.situation, ascii), in_characters(check.formula, ascii),
               number(check.expected), measured + mark(check, ascii),
               in_characters(check.remark, ascii)});
  }
  std::cout << "\n" << explained(in_characters(topic.title, ascii)) << "\n" << table.str(width);
}

}  // namespace

int compare_formulas(std::uint64_t seed, bool json, bool ascii) {
  const std::vector<FormulaTopic> topics = sim::check_formulas(seed);
  std::size_t differences = 0;
  for (const FormulaTopic& topic : topics) {
    for (const FormulaCheck& check : topic.checks) differences += check.agrees() ? 0 : 1;
  }
  if (json) {
    print_json(topics);
  } else {
    const std::size_t width = table_width();
    for (const FormulaTopic& topic : topics) print_topic(topic, ascii, width);
    std::cout << "\n"
              << explained(
                     "Intervals are of 99.9 % confidence. docs/formulas.md derives the formulas.");
    if (differences > 0) {
      std::cout << "\n" << differences << " value(s) fall outside their interval.\n";
    } else {
      std::cout << "\nEvery measured value agrees with theory.\n";
    }
  }
  return differences > 0 ? exit_violation : exit_ok;
}

}  // namespace baton::cli
