#include "lab/sim/superpeer_measures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/election/superpeer.h"

namespace baton::sim {

namespace {

double distance(const Setup& setup, NodeId a, NodeId b) {
  return std::sqrt(static_cast<double>(squared_distance(setup.place(a), setup.place(b))));
}

NodeId nearest(const Setup& setup, NodeId node, const std::vector<NodeId>& superpeers) {
  return *std::min_element(superpeers.begin(), superpeers.end(), [&](NodeId a, NodeId b) {
    return squared_distance(setup.place(node), setup.place(a)) <
           squared_distance(setup.place(node), setup.place(b));
  });
}

double variance(const std::map<NodeId, std::uint32_t>& served, double mean) {
  double sum = 0;
  for (const auto& [superpeer, count] : served) sum += (count - mean) * (count - mean);
  return sum / static_cast<double>(served.size());
}

}  // namespace

SuperpeerMeasures measure_superpeers(const Setup& setup, std::vector<NodeId> superpeers,
                                     const std::vector<NodeId>& serves) {
  SuperpeerMeasures measures;
  if (superpeers.empty()) return measures;
  std::map<NodeId, std::uint32_t> served;
  for (const NodeId superpeer : superpeers) served[superpeer] = 0;
  std::uint32_t normal = 0;
  for (std::uint32_t i = 0; i < setup.size; ++i) {
    if (served.contains({i})) continue;
    const NodeId near = nearest(setup, {i}, superpeers);
    const NodeId own = serves.empty() ? near : serves[i];
    if (own == nobody) continue;
    ++normal;
    ++served[own];
    measures.mean_distance += distance(setup, {i}, near);
    measures.mean_to_own += distance(setup, {i}, own);
    measures.max_distance = std::max(measures.max_distance, distance(setup, {i}, near));
  }
  if (normal > 0) {
    measures.mean_distance /= normal;
    measures.mean_to_own /= normal;
  }
  measures.portion = static_cast<double>(superpeers.size()) / setup.size;
  for (const auto& [superpeer, count] : served) {
    measures.most_served = std::max(measures.most_served, count);
  }
  measures.variance_of_served = variance(served, normal / static_cast<double>(served.size()));
  for (std::size_t i = 0; i < superpeers.size(); ++i) {
    for (std::size_t j = i + 1; j < superpeers.size(); ++j) {
      const double apart = distance(setup, superpeers[i], superpeers[j]);
      const bool is_first = i == 0 && j == 1;
      if (is_first || apart < measures.least_separation) measures.least_separation = apart;
    }
  }
  measures.superpeers = std::move(superpeers);
  return measures;
}

std::vector<NodeId> superpeers_among(const std::vector<NodeId>& serves) {
  std::vector<NodeId> superpeers;
  for (std::uint32_t i = 0; i < serves.size(); ++i) {
    if (serves[i] == NodeId{i}) superpeers.push_back({i});
  }
  return superpeers;
}

std::vector<NodeId> first_superpeers(const Setup& setup) {
  std::vector<NodeId> first;
  for (std::uint32_t i = 0; i < setup.value(Superpeer::superpeers); ++i) first.push_back({i});
  return first;
}

std::optional<std::string> superpeer_fault(const Setup& setup, const std::vector<NodeId>& serves) {
  const std::size_t superpeers = superpeers_among(serves).size();
  const auto wanted = static_cast<std::size_t>(setup.value(Superpeer::superpeers));
  if (superpeers != wanted) {
    return "there are " + std::to_string(superpeers) + " superpeers and not " +
           std::to_string(wanted);
  }
  const std::int64_t cap = setup.value(Superpeer::cap);
  std::map<NodeId, std::int64_t> served;
  for (std::uint32_t i = 0; i < serves.size(); ++i) {
    if (serves[i] == nobody || serves[i] == NodeId{i}) continue;
    if (serves[serves[i].value] != serves[i]) {
      return "process " + std::to_string(i) + " is served by process " +
             std::to_string(serves[i].value) + ", which is no superpeer";
    }
    if (cap > 0 && ++served[serves[i]] > cap) {
      return "superpeer " + std::to_string(serves[i].value) + " serves more than " +
             std::to_string(cap);
    }
  }
  return std::nullopt;
}

}  // namespace baton::sim
