#include "lab/sim/measure_layers.h"

#include <algorithm>
#include <string_view>

#include "algorithms/layer/membership.h"
#include "lab/sim/random.h"

namespace baton::sim {

namespace {

constexpr std::uint64_t recoveries = 300;

Plan saturated(const Setup& setup, std::uint64_t seed, std::uint64_t entries) {
  Plan plan;
  plan.setup = setup;
  plan.seed = seed;
  plan.workload = {.kind = Workload::Kind::saturated, .entries = entries};
  return plan;
}

std::uint64_t count_of(const Report& report, std::string_view type) {
  for (const MessageType& one : report.by_type) {
    if (one.name == type) return one.count;
  }
  return 0;
}

double per(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

// Between a short run and a longer one, so that beginnings cancel out.
double slope(const Report& less, const Report& more, std::uint64_t (*count)(const Report&)) {
  return per(count(more) - count(less), more.entries - less.entries);
}

}  // namespace

LayerCosts layer_costs(const Entry& entry, const Setup& setup, std::uint64_t seed) {
  const std::uint64_t few = 20 * std::uint64_t{setup.size};
  const Plan less = saturated(setup, seed, few);
  const Plan more = saturated(setup, seed, 3 * few);
  const auto messages = [](const Report& report) { return report.messages(); };

  LayerCosts costs;
  costs.plain = slope(entry.run(less, nullptr), entry.run(more, nullptr), messages);

  const Run reliable = entry.with(Layers::reliable).run;
  const Report reliable_less = reliable(less, nullptr);
  const Report reliable_more = reliable(more, nullptr);
  costs.reliable = slope(reliable_less, reliable_more, messages);
  costs.acks_loaded = per(count_of(reliable_more, "Ack"), reliable_more.messages());
  Plan alone = less;
  alone.workload = {.kind = Workload::Kind::one, .first = {setup.size - 1}};
  // Long enough that no message of the entry can carry the confirmation of the request.
  alone.critical_section = 100 * message_time;
  alone.time_limit = 400 * message_time;
  const Report quiet = reliable(alone, nullptr);
  costs.acks_alone = per(count_of(quiet, "Ack"), quiet.messages());

  const Run resilient = entry.with(Layers::resilient).run;
  const Report resilient_less = resilient(less, nullptr);
  const Report resilient_more = resilient(more, nullptr);
  costs.resilient = slope(resilient_less, resilient_more, messages);
  costs.heartbeats = per(count_of(resilient_more, "Heartbeat"), setup.size) /
                     in_message_times(resilient_more.ended);
  costs.other_upkeep = slope(resilient_less, resilient_more, [](const Report& report) {
    return report.upkeep - count_of(report, "Heartbeat");
  });
  return costs;
}

std::vector<double> recovery_times(const Entry& entry, const Setup& setup, std::uint64_t seed) {
  std::vector<double> gaps;
  for (std::uint64_t i = 0; i < recoveries; ++i) {
    Random random(seed + i, 55);
    Plan plan = saturated(setup, seed + i, 40 * std::uint64_t{setup.size});
    const std::int64_t when = 30'000'000 + static_cast<std::int64_t>(random.below(30'000'000));
    plan.faults.schedule = {{.at = {when},
                             .kind = Fault::Kind::crash,
                             .node = {static_cast<std::uint32_t>(random.below(setup.size))}}};
    gaps.push_back(entry.with(Layers::resilient).run(plan, nullptr).longest_gap);
  }
  std::sort(gaps.begin(), gaps.end());
  return gaps;
}

double detector_timeout() {
  return HeartbeatDetector::first_patience * in_message_times(Membership::tick_time);
}

}  // namespace baton::sim
