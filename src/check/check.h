// Checks one instance of one protocol: all its safety properties in one search, then what must come
// to an end in the graph of all states.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/aim.h"
#include "check/election_application.h"
#include "check/explore.h"
#include "check/group_model.h"
#include "check/liveness.h"
#include "check/lock_application.h"
#include "check/observation_application.h"
#include "check/report.h"

namespace baton::check {

template <class P>
auto application_of() {
  if constexpr (ElectionProtocol<P>) {
    return ElectionApplication<P>{};
  } else if constexpr (ObservationProtocol<P>) {
    return ObservationApplication<P>{};
  } else {
    return LockApplication<P>{};
  }
}
template <class P>
using ApplicationOf = decltype(application_of<P>());

// The steps of a run that passes through states like these, one after the other. What stands for
// many states in a search is not always what the protocol itself comes to, so it is run again.
template <class P, class A>
std::vector<ScheduledStep> steps_through(
    const GroupModel<P, A>& model, const std::vector<typename GroupModel<P, A>::State>& states) {
  using M = GroupModel<P, A>;
  typename M::Worker worker(model);
  const auto is_like = [&](typename M::State state, const typename M::State& other) {
    worker.normalize(state);
    std::uint8_t a[M::most_bytes];
    std::uint8_t b[M::most_bytes];
    const std::size_t size = worker.encode(state, a);
    return worker.encode(other, b) == size && std::equal(a, a + size, b);
  };
  std::vector<ScheduledStep> steps;
  typename M::State at;
  std::vector<std::uint32_t> chosen_first;
  bool begun = false;
  worker.each_initial([&](const typename M::State& state) {
    if (begun || !is_like(state, states.front())) return;
    begun = true;
    at = state;
    chosen_first = worker.choices();
  });
  for (std::size_t i = 1; i < states.size(); ++i) {
    bool found = false;
    typename M::State next;
    worker.each_step(at, [&](const typename M::Step& step, const typename M::State& after) {
      if (found || !is_like(after, states[i])) return;
      found = true;
      next = after;
      steps.push_back(worker.told(step));
      if (is_taken_by_protocol(step.kind)) steps.back().choices = worker.choices();
    });
    at = next;
  }
  // What protocols choose as they start counts as chosen in the first step.
  if (!steps.empty()) {
    auto& choices = steps.front().choices;
    choices.insert(choices.begin(), chosen_first.begin(), chosen_first.end());
  }
  return steps;
}

template <class M>
class Checking {
 public:
  Checking(const Info& info, const Bounds& bounds, const CheckOptions& options)
      : info_(info), bounds_(bounds), options_(options) {}

  template <class P, class A>
  Report run() {
    judge_safety<P, A>();
    const bool go_on = options_.every || report_.broken() == nullptr;
    const std::vector<Aim> aims = A::aims(info_, bounds_, options_.demands);
    if (options_.liveness && !aims.empty()) {
      if (go_on && report_.safety.stop == Stop::none) {
        judge_liveness<P, A>(aims);
      } else {
        for (const Aim& aim : aims) note({aim.name, Finding::Verdict::undecided, {}, {}});
      }
    }
    return std::move(report_);
  }

 private:
  using Explorer = check::Explorer<M>;
  using State = typename M::State;

  static Search searched(const Explorer& explorer,
                         std::chrono::steady_clock::time_point began) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return {explorer.stop(),     explorer.distinct(), explorer.generated(), explorer.depth(),
            explorer.frontier(), explorer.memory(),   took.count()};
  }

