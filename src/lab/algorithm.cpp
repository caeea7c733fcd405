#include "lab/algorithm.h"

#include "lab/check/defaults.h"
#include "lab/sim/measure.h"
#include "lab/sim/measure_election.h"

namespace baton::lab {

namespace {

// Stops loudly if info() contradicts itself, before anybody relies on it.
void examine(const Info& info, Kind kind) {
  const std::string name(info.name);
  if (name.empty()) throw std::logic_error("info() has no name");
  if (info.kind != kind) {
    throw std::logic_error(name + ": info().kind is not that of the class, whose Event makes it " +
                           (kind == Kind::election ? "an election" : "a lock"));
  }
  for (const Parameter* parameter : info.parameters) {
    if (parameter == nullptr || parameter->name.empty()) {
      throw std::logic_error(name + ": info() lists a parameter without a name");
    }
    if (parameter->usual == nullptr) {
      throw std::logic_error(name + ": --" + std::string(parameter->name) +
                             " has no usual value, such as .usual = baton::always<1>");
    }
  }
  for (const Cost& cost : info.costs) {
    if (cost.value == nullptr) throw std::logic_error(name + ": a cost has no value");
  }
  for (const ElectionCost& cost : info.election_costs) {
    if (cost.arrange == nullptr || cost.value == nullptr) {
      throw std::logic_error(name + ": a cost of an election has no value, or no situation");
    }
  }
}

void choose(Setup& setup, const Info& info, const Parameters& parameters) {
  for (const auto& [name, value] : parameters) {
    const std::string wrong = choose_parameter(setup, info, name, value);
    if (!wrong.empty()) throw Refused(wrong);
  }
}

void refuse_wrong(const Setup& setup, const Info& info) {
  if (setup.size < 2) {
    throw Refused("a group has at least 2 processes, not " + std::to_string(setup.size));
  }
  const std::string wrong = objection_to_parameters(setup, info);
  if (!wrong.empty()) throw Refused(wrong);
}

Measured of(const sim::Measurement& one) {
  return {std::string(sim::name_of(one.scenario)),
          std::string(sim::name_of(one.metric)),
          std::string(one.formula),
          one.expected,
          one.value,
          one.half_width,
          one.agrees()};
}

Measured of(const sim::ElectionMeasurement& one) {
  const ElectionCost& cost = *one.cost;
  return {std::string(cost.situation),
          cost.type.empty() ? "messages" : std::string(cost.type),
          std::string(cost.formula),
          one.expected,
          one.value,
          one.half_width,
          one.agrees()};
}

}  // namespace

Algorithm::Algorithm(Kind kind, sim::Entry simulated, check::Entry checked)
    : simulated_(simulated), checked_(checked) {
  examine(info(), kind);
}

Setup Algorithm::setup(std::uint32_t size, const Parameters& parameters) const {
  if (size < 2) throw Refused("a group has at least 2 processes, not " + std::to_string(size));
  Setup setup = default_setup(size);
  choose(setup, info(), parameters);
  refuse_wrong(setup, info());
  return setup;
}

sim::Report Algorithm::run(const sim::Plan& plan, Trace* trace, Layers layers) const {
  refuse_wrong(plan.setup, info());
  if (const auto wrong = sim::objection(plan, info(layers))) throw Refused(*wrong);
  return simulated_.with(layers).run(plan, trace);
}

std::vector<Measured> Algorithm::measure(const Setup& setup, std::uint64_t seed) const {
  refuse_wrong(setup, info());
  std::vector<Measured> all;
  if (info().kind == Kind::election) {
    for (const auto& one : sim::measure_election(simulated_, setup, seed)) all.push_back(of(one));
  } else {
    for (const auto& one : sim::measure(simulated_, setup, seed)) all.push_back(of(one));
  }
  return all;
}

check::Bounds Algorithm::bounds(std::uint32_t size, const Parameters& parameters,
                                Layers layers) const {
  if (size < 2) throw Refused("a group has at least 2 processes, not " + std::to_string(size));
  if (size > check::most_processes) {
    throw Refused("at most " + std::to_string(check::most_processes) +
                  " processes can be checked, not " + std::to_string(size));
  }
  Setup setup = check::small_setup(size);
  choose(setup, info(), parameters);
  check::Bounds bounds = checked_.with(layers).bounds(setup);
  refuse_wrong(bounds.setup, info());
  return bounds;
}

check::Report Algorithm::check(const check::Bounds& bounds, const check::CheckOptions& options,
                               Layers layers) const {
  refuse_wrong(bounds.setup, info());
  if (bounds.setup.size > check::most_processes) {
    throw Refused("at most " + std::to_string(check::most_processes) +
                  " processes can be checked, not " + std::to_string(bounds.setup.size));
  }
  check::CheckOptions with = options;
  with.demands = with.demands | check::default_demands(info(layers));
  return checked_.with(layers).check(bounds, with);
}

Trace Algorithm::trace_of(const check::Finding& broken, const check::Bounds& bounds,
                          Layers layers) const {
  Schedule schedule;
  schedule.algorithm = info(layers).name;
  schedule.verdict = broken.property + ": " + broken.what;
  schedule.steps = broken.steps;
  schedule.loop = broken.loop;
  return simulated_.with(layers).replay(bounds.setup, {.inside = bounds.inside}, schedule).trace;
}

}  // namespace baton::lab
