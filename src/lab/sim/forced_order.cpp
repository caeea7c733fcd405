#include "lab/sim/forced_order.h"

namespace baton::sim {

namespace {

std::optional<Sent> queued(const Entry& entry, const Setup& setup, const std::vector<NodeId>& order,
                           Ticks rest) {
  Plan plan;
  plan.setup = setup;
  plan.workload = {.kind = Workload::Kind::one, .first = order.front()};
  for (std::size_t i = 1; i < order.size(); ++i) {
    plan.workload.also.emplace_back(static_cast<std::int64_t>(i) * rest, order[i]);
  }
  plan.critical_section = static_cast<std::int64_t>(order.size() + 1) * rest;
  plan.progress_bound = forever;
  const Report report = entry.run(plan, nullptr);
  if (report.entries != order.size()) return std::nullopt;
  return Sent{report.messages_enter, report.messages_exit};
}

}  // namespace

std::optional<Sent> in_a_queue(const Entry& entry, const Setup& setup,
                               const std::vector<NodeId>& order) {
  if (entry.info().perpetual) return std::nullopt;
  // Long enough for every algorithm that comes to rest at all.
  const Ticks rest = (4 * std::int64_t{setup.size} + 20) * message_time;
  const std::optional<Sent> short_rest = queued(entry, setup, order, rest);
  const std::optional<Sent> long_rest = queued(entry, setup, order, 3 * rest);
  return short_rest == long_rest ? short_rest : std::nullopt;
}

Saturation saturation(const Entry& entry, const Setup& setup) {
  const std::uint64_t size = setup.size;
  Plan plan;
  plan.setup = setup;
  plan.workload = {
      .kind = Workload::Kind::saturated, .entries = 100 * size, .count_from = 10 * size};
  // Long enough for the others to ask meanwhile.
  plan.critical_section = message_time;
  const Report report = entry.run(plan, nullptr);
  Saturation found;
  const auto entries = static_cast<double>(report.entries);
  found.entries_per_message_time = entries / (in_message_times(report.ended) - entries);
  const Steady& steady = report.steady;
  if (steady.entries > 0) {
    found.messages_per_entry = static_cast<double>(steady.messages_enter + steady.messages_exit) /
                               static_cast<double>(steady.entries);
  }
  return found;
}

}  // namespace baton::sim
