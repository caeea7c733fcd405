#include "algorithms/shared/catalog.h"

#include "algorithms/shared/bakery_machine.h"
#include "algorithms/shared/bakery_machine_wrong.h"
#include "algorithms/shared/dijkstra_machine.h"

namespace baton {

namespace {

template <SharedMachine M>
CatalogedMachine cataloged() {
  return {M::info, [](const MachineRun& run) { return run_at_random(M(run.processes), run); }};
}

}  // namespace

const std::vector<CatalogedMachine>& shared_machines() {
  static const std::vector<CatalogedMachine> machines{
      cataloged<BakeryMachine>(),
      cataloged<DijkstraMachine>(),
      cataloged<BakeryWithoutChoosing>(),
  };
  return machines;
}

std::optional<MachineReport> run_machine(std::string_view name, const MachineRun& run) {
  for (const CatalogedMachine& machine : shared_machines()) {
    if (machine.info().name == name) return machine.run(run);
  }
  return std::nullopt;
}

}  // namespace baton
