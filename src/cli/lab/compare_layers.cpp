#include "cli/lab/compare_layers.h"

#include <boost/json.hpp>
#include <iostream>

#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "io/json_text.h"
#include "lab/sim/measure_layers.h"

namespace baton::cli {

namespace {

struct Row {
  const Info* info = nullptr;
  std::uint32_t size = 0;
  sim::LayerCosts costs;
  std::vector<double> recoveries;

  double quantile(double part) const {
    const auto last = static_cast<double>(recoveries.size() - 1);
    return recoveries[static_cast<std::size_t>(part * last)];
  }
  // At most one acknowledgement per message, and nothing per entry but what P sends.
  bool is_cheap() const {
    return costs.acks_alone <= 1 && costs.acks_loaded <= 1 && costs.other_upkeep == 0;
  }
};

std::vector<const sim::Entry*> chosen(const std::vector<std::string>& names) {
  std::vector<const sim::Entry*> entries;
  for (const std::string& name : names) {
    entries.push_back(&algorithm(name));
    const Info& info = entries.back()->info();
    if (info.kind == Kind::mutual_exclusion &&
        entries.back()->with(sim::Layers::both).run != nullptr) {
      continue;
    }
    throw UsageError("--layers compares locks that run on layers; '" + name + "' does not");
  }
  if (!entries.empty()) return entries;
  for (const sim::Entry& entry : sim::catalog()) {
    if (entry.info().kind == Kind::mutual_exclusion &&
        entry.with(sim::Layers::both).run != nullptr) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

void print(const std::vector<Row>& rows, bool ascii) {
  using enum Table::Align;
  Table costs({"algorithm", "N", "plain", "reliable", "acks alone", "acks loaded", "resilient",
               "other upkeep", "heartbeats"},
              {left, right, right, right, right, right, right, right, right});
  Table recovery({"algorithm", "N", "median", "95 %", "longest", "longest in timeouts"},
                 {left, right, right, right, right, right});
  std::size_t dear = 0;
  for (const Row& row : rows) {
    const sim::LayerCosts& c = row.costs;
    costs.add({std::string(row.info->name), std::to_string(row.size), number(c.plain),
               number(c.reliable), number(c.acks_alone), number(c.acks_loaded), number(c.resilient),
               number(c.other_upkeep), number(c.heartbeats)});
    recovery.add({std::string(row.info->name), std::to_string(row.size), number(row.quantile(0.5)),
                  number(row.quantile(0.95)), number(row.quantile(1)),
                  number(row.quantile(1) / sim::detector_timeout())});
    dear += row.is_cheap() ? 0 : 1;
  }
  const std::size_t width = table_width();
  std::cout
      << "\n"
      << explained(
             "Messages per entry while all want to enter and nothing fails: without layers; on "
             "the reliable layer, with its acknowledgements per message (when one enters alone, "
             "and under load); on the resilient layer, with what it sends per entry besides, "
             "and its heartbeats per process and message time")
      << "\n"
      << costs.str(width) << "\n"
      << explained(
             "Message times without an entry after the crash of one process, whatever it was "
             "doing, 300 runs each; the timeout of a detector is " +
             number(sim::detector_timeout()) + " message times")
      << "\n"
      << recovery.str(width) << "\n";
  if (dear == 0) {
    std::cout << filled(std::string(ascii ? "ok      " : "✓ ") +
                            "at most one acknowledgement per message, and nothing per entry but "
                            "heartbeats",
                        width, 2)
              << "\n";
  } else {
    std::cout << filled((ascii ? "BROKEN  " : "✗ ") + std::to_string(dear) +
                            " algorithm(s) pay more than one acknowledgement per message, or more "
                            "than heartbeats",
                        width, 2)
              << "\n";
  }
}

void print_json(const std::vector<Row>& rows) {
  boost::json::array all;
  for (const Row& row : rows) {
    all.push_back({{"algorithm", row.info->name},
                   {"n", row.size},
                   {"messages_per_entry", row.costs.plain},
                   {"messages_per_entry_reliable", row.costs.reliable},
                   {"acks_per_message_alone", row.costs.acks_alone},
                   {"acks_per_message_loaded", row.costs.acks_loaded},
                   {"messages_per_entry_resilient", row.costs.resilient},
                   {"other_upkeep_per_entry", row.costs.other_upkeep},
                   {"heartbeats_per_process_and_message_time", row.costs.heartbeats},
                   {"recovery_median", row.quantile(0.5)},
                   {"recovery_95", row.quantile(0.95)},
                   {"recovery_longest", row.quantile(1)},
                   {"detector_timeout", sim::detector_timeout()},
                   {"cheap", row.is_cheap()}});
  }
  std::cout << io::json_text(all) << "\n";
}

}  // namespace

int compare_layers(const CompareLayers& options) {
  std::vector<Row> rows;
  ProgressLine line;
  bool cheap = true;
  for (const std::int64_t size : options.sizes) {
    if (size < 3 || size > 100) {
      throw UsageError("--layers compares groups of 3 to 100 processes, since one of them crashes");
    }
    const Setup setup = default_setup(static_cast<std::uint32_t>(size));
    for (const sim::Entry* entry : chosen(options.algorithms)) {
      line.show("measuring " + std::string(entry->info().name) + ", N = " + std::to_string(size));
      rows.push_back({&entry->info(), setup.size, sim::layer_costs(*entry, setup, options.seed),
                      sim::recovery_times(*entry, setup, options.seed)});
      cheap = cheap && rows.back().is_cheap();
    }
  }
  options.json ? print_json(rows) : print(rows, options.ascii);
  return cheap ? exit_ok : exit_violation;
}

}  // namespace baton::cli
