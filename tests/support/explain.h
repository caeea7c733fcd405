// What a test says of a world that breaks a promise.
#pragma once

#include <functional>
#include <string>

#include "lab/sim/catalog.h"
#include "lab/sim/shrink.h"

namespace baton::test {

// The seed, and a shorter run that fails alike, among those that the test is about.
inline std::string explain(
    const sim::Entry& entry, sim::Layers layers, const sim::Plan& plan,
    const sim::Violation& broken,
    const std::function<bool(const sim::Plan&)>& is_fair = [](const sim::Plan&) { return true; }) {
  const sim::Runnable& subject = entry.with(layers);
  const sim::Plan shortest = sim::shrink(plan, subject.info(), [&](const sim::Plan& candidate) {
    return is_fair(candidate) &&
           subject.run(candidate, nullptr).violated(broken.promise) != nullptr;
  });
  return "seed " + std::to_string(plan.seed) + ": " + broken.what + "\nbaton sim " +
         std::string(entry.info().name) + " " + sim::options_of(shortest, subject.info(), layers);
}

}  // namespace baton::test
