#include "cli/lab/compare_network.h"

#include <boost/json.hpp>
#include <iostream>
#include <numeric>
#include <optional>

#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/common/theory.h"
#include "cli/lab/algorithms.h"
#include "cli/network/network_measurement.h"
#include "io/json_text.h"
#include "lab/sim/forced_order.h"
#include "lab/sim/measure.h"
#include "peers/net/catalog.h"

namespace baton::cli {

namespace {

constexpr std::int64_t most_processes = 16;

// Messages in one situation: the simulator's, and those on the wire in every round.
struct Count {
  Scenario scenario{};
  std::uint64_t entries = 1;
  std::optional<sim::Sent> simulated;
  std::vector<WireCount> on_wire;

  bool is_counted() const { return simulated && !on_wire.empty(); }
  // Of the rounds, one that differs if there is one.
  WireCount shown() const {
    for (const WireCount& one : on_wire) {
      if (!is_same(one)) return one;
    }
    return on_wire.front();
  }
  bool agrees() const { return !is_counted() || is_same(shown()); }
  double per_entry(std::uint64_t messages) const {
    return static_cast<double>(messages) / static_cast<double>(entries);
  }

 private:
  bool is_same(const WireCount& one) const {
    return one.enter == simulated->enter && one.exit == simulated->exit;
  }
};

struct Row {
  const Info* info = nullptr;
  std::uint32_t size = 0;
  std::vector<sim::Measurement> simulated;
  sim::Saturation saturation;
  std::vector<Count> counts;
  NetworkMeasurement measurement;

  const sim::Measurement* get(Scenario scenario, Metric metric) const {
    return sim::find(simulated, scenario, metric);
  }
  std::size_t differences() const {
    std::size_t found = 0;
    for (const Count& count : counts) found += count.agrees() ? 0 : 1;
    return found;
  }
  double in_message_times(double us) const { return us / measurement.message_time_us(); }
  double hand_offs_per_message_time() const {
    return measurement.hand_offs_per_s * measurement.message_time_us() / 1e6;
  }
};

std::vector<const sim::Entry*> chosen(const std::vector<std::string>& names) {
  std::vector<const sim::Entry*> entries;
  for (const std::string& name : names) {
    entries.push_back(&algorithm(name));
    const AnyClass* runnable = net::find(name);
    if (runnable == nullptr || runnable->info().kind != Kind::mutual_exclusion) {
      const std::string why = runnable == nullptr ? ": " + net::why_not_runnable(name) : "";
      throw UsageError("--network compares locks that run between processes; '" + name +
                       "' does not" + why);
    }
    const std::string objection = net::objection_to(*runnable);
    if (!objection.empty()) throw UsageError(objection);
  }
  if (!entries.empty()) return entries;
  for (const AnyClass* runnable : net::catalog()) {
    if (runnable->info().kind == Kind::mutual_exclusion && net::objection_to(*runnable).empty()) {
      entries.push_back(sim::find(runnable->info().name));
    }
  }
  return entries;
}

std::optional<sim::Sent> simulated_turn(const Row& row, Scenario scenario) {
  const sim::Measurement* enter = row.get(scenario, Metric::enter);
  const sim::Measurement* exit = row.get(scenario, Metric::exit);
  if (enter == nullptr || exit == nullptr) return std::nullopt;
  return sim::Sent{static_cast<std::uint64_t>(enter->value),
                   static_cast<std::uint64_t>(exit->value)};
}

Row measured(const sim::Entry& entry, std::uint32_t size, const CompareNetwork& options) {
  const Setup setup = default_setup(size);
  std::vector<NodeId> all(size);
  for (std::uint32_t i = 0; i < size; ++i) all[i] = {i};
  const auto handover = sim::in_a_queue(entry, setup, {before_of(size), requester_of(size)});
  const auto everyone = sim::in_a_queue(entry, setup, all);

  Row row{&entry.info(),
          size,
          sim::measure(entry, setup, options.seed),
          sim::saturation(entry, setup),
          {},
          {}};
  row.measurement = measure_network({.algorithm = std::string(row.info->name),
                                     .size = size,
                                     .is_perpetual = row.info->perpetual,
                                     .is_determined = handover && everyone,
                                     .seconds = options.seconds});
  const NetworkMeasurement& measurement = row.measurement;
  row.counts = {
      {Scenario::alone, 1, simulated_turn(row, Scenario::alone), measurement.alone},
      {Scenario::again, 1, simulated_turn(row, Scenario::again), measurement.again},
      {Scenario::handover, 2, handover, measurement.handover},
      {Scenario::everyone, size, everyone, measurement.everyone},
  };
  return row;
}

class Report {
 public:
  Report(const std::vector<Row>& rows, bool ascii) : rows_(rows), ascii_(ascii) {}

