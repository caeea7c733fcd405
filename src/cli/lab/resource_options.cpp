#include "cli/lab/resource_options.h"

#include <algorithm>
#include <set>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/text.h"
#include "lab/sim/catalog.h"

namespace baton::cli {

namespace {

constexpr std::uint32_t most_resources = 1000;

constexpr Acquisition all_acquisitions[] = {Acquisition::naive, Acquisition::ascending,
                                            Acquisition::atomic, Acquisition::coordinator,
                                            Acquisition::detect};

Acquisition acquisition_named(const std::string& typed) {
  std::vector<std::string> names;
  for (const Acquisition acquisition : all_acquisitions) {
    if (name_of(acquisition) == typed) return acquisition;
    names.emplace_back(name_of(acquisition));
  }
  throw UsageError("--strategy takes " + listed(names, " or ") + ", not '" + typed + "'" +
                   did_you_mean(typed, names));
}

std::vector<std::string> names_with_coordinator() {
  std::vector<std::string> names;
  for (const sim::Entry& entry : sim::catalog()) {
    const Info& info = entry.info();
    if (info.has_coordinator && !info.is_wrong()) names.emplace_back(info.name);
  }
  return names;
}

ResourceId resource_named(const std::string& typed, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (ResourceId{i}.text() == typed) return {i};
  }
  throw UsageError("there is no resource '" + typed + "'; the resources are A to " +
                   ResourceId{count - 1}.text());
}

// "0:A,B"
void read_want(const std::string& typed, sim::Plan& plan) {
  const auto colon = typed.find(':');
  const std::string who = typed.substr(0, colon);
  const bool is_number =
      !who.empty() && who.size() < 9 &&
      std::all_of(who.begin(), who.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
  if (colon == typed.npos || !is_number) {
    throw UsageError("'" + typed + "' is not of the form PROCESS:A,B");
  }
  const auto process = static_cast<std::uint32_t>(std::stoul(who));
  if (process >= plan.setup.size) {
    throw UsageError("there is no process " + who + "; the processes are 0 to " +
                     std::to_string(plan.setup.size - 1));
  }
  auto& wants = plan.workload.wants;
  if (wants.size() <= process) wants.resize(process + 1);
  std::set<ResourceId> seen;
  for (std::size_t start = colon + 1, end = 0; end != typed.npos; start = end + 1) {
    end = typed.find(',', start);
    const std::string name = typed.substr(start, end == typed.npos ? end : end - start);
    const ResourceId resource = resource_named(name, plan.setup.resources);
    if (!seen.insert(resource).second) {
      throw UsageError("'" + typed + "' names " + name + " twice");
    }
    wants[process].push_back(resource);
  }
}

}  // namespace

std::string_view name_of(Acquisition acquisition) {
  switch (acquisition) {
    case Acquisition::naive:
      return "naive";
    case Acquisition::ascending:
      return "ascending";
    case Acquisition::atomic:
      return "atomic";
    case Acquisition::coordinator:
      return "coordinator";
    case Acquisition::detect:
      return "detect";
  }
  return "";
}

void ResourceOptions::add_to(Command& command) {
  const std::string group = "Several resources";
  command
      .add_option("--resources", resources,
                  "Number of resources, each with an instance of the algorithm")
      .whole_number(1, most_resources)
      .group(group);
  command.add_option("--strategy", strategy, "naive, ascending, atomic, coordinator or detect")
      .show_default()
      .group(group);
  command.add_option("--want", wants, "What a process wants, in this order")
      .one_value_each()
      .type_name("PROCESS:A,B")
      .group(group);
  command.add_option("--each", each, "The others want so many, process i from the i-th on")
      .whole_number(1, most_resources)
      .show_default()
      .group(group);
  command.add_flag("--shuffle", shuffle, "The others want random ones in random order")
      .no_value()
      .group(group);
}

void ResourceOptions::apply(sim::Plan& plan, const Info& info,
                            const std::vector<std::string>& given) const {
  if (!are_meant()) {
    for (const char* option : {"--strategy", "--want", "--each", "--shuffle"}) {
      if (std::find(given.begin(), given.end(), option) != given.end()) {
        throw UsageError(std::string(option) + " needs --resources");
      }
    }
    return;
  }
  if (info.kind != Kind::mutual_exclusion || info.survives_crashes) {
    throw UsageError("--resources needs a plain mutual-exclusion algorithm, and " +
                     std::string(info.name) + " is none");
  }
  if (!plan.faults.schedule.empty() || !plan.faults.absent.empty()) {
    throw UsageError("--resources cannot be used with crashes, pauses, partitions or suspicions");
  }
  plan.setup.resources = resources;
  plan.setup.acquisition = acquisition_named(strategy);
  if (plan.setup.acquisition == Acquisition::coordinator && !info.has_coordinator) {
    throw UsageError("--strategy coordinator needs " + listed(names_with_coordinator(), " or ") +
                     "; " + std::string(info.name) + " has no coordinator");
  }
  plan.workload.wants_each = each;
  plan.workload.wants_drawn = shuffle;
  if (each > resources) {
    const bool typed = std::find(given.begin(), given.end(), "--each") != given.end();
    if (typed)
      throw UsageError("--each is more than the " + std::to_string(resources) + " resources");
    plan.workload.wants_each = resources;
  }
  for (const std::string& want : wants) read_want(want, plan);
}

}  // namespace baton::cli
