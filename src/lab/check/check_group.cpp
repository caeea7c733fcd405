#include "lab/check/check_group.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "lab/check/checking.h"
#include "lab/check/group_worker.h"

namespace baton::check {

namespace {

// Returns the steps of a run through states like these, one after the other. The search keeps one
// representative of many like states, and the protocol itself need not reach exactly that one. So
// this function runs the protocol again.
std::vector<ScheduledStep> steps_through(const GroupModel& model,
                                         const std::vector<GroupModel::State>& states) {
  using State = GroupModel::State;
  GroupModel::Worker worker(model);
  const auto is_like = [&](State state, const State& other) {
    worker.normalize(state);
    std::uint8_t a[GroupModel::most_bytes];
    std::uint8_t b[GroupModel::most_bytes];
    const std::size_t size = worker.encode(state, a);
    return worker.encode(other, b) == size && std::equal(a, a + size, b);
  };
  std::vector<ScheduledStep> steps;
  State at;
  std::vector<std::uint32_t> chosen_first;
  bool begun = false;
  worker.each_initial([&](const State& state) {
    if (begun || !is_like(state, states.front())) return;
    begun = true;
    at = state;
    chosen_first = worker.choices();
  });
  for (std::size_t i = 1; i < states.size(); ++i) {
    bool found = false;
    State next;
    worker.each_step(at, [&](const GroupModel::Step& step, const State& after) {
      if (found || !is_like(after, states[i])) return;
      found = true;
      next = after;
      steps.push_back(worker.told(step));
      if (is_taken_by_protocol(step.kind)) steps.back().choices = worker.choices();
    });
    at = next;
  }
  // Counts what protocols choose at their start as choices of the first step.
  if (!steps.empty()) {
    auto& choices = steps.front().choices;
    choices.insert(choices.begin(), chosen_first.begin(), chosen_first.end());
  }
  return steps;
}

}  // namespace

Report check_group(const ProtocolClass& of, const Bounds& bounds, const CheckOptions& options) {
  Bounds live = bounds;
  // Fairness counts per channel: an envelope that others may overtake for ever needs FIFO. If the
  // instance leaves out the order that an algorithm needs, the check only asks whether a way out
  // exists.
  live.fifo = bounds.fifo || !of.info(bounds.setup).assumes.has(Assumption::fifo);
  live.order = false;
  live.reductions.symmetry = false;
  live.reductions.partial_order = false;
  const GroupModel first(of, bounds);
  Subject<GroupModel> subject;
  subject.model = [&] { return std::make_unique<GroupModel>(of, bounds); };
  subject.live_model = [&] { return std::make_unique<GroupModel>(of, live); };
  subject.aims = first.application().aims(options.demands);
  if (!live.fifo) {
    std::erase_if(subject.aims, [](const Aim& aim) { return aim.kind != Aim::Kind::way_out; });
  }
  subject.describe = [&](std::size_t property) { return first.application().describe(property); };
  subject.tell = [](const GroupModel& model, const std::vector<GroupModel::State>& states,
                    Finding& finding) { finding.steps = steps_through(model, states); };
  return Checking<GroupModel>(std::move(subject), options).run();
}

}  // namespace baton::check