  void print() const {
    print_messages();
    print_delays();
    print_rates();
    std::size_t differences = 0;
    for (const Row& row : rows_) differences += row.differences();
    if (differences == 0) {
      std::cout << "\nThe messages on the wire are those of the simulator.\n";
    } else {
      std::cout << "\n"
                << explained("In " + std::to_string(differences) +
                             " situation(s) the messages on the wire differ from the simulator's.");
    }
  }

 private:
  std::string theory(const sim::Measurement* one) const {
    return one != nullptr && one->expected ? text_of(*one->expected) : "-";
  }
  static std::string simulator(const sim::Measurement* one) {
    return one != nullptr ? number(one->value) : "-";
  }
  static std::string rounded(double value) {
    return number(value < 10 ? std::round(value * 100) / 100 : std::round(value * 10) / 10);
  }

  void print_messages() const {
    using enum Table::Align;
    Table table(
        {"algorithm", "N", "alone: theory", "simulator", "wire", "again", "wire", "handover",
         "wire", "in a queue", "wire", "saturated", "wire"},
        {left, right, right, right, right, right, right, right, right, right, right, right, right});
    for (const Row& row : rows_) {
      std::vector<std::string> cells{std::string(row.info->name), std::to_string(row.size),
                                     theory(row.get(Scenario::alone, Metric::messages))};
      for (const Count& count : row.counts) {
        const bool known = count.is_counted();
        cells.push_back(known ? number(count.per_entry(count.simulated->all())) : "-");
        cells.push_back(known ? number(count.per_entry(count.shown().all())) +
                                    mark_of(count.agrees(), ascii_)
                              : "-");
      }
      cells.push_back(rounded(row.saturation.messages_per_entry));
      cells.push_back(rounded(row.measurement.messages_per_entry));
      table.add(cells);
    }
    table.may_fold_before({2, 5, 7, 9, 11});
    std::cout
        << "\n"
        << explained(
               "Messages per entry between real processes, without heartbeats: one enters and "
               "leaves alone; the same again; one waits for another; all ask one after the "
               "other while the first is inside; all ask all the time. Beside them the "
               "simulator's figures, which must be the same except for the last, where the "
               "order is not forced. There is no figure where those who wait ask again and "
               "again, or where the token never rests")
        << "\n"
        << table.str(table_width());
  }

  void print_delays() const {
    using enum Table::Align;
    const std::string us = ascii_ ? "us" : "µs";
    Table table(
        {"algorithm", "N", "client delay: theory", "simulator", "wire", us, "sync delay: theory",
         "simulator", "wire", us, "again", "message time"},
        {left, right, right, right, right, right, right, right, right, right, right, right});
    for (const Row& row : rows_) {
      const sim::Measurement* client = row.get(Scenario::alone, Metric::delay);
      const sim::Measurement* sync = row.get(Scenario::handover, Metric::delay);
      const NetworkMeasurement& measurement = row.measurement;
      table.add({std::string(row.info->name), std::to_string(row.size), theory(client),
                 simulator(client), rounded(row.in_message_times(measurement.client_delay_us)),
                 rounded(measurement.client_delay_us), theory(sync), simulator(sync),
                 rounded(row.in_message_times(measurement.sync_delay_us)),
                 rounded(measurement.sync_delay_us), rounded(measurement.acquire_us) + " " + us,
                 rounded(measurement.message_time_us()) + " " + us});
    }
    table.may_fold_before({2, 6, 10});
    std::cout
        << "\n"
        << explained(
               "Delays in message times and in microseconds, medians. A message time is half of "
               "what a message of the same size takes to another process and back over plain TCP. "
               "The processes that are asked were asleep, except for 'again': one enters again and "
               "again, alone")
        << "\n"
        << table.str(table_width());
  }

