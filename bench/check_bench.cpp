// How fast the model checker finds states, on one core and on two.
#include <benchmark/benchmark.h>

#include "algorithms/mutex/ricart_agrawala.h"
#include "lab/check/explore.h"
#include "lab/check/group_worker.h"
#include "lab/check/protocol_class.h"
#include "lab/check/published/lamport_mutex.h"

namespace baton::check {
namespace {

template <class MakeModel>
void run_search(benchmark::State& state, std::uint64_t expected, MakeModel make_model) {
  ExploreOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  double states = 0;
  double bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto model = make_model();
    const auto found = explore(*model, options);
    if (!found.exhausted || found.violated != 0 || found.distinct != expected) {
      state.SkipWithError("the search did not find what it should");
      return;
    }
    states += static_cast<double>(found.distinct);
    bytes = static_cast<double>(found.memory) / static_cast<double>(found.distinct);
  }
  state.counters["states_per_s"] = benchmark::Counter(states, benchmark::Counter::kIsRate);
  state.counters["bytes_per_state"] = bytes;
}

// The specification of tlaplus/Examples in its published size.
void search_lamport_mutex(benchmark::State& state) {
  run_search(state, 724'274, [] { return std::make_unique<published::LamportMutex>(3, 6); });
}
BENCHMARK(search_lamport_mutex)
    ->Name("CheckLamportMutex")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// `tools/bench` compares this one with SPIN, which searches the same states (bench/peers/run_spin).
// Neither reduces anything.
void search_ricart_agrawala(benchmark::State& state) {
  Bounds bounds;
  bounds.setup = default_setup(3);
  bounds.requests = 5;
  bounds.reductions = {.canonical = false, .symmetry = false, .partial_order = false};
  run_search(state, 1'617'727,
             [&] { return std::make_unique<GroupModel>(class_of<RicartAgrawala>(), bounds); });
}
BENCHMARK(search_ricart_agrawala)
    ->Name("CheckRicartAgrawala3")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace baton::check
