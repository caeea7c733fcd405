#include "algorithms/layer/layers.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace baton {

namespace {

template <class Enum>
Flags<Enum> those_of(Flags<Enum> all, std::initializer_list<Enum> kept) {
  Flags<Enum> both;
  for (const Enum one : kept) {
    if (all.has(one)) both.add(one);
  }
  return both;
}

void make_reliable(Info& info) {
  info.assumes = {Assumption::no_crash};
  // The layer keeps early messages from the algorithm for a while, so the algorithm sees another
  // order than the network's.
  info.promises = those_of(info.promises,
                           {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom,
                            Promise::one_leader, Promise::right_leader, Promise::everyone_learns});
  info.costs.clear();
}

void make_resilient(Info& info) {
  // The layer keeps the algorithm's assumptions about channels, and drops those about processes.
  info.assumes =
      those_of(info.assumes, {Assumption::no_loss, Assumption::no_duplication, Assumption::fifo});
  info.promises =
      those_of(info.promises, {Promise::safety, Promise::deadlock_freedom, Promise::one_leader,
                               Promise::right_leader, Promise::everyone_learns});
  info.perpetual = true;
  info.survives_crashes = true;
  info.costs.clear();
  info.election_costs.clear();
}

struct Made {
  std::string name;
  Info info;
};

}  // namespace

const Info& derived_info(std::string_view prefix, const Info& inner, void (*change)(Info&)) {
  static std::mutex mutex;
  static std::map<std::pair<void (*)(Info&), const Info*>, Made> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace({change, &inner});
  Made& made = place->second;
  if (is_new) {
    made.info = inner;
    made.name = std::string(prefix) + std::string(inner.name);
    made.info.name = made.name;
    change(made.info);
  }
  return made.info;
}

const Info& layered_info(Layers layers, const Info& inner) {
  switch (layers) {
    case Layers::none:
      break;
    case Layers::reliable:
      return derived_info("reliable ", inner, &make_reliable);
    case Layers::resilient:
      return derived_info("resilient ", inner, &make_resilient);
    case Layers::both:
      return layered_info(Layers::resilient, layered_info(Layers::reliable, inner));
  }
  return inner;
}

}  // namespace baton
