#include "cli/lab/group_options.h"

#include <charconv>
#include <set>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/text.h"

namespace baton::cli {

namespace {

UsageError too_large() {
  return UsageError{"a group has at most " + grouped(most_processes) + " processes"};
}

Tree tree_named(const std::string& typed) {
  if (typed == "star") return Tree::star();
  if (typed == "line") return Tree::line();
  if (typed == "binary") return Tree::binary();
  std::uint32_t arity = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), arity);
  if (error == std::errc{} && end == typed.data() + typed.size() && arity > 0) {
    return Tree::with_arity(arity);
  }
  throw UsageError("--tree takes star, line, binary or a number of children, not '" + typed + "'" +
                   did_you_mean(typed, {"star", "line", "binary"}));
}

std::shared_ptr<const VotingSets> voting_named(const std::string& typed, std::uint32_t size) {
  const std::string of_n = " for " + std::to_string(size) + " processes; the nearest number is ";
  if (typed == "best") return best_voting_sets(size);
  if (typed == "cyclic") return cyclic_voting_sets(size);
  if (typed == "grid") {
    if (auto sets = grid_voting_sets(size)) return sets;
    throw UsageError("there is no square grid" + of_n + std::to_string(nearest_grid_size(size)) +
                     ", and --voting cyclic exists for every number");
  }
  if (typed == "plane") {
    if (auto sets = plane_voting_sets(size)) return sets;
    throw UsageError("there is no projective plane" + of_n +
                     std::to_string(nearest_plane_size(size)) +
                     ", and --voting cyclic exists for every number");
  }
  throw UsageError("--voting takes best, grid, plane or cyclic, not '" + typed + "'" +
                   did_you_mean(typed, {"best", "grid", "plane", "cyclic"}));
}

}  // namespace

void GroupOptions::add_to(Command& command) {
  command
      .add_option("--tree", tree,
                  "raymond: star, line, binary or a number of children (default: star)")
      .group("Group");
  command
      .add_option("--voting", voting,
                  "maekawa: best, grid, plane or cyclic voting sets (default: best)")
      .group("Group");
  command
      .add_option("--coordinator", coordinator,
                  "central: the coordinator; tokens: where the token starts")
      .whole_number(0, most_processes)
      .group("Group");
  command.add_option("--ids", identities, "Elections: the identities of the processes")
      .separated_by(',')
      .one_value_each()
      .type_name("A,B,…")
      .group("Group");
  command.add_option("--lease", lease, "resilient: length of a lease, in ticks")
      .whole_number(1, 1000)
      .group("Group");
  command
      .add_option("--patience", patience,
                  "resilient: silence after which a process is suspected, in ticks")
      .whole_number(1, 64)
      .group("Group");
  network.add_to(command);
  parameters.add_to(command);
}

Setup GroupOptions::setup(std::int64_t processes, std::uint64_t seed) const {
  if (processes < 2) {
    throw UsageError("a group has at least 2 processes, not " + std::to_string(processes));
  }
  if (processes > most_processes) throw too_large();
  const auto size = static_cast<std::uint32_t>(processes);
  Setup setup = default_setup(size);
  setup.tree = tree_named(tree);
  if (voting != "best") setup.voting = voting_named(voting, size);
  if (coordinator >= size) {
    throw UsageError("there is no process " + std::to_string(coordinator) +
                     "; the processes are 0 to " + std::to_string(size - 1));
  }
  setup.coordinator = {coordinator};
  setup.lease = lease;
  setup.patience = patience;
  setup.identities = identities;
  if (!identities.empty() && identities.size() != size) {
    throw UsageError("--ids gives " + std::to_string(identities.size()) + " identities for " +
                     std::to_string(size) + " processes");
  }
  if (std::set<std::uint32_t>(identities.begin(), identities.end()).size() != identities.size()) {
    throw UsageError("--ids gives the same identity twice; elections need different ones");
  }
  network.apply_to(setup, seed);
  return setup;
}

std::int64_t group_size(const std::string& typed) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), value);
  if (error == std::errc::result_out_of_range) throw too_large();
  if (error != std::errc{} || end != typed.data() + typed.size()) {
    throw UsageError("'" + typed + "' is not a whole number of processes");
  }
  return value;
}

std::vector<std::int64_t> sizes(const std::vector<std::string>& typed) {
  std::vector<std::int64_t> all;
  for (const std::string& one : typed) {
    const auto dots = one.find("..");
    if (dots == one.npos) {
      all.push_back(group_size(one));
      continue;
    }
    const std::int64_t low = group_size(one.substr(0, dots));
    const std::int64_t high = group_size(one.substr(dots + 2));
    if (low > high || high - low > 10'000)
      throw UsageError("'" + one + "' is not a range of sizes such as 2..50");
    for (std::int64_t n = low; n <= high; ++n) all.push_back(n);
  }
  return all;
}

}  // namespace baton::cli
