// The shared-memory machines, as the checker knows them.
#include <array>

#include "algorithms/shared/bakery_machine.h"
#include "algorithms/shared/bakery_machine_wrong.h"
#include "algorithms/shared/dijkstra_machine.h"
#include "lab/check/catalog.h"
#include "lab/check/checking.h"
#include "lab/check/machine_model.h"

namespace baton::check {

namespace {

template <SharedMachine M>
std::string describe(std::size_t property) {
  return property == MachineModel<M>::mutual_exclusion
             ? "two processes are inside at the same time"
             : "a process enters before one that had come before it";
}

// The steps from each of these states to the next, in words.
template <SharedMachine M>
void tell(const MachineModel<M>& model, const std::vector<typename MachineModel<M>::State>& states,
          Finding& finding) {
  using Model = MachineModel<M>;
  typename Model::Worker worker(model);
  const auto encoded = [&](const typename Model::State& state) {
    std::array<std::uint8_t, Model::most_bytes> bytes{};
    worker.encode(state, bytes.data());
    return bytes;
  };
  for (std::size_t i = 1; i < states.size(); ++i) {
    bool found = false;
    worker.successors(states[i - 1], [&](const auto& step, const auto& next) {
      if (found || encoded(next) != encoded(states[i])) return;
      found = true;
      finding.told.push_back(model.describe(step));
    });
  }
}

template <SharedMachine M>
std::unique_ptr<MachineModel<M>> limited(const Bounds& bounds) {
  typename M::Options options;
  if constexpr (requires { options.last_ticket; }) {
    options.registers =
        bounds.atomic ? decltype(options.registers)::atomic : decltype(options.registers)::safe;
    options.last_ticket = {bounds.tickets};
  }
  return std::make_unique<MachineModel<M>>(M(bounds.setup.size, options));
}

// Unlimited tickets, by order and small differences: exact over atomic registers, for which the
// differences that matter are known.
template <SharedMachine M>
std::unique_ptr<MachineModel<M>> endless(const Bounds& bounds) {
  typename M::Options options;
  if constexpr (requires { options.last_ticket; }) {
    options.registers = decltype(options.registers)::atomic;
  }
  const std::uint32_t gap = bounds.setup.size + 1;
  return std::make_unique<MachineModel<M>>(endless_machine<M>(bounds.setup.size, gap, options),
                                           MachineBounds{.order = false, .gap = gap});
}

template <SharedMachine M>
Report check_machine(const Bounds& bounds, const CheckOptions& options) {
  Subject<MachineModel<M>> subject;
  subject.model = [&] { return limited<M>(bounds); };
  subject.live_model = [&] { return endless<M>(bounds); };
  subject.aims = lock_aims(M::info(), bounds.setup.size, options.demands);
  subject.describe = &describe<M>;
  subject.tell = &tell<M>;
  return Checking<MachineModel<M>>(std::move(subject), options).run();
}

template <SharedMachine M>
Checkable machine() {
  return {&M::info,
          [](const Setup& setup) {
            Bounds bounds;
            bounds.setup = setup;
            return bounds;
          },
          &check_machine<M>};
}

}  // namespace

std::span<const Checkable> machines() {
  static const std::array all{machine<BakeryMachine>(), machine<DijkstraMachine>(),
                              machine<BakeryWithoutChoosing>()};
  return all;
}

}  // namespace baton::check
