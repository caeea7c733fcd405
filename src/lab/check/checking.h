// Checks one instance of one model: first all safety properties in one search, then, in the graph
// of all states, whether everything that must end does end.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/check/aim.h"
#include "lab/check/explore.h"
#include "lab/check/liveness.h"
#include "lab/check/report.h"

namespace baton::check {

// A model with the functions that describe its findings.
template <class M>
struct Subject {
  std::function<std::unique_ptr<M>()> model;
  std::function<std::unique_ptr<M>()> live_model;  // for the liveness search
  std::vector<Aim> aims;
  // Says in a sentence that the property is broken.
  std::function<std::string(std::size_t property)> describe;
  // Adds the run through these states to the finding.
  std::function<void(const M&, const std::vector<typename M::State>&, Finding&)> tell;
};

// True if the model knows what must come to an end.
template <class M>
concept HasPending = requires(typename M::Worker& worker, const typename M::State& state) {
  worker.pending(state);
};

template <class M>
class Checking {
 public:
  Checking(Subject<M> subject, const CheckOptions& options)
      : subject_(std::move(subject)), options_(options) {}

  Report run() {
    judge_safety();
    if constexpr (HasPending<M>) {
      if (!options_.liveness || subject_.aims.empty()) return std::move(report_);
      const bool go_on = options_.every || report_.broken() == nullptr;
      if (go_on && report_.safety.stop == Stop::none) {
        judge_liveness();
      } else {
        leave_undecided();
      }
    }
    return std::move(report_);
  }

 private:
  using Explorer = check::Explorer<M>;
  using State = typename M::State;
  using Moment = std::chrono::steady_clock::time_point;

  static double since(Moment began) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  static Search searched(const Explorer& explorer, Moment began) {
    return {explorer.stop(),     explorer.distinct(), explorer.generated(), explorer.depth(),
            explorer.frontier(), explorer.memory(),   since(began)};
  }

  void judge_safety() {
    const Moment began = std::chrono::steady_clock::now();
    auto model = subject_.model();
    const std::vector<Property> properties = model->properties();
    PropertySet named = 0;
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if (!properties[i].name.empty()) named |= PropertySet{1} << i;
    }
    ExploreOptions options = options_.explore;
    options.stop_at = options_.every ? 0 : named;
    auto explorer = std::make_unique<Explorer>(*model, options);
    explorer->run();
    report_.fingerprints = options.fingerprints;
    if ((explorer->violated() & named) != 0 && (threads_of(options) > 1 || options.fingerprints)) {
      // Searches again with one thread, so that the same run is shown every time.
      options.threads = 1;
      options.fingerprints = false;
      explorer.reset();
      model = subject_.model();
      explorer = std::make_unique<Explorer>(*model, options);
      explorer->run();
    }
    report_.safety = searched(*explorer, began);
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if ((named >> i & 1) != 0) judge(properties[i], i, *model, *explorer);
    }
  }

  void judge(const Property& property, std::size_t i, const M& model, const Explorer& explorer) {
    Finding finding{.property = property.name};
    const bool exhausted = explorer.stop() == Stop::none;
    const bool seen = ((explorer.violated() | explorer.shown()) >> i & 1) != 0;
    if (property.kind == Property::Kind::sometimes) {
      if (seen) finding.verdict = Finding::Verdict::holds;
      if (!seen && exhausted) {
        finding.verdict = Finding::Verdict::broken;
        finding.what = "it never happens";
      }
    } else if (seen) {
      finding.verdict = Finding::Verdict::broken;
      finding.what = subject_.describe(i);
      const auto way = explorer.way_to(explorer.violation_of(i));
      subject_.tell(model, states(model, explorer, way), finding);
    } else if (exhausted) {
      finding.verdict = Finding::Verdict::holds;
    }
    note(std::move(finding));
  }

  void judge_liveness() {
    const Moment began = std::chrono::steady_clock::now();
    const auto model = subject_.live_model();
    ExploreOptions options = options_.explore;
    options.fingerprints = false;
    Explorer explorer(*model, options);
    explorer.run();
    report_.liveness = searched(explorer, began);
    const std::uint64_t needed = StateGraph::memory_for(explorer.distinct(), explorer.generated());
    if (explorer.stop() == Stop::none && explorer.memory() + needed > options.memory) {
      report_.liveness->stop = Stop::memory;
    }
    if (report_.liveness->stop != Stop::none) {
      leave_undecided();
      return;
    }
    const StateGraph graph(*model, explorer, threads_of(options));
    report_.liveness->memory += graph.memory();
    bool by_chance = false;
    if constexpr (requires { model->chooses(); }) by_chance = model->chooses();
    for (const Aim& aim : subject_.aims) {
      Finding finding{.property = aim.name, .verdict = Finding::Verdict::holds};
      if (const auto lasso = aim.missed_in(graph, by_chance)) {
        std::vector<StateStore::Number> way = lasso->way;
        way.insert(way.end(), lasso->loop.begin(), lasso->loop.end());
        finding.verdict = Finding::Verdict::broken;
        finding.what = aim.what;
        subject_.tell(*model, states(*model, explorer, way), finding);
        if (!lasso->loop.empty()) finding.loop = lasso->way.size() - 1;
      }
      note(std::move(finding));
    }
    report_.liveness->seconds = since(began);
  }

  void leave_undecided() {
    for (const Aim& aim : subject_.aims) note({.property = aim.name});
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

  // Merges findings of one name, such as one per process: a broken one stands for all.
  void note(Finding finding) {
    for (Finding& known : report_.findings) {
      if (known.property != finding.property) continue;
      if (known.verdict != Finding::Verdict::broken) known = std::move(finding);
      return;
    }
    report_.findings.push_back(std::move(finding));
  }

  Subject<M> subject_;
  const CheckOptions& options_;
  Report report_;
};

}  // namespace baton::check
