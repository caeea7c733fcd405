#include "cli/lab/network_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/text.h"
#include "cli/lab/group_options.h"
#include "lab/sim/random.h"

namespace baton::cli {

namespace {

class SeededChooser : public Chooser {
 public:
  SeededChooser(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}
  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(random_.below(bound));
  }

 private:
  sim::Random random_;
};

// Streams of the seed that nothing else draws from.
constexpr std::uint64_t graph_stream = 11;
constexpr std::uint64_t places_stream = 12;

// A larger one would only fill the memory.
constexpr std::uint64_t most_edges_stored = 20'000'000;

std::uint64_t number_of_edges(const std::string& typed, std::uint32_t size) {
  std::uint64_t edges = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), edges);
  const bool is_number = error == std::errc{} && end == typed.data() + typed.size();
  if (is_number && edges >= fewest_edges(size) && edges <= most_edges(size)) return edges;
  throw UsageError("a connected graph of " + grouped(size) + " processes has " +
                   grouped(fewest_edges(size)) + " to " + grouped(most_edges(size)) +
                   " edges, not " + (typed.empty() ? "none" : typed));
}

std::shared_ptr<const Graph> random_graph_of(const std::string& typed, std::uint32_t size,
                                             std::uint64_t seed) {
  const auto colon = typed.find(':');
  const std::uint64_t edges =
      colon == typed.npos ? std::min<std::uint64_t>(2 * std::uint64_t{size}, most_edges(size))
                          : number_of_edges(typed.substr(colon + 1), size);
  if (edges > most_edges_stored) {
    throw UsageError("a random graph has at most " + grouped(most_edges_stored) + " edges");
  }
  SeededChooser chooser(seed, graph_stream);
  return random_graph(size, edges, chooser);
}

std::shared_ptr<const Graph> graph_named(const std::string& typed, std::uint32_t size,
                                         std::uint64_t seed) {
  if (typed == "complete") return nullptr;
  if (typed == "ring") return ring_graph(size);
  if (typed == "grid") return grid_graph(size);
  if (typed == "random" || typed.starts_with("random:")) {
    return random_graph_of(typed, size, seed);
  }
  if (typed.find('-') == typed.npos) {
    throw UsageError(
        "--graph takes ring, grid, complete, random[:EDGES] or edges such as 0-1,1-2, not '" +
        typed + "'" + did_you_mean(typed, {"ring", "grid", "complete", "random"}));
  }
  ParsedGraph parsed = parse_graph(typed, size);
  if (!parsed.graph) throw UsageError(parsed.objection);
  return std::move(parsed.graph);
}

std::vector<std::uint32_t> capacities_of(const std::vector<std::string>& typed,
                                         std::uint32_t size) {
  std::vector<std::uint32_t> capacities;
  for (const std::string& one : typed) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), value);
    if (error != std::errc{} || end != one.data() + one.size()) {
      throw UsageError("'" + one + "' is not a capacity: a capacity is a whole number below 2^32");
    }
    capacities.push_back(value);
  }
  if (!capacities.empty() && capacities.size() != size) {
    throw UsageError("--capacities gives " + std::to_string(capacities.size()) +
                     " capacities for " + std::to_string(size) + " processes");
  }
  return capacities;
}

std::vector<Place> places_named(const std::string& typed, std::uint32_t size, std::uint64_t seed) {
  if (typed == "lattice") return {};
  if (typed != "random" && typed != "corner") {
    throw UsageError("--places takes lattice, random or corner, not '" + typed + "'" +
                     did_you_mean(typed, {"lattice", "random", "corner"}));
  }
  SeededChooser chooser(seed, places_stream);
  const auto coordinate = [&] { return static_cast<std::int32_t>(chooser.choose(plane_side + 1)); };
  std::vector<Place> places(size);
  for (Place& place : places) {
    place.x = coordinate();
    place.y = coordinate();
  }
  if (typed == "corner") {
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return squared_distance(a, {0, 0}) < squared_distance(b, {0, 0});
    });
  }
  return places;
}

}  // namespace

void NetworkOptions::add_to(Command& command) {
  command
      .add_option("--graph", graph,
                  "wireless: ring, grid, complete, random[:EDGES] or edges such as 0-1,1-2")
      .group("Group");
  command.add_option("--capacities", capacities, "wireless: the capacities of the processes")
      .separated_by(',')
      .one_value_each()
      .type_name("A,B,…")
      .group("Group");
  command
      .add_option("--places", places,
                  "superpeer: lattice, random, or corner (random, tokens begin in a corner)")
      .group("Group");
}

void NetworkOptions::apply_to(Setup& setup, std::uint64_t seed) const {
  const std::uint32_t size = setup.size;
  setup.graph = graph_named(graph, size, seed);
  setup.capacities = capacities_of(capacities, size);
  setup.places = places_named(places, size, seed);
}

}  // namespace baton::cli
