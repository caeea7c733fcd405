// What every simulated or checked step is made of: encoding, hashing, sets of processes, and one
// whole entry of a protocol without any host around it.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/mutex/ricart_agrawala.h"
#include "core/node_set.h"
#include "core/outbox.h"
#include "core/reflect.h"
#include "core/setup.h"

namespace baton {
namespace {

class NoChoice final : public Chooser {
 public:
  std::uint32_t choose(std::uint32_t) override { return 0; }
};

// A process that waits for all others, which is the largest state it can have.
RicartAgrawala waiting(const Setup& setup, NodeId self) {
  NoChoice chooser;
  RicartAgrawala::Out out(chooser);
  RicartAgrawala process(self, setup);
  process.request(out);
  for (std::uint32_t i = self.value + 1; i < setup.size; ++i) {
    const Timestamp later{{2}, {i}};
    process.receive({i}, RicartAgrawala::Request{later}, out);
  }
  return process;
}

void EncodeMessage(benchmark::State& state) {
  const RicartAgrawala::Message message = RicartAgrawala::Reply{{{1'000'000}, {7}}, {1'000'001}};
  std::string bytes;
  for (auto _ : state) {
    bytes.clear();
    reflect::encode(message, bytes);
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
}
BENCHMARK(EncodeMessage);

void EncodeState(benchmark::State& state) {
  Setup setup;
  setup.size = static_cast<std::uint32_t>(state.range(0));
  const RicartAgrawala process = waiting(setup, {0});
  std::string bytes;
  for (auto _ : state) {
    bytes.clear();
    reflect::encode(process.state(), bytes);
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
}
BENCHMARK(EncodeState)->Arg(3)->Arg(10)->Arg(100);

void HashState(benchmark::State& state) {
  Setup setup;
  setup.size = static_cast<std::uint32_t>(state.range(0));
  const RicartAgrawala process = waiting(setup, {0});
  for (auto _ : state) benchmark::DoNotOptimize(reflect::hash(process.state()));
}
BENCHMARK(HashState)->Arg(3)->Arg(10)->Arg(100);

void CopyProcess(benchmark::State& state) {
  Setup setup;
  setup.size = static_cast<std::uint32_t>(state.range(0));
  const RicartAgrawala process = waiting(setup, {0});
  for (auto _ : state) {
    RicartAgrawala copy = process;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(CopyProcess)->Arg(3)->Arg(10)->Arg(100);

// A set that is filled with all others and emptied one by one, as by incoming replies.
void NodeSetFillAndDrain(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    NodeSet set = NodeSet::all_but({0}, size);
    for (std::uint32_t i = 1; i < size; ++i) {
      set.erase({i});
      benchmark::DoNotOptimize(set.empty());
    }
  }
  state.SetItemsProcessed(state.iterations() * (size - 1));
}
BENCHMARK(NodeSetFillAndDrain)->Arg(10)->Arg(64)->Arg(1000);

void NodeSetVisit(benchmark::State& state) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  const NodeSet set = NodeSet::all_but({0}, size);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    set.for_each([&](NodeId node) { sum += node.value; });
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * (size - 1));
}
BENCHMARK(NodeSetVisit)->Arg(10)->Arg(64)->Arg(1000);

// One process asks, all reply, it enters and leaves: the protocol's own work, and the floor below
// which no simulator of it can get.
void ProtocolEntry(benchmark::State& state) {
  Setup setup;
  setup.size = static_cast<std::uint32_t>(state.range(0));
  std::vector<RicartAgrawala> group;
  for (std::uint32_t i = 0; i < setup.size; ++i) group.emplace_back(NodeId{i}, setup);
  NoChoice chooser;
  RicartAgrawala::Out asked(chooser);
  RicartAgrawala::Out answered(chooser);
  RicartAgrawala::Out entered(chooser);
  std::int64_t deliveries = 0;
  for (auto _ : state) {
    group[0].request(asked);
    for (const auto& sent : asked.sends()) {
      group[sent.to.value].receive({0}, asked.message(sent), answered);
      group[0].receive(sent.to, answered.message(answered.sends().back()), entered);
      answered.clear();
      deliveries += 2;
    }
    if (entered.events().size() != 1) {
      state.SkipWithError("the process did not get in");
      break;
    }
    group[0].release(entered);
    asked.clear();
    entered.clear();
  }
  state.counters["deliveries_per_s"] =
      benchmark::Counter(static_cast<double>(deliveries), benchmark::Counter::kIsRate);
}
BENCHMARK(ProtocolEntry)->Arg(10)->Arg(100);

}  // namespace
}  // namespace baton