  template <class P, class A>
  void judge_safety() {
    const auto began = std::chrono::steady_clock::now();
    auto model = std::make_unique<M>(bounds_);
    PropertySet named = 0;
    const std::vector<Property> properties = model->properties();
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if (!properties[i].name.empty()) named |= PropertySet{1} << i;
    }
    ExploreOptions options = options_.explore;
    options.stop_at = options_.every ? 0 : named;
    auto explorer = std::make_unique<Explorer>(*model, options);
    explorer->run();
    if ((explorer->violated() & named) != 0 &&
        (threads_of(options) > 1 || options.fingerprints)) {
      // Once more, alone, so that the run that is shown is always the same.
      options.threads = 1;
      options.fingerprints = false;
      auto again = std::make_unique<M>(bounds_);
      explorer = std::make_unique<Explorer>(*again, options);
      model = std::move(again);
      explorer->run();
    }
    report_.safety = searched(*explorer, began);
    report_.fingerprints = options.fingerprints;
    for (std::size_t i = 0; i < properties.size(); ++i) {
      const Property& property = properties[i];
      if ((named >> i & 1) == 0) continue;
      Finding finding{property.name, Finding::Verdict::undecided, {}, {}};
      const bool seen = ((explorer->violated() | explorer->shown()) >> i & 1) != 0;
      if (property.kind == Property::Kind::sometimes) {
        if (seen) finding.verdict = Finding::Verdict::holds;
        if (!seen && explorer->stop() == Stop::none) {
          finding.verdict = Finding::Verdict::broken;
          finding.what = "it never happens";
        }
      } else if (seen) {
        finding.verdict = Finding::Verdict::broken;
        const auto way = explorer->way_to(explorer->violation_of(i));
        finding.steps = steps_through<P, A>(*model, states(*model, *explorer, way));
        finding.what = A::describe(i);
      } else if (explorer->stop() == Stop::none) {
        finding.verdict = Finding::Verdict::holds;
      }
      note(std::move(finding));
    }
  }

  template <class P, class A>
  void judge_liveness(const std::vector<Aim>& aims) {
    const auto began = std::chrono::steady_clock::now();
    Bounds bounds = bounds_;
    bounds.fifo = true;
    bounds.order = false;
    bounds.reductions.symmetry = false;
    bounds.reductions.partial_order = false;
    const M model(bounds);
    ExploreOptions options = options_.explore;
    options.fingerprints = false;
    Explorer explorer(model, options);
    explorer.run();
    report_.liveness = searched(explorer, began);
    if (explorer.stop() != Stop::none) {
      for (const Aim& aim : aims) note({aim.name, Finding::Verdict::undecided, {}, {}});
      return;
    }
    const StateGraph graph(model, explorer, threads_of(options));
    report_.liveness->memory += graph.memory();
    for (const Aim& aim : aims) {
      Finding finding{aim.name, Finding::Verdict::holds, {}, {}};
      if (const auto lasso = aim.missed_in(graph, model.chooses())) {
        std::vector<StateStore::Number> way = lasso->way;
        way.insert(way.end(), lasso->loop.begin(), lasso->loop.end());
        finding.verdict = Finding::Verdict::broken;
        finding.what = aim.what;
        finding.steps = steps_through<P, A>(model, states(model, explorer, way));
        if (!lasso->loop.empty()) finding.loop = lasso->way.size() - 1;
      }
      note(std::move(finding));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    report_.liveness->seconds = took.count();
  }

  std::vector<State> states(const M& model, const Explorer& explorer,
                            const std::vector<StateStore::Number>& numbers) const {
    typename M::Worker worker(model);
    std::vector<State> all;
    for (const StateStore::Number number : numbers) {
      const auto bytes = explorer.store().bytes_of(number);
      worker.decode(bytes.data(), bytes.size(), all.emplace_back());
    }
    return all;
  }

  // Of several findings of one name, such as one per process, a broken one stands for all.
  void note(Finding finding) {
    for (Finding& known : report_.findings) {
      if (known.property != finding.property) continue;
      if (known.verdict != Finding::Verdict::broken) known = std::move(finding);
      return;
    }
    report_.findings.push_back(std::move(finding));
  }

  const Info& info_;
  const Bounds& bounds_;
  const CheckOptions& options_;
  Report report_;
};

template <class P>
Report check(const Bounds& bounds, const CheckOptions& options) {
  using A = ApplicationOf<P>;
  return Checking<GroupModel<P, A>>(P::info(), bounds, options).template run<P, A>();
}

}  // namespace baton::check
