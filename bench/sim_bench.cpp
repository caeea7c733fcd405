// How fast the simulator delivers messages, with all oracles on and no trace.
#include <benchmark/benchmark.h>

#include "lab/sim/catalog.h"

namespace baton::sim {
namespace {

// `tools/bench` compares this one with the same scenario on other event cores (bench/peers/).
void run_ricart_agrawala(benchmark::State& state, Delay::Kind delay) {
  Plan plan;
  plan.setup = default_setup(10);
  plan.delay.kind = delay;
  // The peers' channels do not restore the order of messages either.
  plan.faults.reordering = delay != Delay::Kind::constant;
  plan.workload.kind = Workload::Kind::saturated;
  plan.workload.entries = 200'000;
  const Entry* entry = find("ricart-agrawala");
  double deliveries = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Report report = entry->run(plan, nullptr);
    if (!report.violations.empty() || report.entries != plan.workload.entries) {
      state.SkipWithError("the run broke a promise");
      return;
    }
    deliveries += static_cast<double>(report.deliveries);
  }
  state.counters["deliveries_per_s"] = benchmark::Counter(deliveries, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(run_ricart_agrawala, constant, Delay::Kind::constant)
    ->Name("SimRicartAgrawala10/constant")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_ricart_agrawala, exponential, Delay::Kind::exponential)
    ->Name("SimRicartAgrawala10/exponential")
    ->Unit(benchmark::kMillisecond);

// Every process of a million enters once.
void run_million(benchmark::State& state, const char* name) {
  Plan plan;
  plan.setup = default_setup(1'000'000);
  const Entry* entry = find(name);
  double deliveries = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Report report = entry->run(plan, nullptr);
    if (report.entries != plan.setup.size) state.SkipWithError("not everyone entered");
    deliveries += static_cast<double>(report.deliveries);
  }
  state.counters["deliveries_per_s"] = benchmark::Counter(deliveries, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(run_million, central, "central")
    ->Name("SimMillion/central")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(run_million, token_ring, "token-ring")
    ->Name("SimMillion/token-ring")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(run_million, raymond, "raymond")
    ->Name("SimMillion/raymond")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(run_million, naimi_trehel, "naimi-trehel")
    ->Name("SimMillion/naimi-trehel")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

// A thousand of a million contend, each for the votes of about 2,000.
void run_million_voters(benchmark::State& state) {
  Plan plan;
  plan.setup = default_setup(1'000'000);
  plan.setup.voting = grid_voting_sets(plan.setup.size);
  plan.workload.requesters = 1000;
  double deliveries = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Report report = find("maekawa-sanders")->run(plan, nullptr);
    if (report.entries != 1000) state.SkipWithError("not everyone entered");
    deliveries += static_cast<double>(report.deliveries);
  }
  state.counters["deliveries_per_s"] = benchmark::Counter(deliveries, benchmark::Counter::kIsRate);
}
BENCHMARK(run_million_voters)
    ->Name("SimMillion/maekawa-sanders")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace baton::sim
