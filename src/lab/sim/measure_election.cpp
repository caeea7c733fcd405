#include "lab/sim/measure_election.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/sim/plan.h"
#include "lab/sim/random.h"

namespace baton::sim {

namespace {

constexpr std::uint64_t batches = 40;
constexpr std::uint64_t runs_per_batch = 50;
// Student's t for 39 degrees of freedom, two-sided 99.9 %.
constexpr double student_t = 3.558;

class RandomChooser : public Chooser {
 public:
  explicit RandomChooser(std::uint64_t seed) : random_(seed, 5) {}
  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(random_.below(bound));
  }

 private:
  Random random_;
};

ElectionCase arranged(const ElectionCost& cost, const Setup& setup, std::uint64_t seed) {
  ElectionCase the_case{setup, {}, {}};
  RandomChooser chooser(seed);
  cost.arrange(the_case, chooser);
  return the_case;
}

Plan plan_of(const ElectionCase& the_case, std::uint64_t seed) {
  Plan plan;
  plan.setup = the_case.setup;
  plan.seed = seed;
  plan.faults.absent = the_case.down;
  plan.workload.kind = Workload::Kind::one;
  plan.workload.first = the_case.initiators.front();
  for (std::size_t i = 1; i < the_case.initiators.size(); ++i) {
    plan.workload.also.emplace_back(Ticks{0}, the_case.initiators[i]);
  }
  return plan;
}

// An election that failed has no cost to compare.
double counted(const Report& report, std::string_view type, Promises promises) {
  if (report.broken(promises) != nullptr) return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t sum = 0;
  for (const MessageType& one : report.by_type) {
    if (type.empty() || one.name == type) sum += one.count - one.returned;
  }
  return static_cast<double>(sum);
}

class Bench {
 public:
  Bench(const Entry& entry, const Setup& setup, std::uint64_t seed)
      : entry_(&entry), setup_(&setup), seed_(seed) {}

  ElectionMeasurement measure(const ElectionCost& cost) {
    const Expected expected = cost.value(arranged(cost, *setup_, first_seed()));
    if (expected.is_mean) return mean_of_many(cost, expected);
    return {&cost, expected, of_run(cost, first_seed()), 0};
  }

 private:
  std::uint64_t first_seed() const { return seed_ * batches * runs_per_batch; }

  double of_run(const ElectionCost& cost, std::uint64_t seed) {
    const Info& info = entry_->info();
    const Report report = entry_->run(plan_of(arranged(cost, *setup_, seed), seed), nullptr);
    return counted(report, cost.type, info.promises);
  }

  ElectionMeasurement mean_of_many(const ElectionCost& cost, const Expected& expected) {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t batch = 0; batch < batches; ++batch) {
      double in_batch = 0;
      for (std::uint64_t i = 0; i < runs_per_batch; ++i) {
        in_batch += of_run(cost, first_seed() + batch * runs_per_batch + i);
      }
      const double mean = in_batch / runs_per_batch;
      sum += mean;
      squares += mean * mean;
    }
    const double variance = std::max(0.0, (squares - sum * sum / batches) / (batches - 1));
    return {&cost, expected, sum / batches, student_t * std::sqrt(variance / batches)};
  }

  const Entry* entry_;
  const Setup* setup_;
  std::uint64_t seed_;
};

}  // namespace

bool ElectionMeasurement::agrees() const {
  // A cost that is the same in every run has no width, but its mean is rounded.
  constexpr double rounding = 1e-9;
  const double slack = std::max(half_width, rounding);
  return value >= expected.low - slack && value <= expected.high + slack;
}

std::vector<ElectionMeasurement> measure_election(const Entry& entry, const Setup& setup,
                                                  std::uint64_t seed) {
  Bench bench(entry, setup, seed);
  std::vector<ElectionMeasurement> all;
  for (const ElectionCost& cost : entry.info().election_costs) {
    all.push_back(bench.measure(cost));
  }
  return all;
}

}  // namespace baton::sim
