#include "lab/sim/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace baton::sim {

namespace {

// Random turns to measure an average: enough for a confidence interval of about one per cent, in
// batches whose means are nearly independent. A cost that is the same every time needs only a few.
constexpr std::uint64_t batches = 40;
constexpr std::uint64_t turns_per_batch = 2500;
constexpr std::uint64_t turns_per_batch_if_exact = 10;
// Student's t for 39 degrees of freedom, two-sided 99.9 %.
constexpr double student_t = 3.558;

class Bench {
 public:
  Bench(const Entry& entry, const Setup& setup, std::uint64_t seed)
      : entry_(&entry), info_(&entry.info()), setup_(&setup), seed_(seed) {
    before_ = setup.size > 2 ? NodeId{1} : NodeId{0};
    requester_ = {setup.size - 1};
  }

  std::vector<Measurement> all() {
    alone();
    again();
    handover();
    everyone();
    const auto stated = [&](Scenario scenario) {
      return std::any_of(info_->costs.begin(), info_->costs.end(),
                         [&](const Cost& cost) { return cost.scenario == scenario; });
    };
    if (info_->perpetual || stated(Scenario::saturated)) saturated();
    if (stated(Scenario::sequential)) sequential();
    // A stated cost that could not be measured, because the run failed, agrees with nothing.
    for (const Cost& cost : info_->costs) {
      if (find(found_, cost.scenario, cost.metric) == nullptr) {
        note(cost.scenario, cost.metric, std::numeric_limits<double>::quiet_NaN());
      }
    }
    return std::move(found_);
  }

 private:
  Plan plan(Workload workload) const {
    Plan plan;
    plan.setup = *setup_;
    plan.seed = seed_;
    plan.workload = std::move(workload);
    return plan;
  }

  void note(Scenario scenario, Metric metric, double value, double half_width = 0) {
    Measurement measurement{scenario, metric, value, half_width, "", std::nullopt};
    const Case the_case{*setup_, before_, requester_};
    for (const Cost& cost : info_->costs) {
      if (cost.scenario == scenario && cost.metric == metric) {
        measurement.formula = cost.formula;
        measurement.expected = cost.value(the_case);
      }
    }
    found_.push_back(measurement);
  }

  void note_turn(Scenario scenario, const Turn& turn) {
    // A token that circulates while nobody asks belongs to no entry.
    if (!info_->perpetual) {
      const auto enter = static_cast<double>(turn.messages_enter);
      const auto exit = static_cast<double>(turn.messages_exit);
      note(scenario, Metric::messages, enter + exit);
      note(scenario, Metric::enter, enter);
      note(scenario, Metric::exit, exit);
      note(scenario, Metric::multicast, static_cast<double>(turn.transmissions));
    }
    note(scenario, Metric::delay, turn.waited);
  }

  void alone() {
    const Report report =
        entry_->run(plan({.kind = Workload::Kind::turns, .order = {before_, requester_}}), nullptr);
    if (report.turns.size() == 2) note_turn(Scenario::alone, report.turns[1]);
  }

  void again() {
    const Report report = entry_->run(
        plan({.kind = Workload::Kind::turns, .order = {requester_, requester_}}), nullptr);
    if (report.turns.size() == 2) note_turn(Scenario::again, report.turns[1]);
  }

  void handover() {
    // Long enough for any algorithm to let `before` in, and for the request to reach everyone.
    const Ticks settled = (4 * std::int64_t{setup_->size} + 20) * message_time;
    Plan two =
        plan({.kind = Workload::Kind::one, .first = before_, .also = {{settled, requester_}}});
    two.critical_section = 2 * settled;
    const Report report = entry_->run(two, nullptr);
    if (report.sync_delay.count == 1) {
      note(Scenario::handover, Metric::delay, report.sync_delay.mean());
    }
  }

