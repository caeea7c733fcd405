#include "cli/lab/algorithms.h"

#include <vector>

#include "cli/common/command.h"
#include "cli/common/text.h"

namespace baton::cli {

namespace {

std::string why_not_on_layers(const Info& info) {
  if (info.is_wrong()) return "it is wrong on purpose";
  if (info.kind == Kind::mutual_exclusion && !info.promises.has(Promise::deadlock_freedom)) {
    return "it does not promise that anybody gets in: " + std::string(info.problem);
  }
  return "only locks and elections among all do";
}

}  // namespace

const sim::Entry& algorithm(const std::string& typed) {
  if (const sim::Entry* entry = sim::find(typed)) return *entry;
  if (machine(typed) != nullptr) {
    throw UsageError("'" + typed + "' works in shared memory and sends no messages; 'baton sim " +
                     typed + "' runs it");
  }
  std::vector<std::string> names;
  for (const sim::Entry& entry : sim::catalog()) names.emplace_back(entry.info().name);
  for (const CatalogedMachine& one : shared_machines()) names.emplace_back(one.info().name);
  const std::string hint = did_you_mean(typed, names);
  throw UsageError("there is no algorithm '" + typed + "'" + (hint.empty() ? ";" : hint) +
                   " 'baton list' shows them all");
}

const sim::Runnable& algorithm_on_layers(const std::string& typed, sim::Layers layers) {
  const sim::Entry& entry = algorithm(typed);
  const sim::Runnable& found = entry.with(layers);
  if (found.run != nullptr) return found;
  throw UsageError("'" + typed + "' does not run on layers: " + why_not_on_layers(entry.info()));
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::mutual_exclusion:
      return "mutual exclusion";
    case Kind::shared_memory:
      return "shared memory";
    case Kind::election:
      return "election";
    case Kind::observation:
      return "observation";
  }
  return "";
}

const CatalogedMachine* machine(const std::string& typed) {
  for (const CatalogedMachine& one : shared_machines()) {
    if (one.info().name == typed) return &one;
  }
  return nullptr;
}

}  // namespace baton::cli
