#include "cli/lab/sim_superpeer.h"

#include <vector>

#include "algorithms/election/superpeer.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"

namespace baton::cli {

namespace {

using sim::SuperpeerMeasures;

// A character is about twice as high as it is wide.
constexpr std::int32_t map_width = 48;
constexpr std::int32_t map_height = 24;

std::string map_of(const Setup& setup, const std::vector<NodeId>& superpeers) {
  std::vector<std::string> rows(map_height, std::string(map_width, ' '));
  const auto mark = [&](NodeId node, char sign) {
    const Place place = setup.place(node);
    const auto column = place.x * map_width / (plane_side + 1);
    const auto row = place.y * map_height / (plane_side + 1);
    rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = sign;
  };
  for (std::uint32_t i = 0; i < setup.size; ++i) mark({i}, '.');
  for (const NodeId superpeer : superpeers) mark(superpeer, '#');
  const std::string edge = "  +" + std::string(map_width, '-') + "+\n";
  std::string text = edge;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) text += "  |" + *row + "|\n";
  return text + edge + "  # a superpeer, . another process\n";
}

std::string list_of(const Setup& setup, const std::vector<NodeId>& superpeers) {
  constexpr std::size_t most_listed = 20;
  std::string text;
  for (std::size_t i = 0; i < superpeers.size() && i < most_listed; ++i) {
    const Place place = setup.place(superpeers[i]);
    text += (text.empty() ? "" : ", ") + std::to_string(superpeers[i].value) + " at (" +
            std::to_string(place.x) + ", " + std::to_string(place.y) + ")";
  }
  return text + (superpeers.size() > most_listed ? ", ..." : "");
}

}  // namespace

std::string superpeer_text(const Setup& setup, const sim::Report& report, std::size_t width) {
  const SuperpeerMeasures& before = *report.superpeers_before;
  const SuperpeerMeasures& after = *report.superpeers;
  Table table({"requirement", "at first", "in the end", ""});
  const auto row = [&](const std::string& what, double SuperpeerMeasures::*value,
                       const std::string& remark) {
    table.add({what, number(before.*value), number(after.*value), remark});
  };
  const std::string side = "where the plane has sides of " + std::to_string(plane_side);
  row("1 distance, mean", &SuperpeerMeasures::mean_distance, "to the nearest superpeer, " + side);
  row("  at most", &SuperpeerMeasures::max_distance, "");
  row("  to its own", &SuperpeerMeasures::mean_to_own, "mean; the cap may forbid the nearest");
  row("2 least separation", &SuperpeerMeasures::least_separation, "between two superpeers");
  row("  variance of load", &SuperpeerMeasures::variance_of_served, "");
  row("3 portion", &SuperpeerMeasures::portion,
      grouped(after.superpeers.size()) + " of " + grouped(setup.size));
  const auto cap = static_cast<std::uint64_t>(setup.value(Superpeer::cap));
  table.add({"4 most served", grouped(before.most_served), grouped(after.most_served),
             cap == 0 ? "without a cap" : "the cap is " + grouped(cap)});
  return table.str(width) + "\n" +
         filled("Superpeers: " + list_of(setup, after.superpeers), width, 2) + "\n\n" +
         map_of(setup, after.superpeers) + "\n";
}

boost::json::object superpeer_json(const sim::SuperpeerMeasures& measures) {
  boost::json::array superpeers;
  for (const NodeId superpeer : measures.superpeers) superpeers.push_back(superpeer.value);
  return {{"superpeers", std::move(superpeers)},
          {"portion", measures.portion},
          {"mean_distance", measures.mean_distance},
          {"max_distance", measures.max_distance},
          {"mean_to_own", measures.mean_to_own},
          {"least_separation", measures.least_separation},
          {"most_served", measures.most_served},
          {"variance_of_served", measures.variance_of_served}};
}

}  // namespace baton::cli