  void everyone() {
    const Report report = entry_->run(plan({.kind = Workload::Kind::everyone}), nullptr);
    if (report.entries < setup_->size) return;
    note(Scenario::everyone, Metric::messages, report.per_entry(report.messages()));
    note(Scenario::everyone, Metric::enter, report.per_entry(report.messages_enter));
    note(Scenario::everyone, Metric::exit, report.per_entry(report.messages_exit));
    note(Scenario::everyone, Metric::multicast, report.per_entry(report.transmissions));
  }

  void saturated() {
    const std::uint64_t size = setup_->size;
    const Report report = entry_->run(
        plan({.kind = Workload::Kind::saturated, .entries = 10 * size, .count_from = 2 * size}),
        nullptr);
    const Steady& steady = report.steady;
    if (steady.entries == 0) return;
    const auto entries = static_cast<double>(steady.entries);
    const double enter = static_cast<double>(steady.messages_enter) / entries;
    const double exit = static_cast<double>(steady.messages_exit) / entries;
    note(Scenario::saturated, Metric::messages, enter + exit);
    note(Scenario::saturated, Metric::enter, enter);
    note(Scenario::saturated, Metric::exit, exit);
  }

  void sequential() {
    const Case the_case{*setup_, before_, requester_};
    const bool random =
        std::any_of(info_->costs.begin(), info_->costs.end(), [&](const Cost& cost) {
          return cost.scenario == Scenario::sequential && cost.value(the_case).is_mean;
        });
    const std::uint64_t per_batch = random ? turns_per_batch : turns_per_batch_if_exact;
    const std::uint64_t warm_up = 20 * std::uint64_t{setup_->size};
    const std::uint64_t turns = warm_up + batches * per_batch;
    const Report report =
        entry_->run(plan({.kind = Workload::Kind::turns, .entries = turns}), nullptr);
    if (report.turns.size() != turns) return;
    const auto average = [&](Metric metric, auto value_of) {
      Summary means;
      double squares = 0;
      for (std::uint64_t batch = 0; batch < batches; ++batch) {
        double sum = 0;
        for (std::uint64_t i = 0; i < per_batch; ++i) {
          sum += value_of(report.turns[warm_up + batch * per_batch + i]);
        }
        const double mean = sum / static_cast<double>(per_batch);
        means.add(mean);
        squares += mean * mean;
      }
      const double variance =
          std::max(0.0, (squares - means.sum * means.sum / batches) / (batches - 1));
      note(Scenario::sequential, metric, means.mean(), student_t * std::sqrt(variance / batches));
    };
    if (!info_->perpetual) {
      average(Metric::messages, [](const Turn& turn) {
        return static_cast<double>(turn.messages_enter + turn.messages_exit);
      });
    }
    average(Metric::delay, [](const Turn& turn) { return turn.waited; });
  }

  const Entry* entry_;
  const Info* info_;
  const Setup* setup_;
  std::uint64_t seed_;
  NodeId before_;
  NodeId requester_;
  std::vector<Measurement> found_;
};

}  // namespace

bool Measurement::agrees() const {
  if (!expected) return true;
  const double slack = expected->is_mean ? half_width : 1e-9;
  return value >= expected->low - slack && value <= expected->high + slack;
}

std::vector<Measurement> measure(const Entry& entry, const Setup& setup, std::uint64_t seed) {
  return Bench(entry, setup, seed).all();
}

const Measurement* find(const std::vector<Measurement>& all, Scenario scenario, Metric metric) {
  for (const Measurement& one : all) {
    if (one.scenario == scenario && one.metric == metric) return &one;
  }
  return nullptr;
}

std::string_view name_of(Scenario scenario) {
  static constexpr std::array<std::string_view, 6> names{"alone",    "again",     "handover",
                                                         "everyone", "saturated", "sequential"};
  return names[static_cast<std::size_t>(scenario)];
}

std::string_view name_of(Metric metric) {
  static constexpr std::array<std::string_view, 5> names{"messages", "enter", "exit", "multicast",
                                                         "delay"};
  return names[static_cast<std::size_t>(metric)];
}

}  // namespace baton::sim