  void print_rates() const {
    using enum Table::Align;
    Table table({"algorithm", "N", "entries/s", "hand-offs/s", "per message time", "simulator",
                 "upkeep/s", "bytes of a frame"},
                {left, right, right, right, right, right, right, right});
    for (const Row& row : rows_) {
      table.add({std::string(row.info->name), std::to_string(row.size),
                 grouped(static_cast<std::uint64_t>(row.measurement.entries_per_s)),
                 grouped(static_cast<std::uint64_t>(row.measurement.hand_offs_per_s)),
                 rounded(row.hand_offs_per_message_time()),
                 rounded(row.saturation.entries_per_message_time),
                 rounded(row.measurement.upkeep_per_s),
                 std::to_string(row.measurement.frame_bytes)});
    }
    table.may_fold_before({2, 5, 6});
    std::cout << "\n"
              << explained(
                     "Entries while all ask all the time; entries of another process than the one "
                     "before, beside the simulator's; and the messages that show who is alive")
              << "\n"
              << table.str(table_width());
  }

  const std::vector<Row>& rows_;
  bool ascii_;
};

boost::json::value json_or_null(const std::optional<double>& value) {
  return value ? boost::json::value(*value) : boost::json::value(nullptr);
}

boost::json::array counts_json(const Row& row) {
  boost::json::array all;
  for (const Count& count : row.counts) {
    if (!count.is_counted()) continue;
    const sim::Measurement* stated = row.get(count.scenario, Metric::messages);
    // What theory says of all at once need not hold for a queue.
    const bool is_stated =
        stated != nullptr && stated->expected && count.scenario != Scenario::everyone;
    const WireCount wire = count.shown();
    all.push_back({{"scenario", sim::name_of(count.scenario)},
                   {"entries", count.entries},
                   {"enter", wire.enter},
                   {"exit", wire.exit},
                   {"simulated_enter", count.simulated->enter},
                   {"simulated_exit", count.simulated->exit},
                   {"expected_per_entry",
                    is_stated ? json_of(*stated->expected) : boost::json::value(nullptr)},
                   {"rounds", count.on_wire.size()},
                   {"agrees", count.agrees()}});
  }
  return all;
}

boost::json::object delay_json(const Row& row, Scenario scenario, double us) {
  const sim::Measurement* one = row.get(scenario, Metric::delay);
  const bool is_stated = one != nullptr && one->expected;
  return {{"us", us},
          {"message_times", row.in_message_times(us)},
          {"simulated", json_or_null(one == nullptr ? std::nullopt : std::optional(one->value))},
          {"expected", is_stated ? json_of(*one->expected) : boost::json::value(nullptr)}};
}

void print_json(const std::vector<Row>& rows) {
  boost::json::array all;
  for (const Row& row : rows) {
    const NetworkMeasurement& measurement = row.measurement;
    all.push_back(
        {{"algorithm", row.info->name},
         {"n", row.size},
         {"agrees", row.differences() == 0},
         {"messages", counts_json(row)},
         {"client_delay", delay_json(row, Scenario::alone, measurement.client_delay_us)},
         {"sync_delay", delay_json(row, Scenario::handover, measurement.sync_delay_us)},
         {"acquire_us", measurement.acquire_us},
         {"saturated",
          {{"entries", measurement.entries},
           {"entries_per_s", measurement.entries_per_s},
           {"hand_offs_per_s", measurement.hand_offs_per_s},
           {"hand_offs_per_message_time", row.hand_offs_per_message_time()},
           {"simulated_entries_per_message_time", row.saturation.entries_per_message_time},
           {"messages_per_entry", measurement.messages_per_entry},
           {"simulated_messages_per_entry", row.saturation.messages_per_entry},
           {"upkeep_per_s", measurement.upkeep_per_s}}},
         {"frame_bytes", measurement.frame_bytes},
         {"echo_us", measurement.echo_us},
         {"message_time_us", measurement.message_time_us()}});
  }
  std::cout << io::json_text(all) << "\n";
}

}  // namespace

int compare_network(const CompareNetwork& options) {
  const std::vector<const sim::Entry*> entries = chosen(options.algorithms);
  for (const std::int64_t size : options.sizes) {
    if (size >= 2 && size <= most_processes) continue;
    throw UsageError("--network compares groups of 2 to " + std::to_string(most_processes) +
                     " processes on this machine");
  }
  std::vector<Row> rows;
  bool agrees = true;
  {
    ProgressLine line;
    for (const std::int64_t size : options.sizes) {
      for (const sim::Entry* entry : entries) {
        line.show("measuring " + std::string(entry->info().name) + ", N = " + std::to_string(size));
        rows.push_back(measured(*entry, static_cast<std::uint32_t>(size), options));
        agrees = agrees && rows.back().differences() == 0;
      }
    }
  }
  options.json ? print_json(rows) : Report(rows, options.ascii).print();
  return agrees ? exit_ok : exit_violation;
}

}  // namespace baton::cli
