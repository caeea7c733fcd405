#include <algorithm>
#include <string>
#include <string_view>

#include "lab/sim/catalog.h"
#include "lab/sim/formulas.h"
#include "lab/sim/random.h"
#include "lab/sim/sample.h"

namespace baton::sim {

namespace {

using Relation = FormulaCheck::Relation;

constexpr std::uint64_t replications = 40;
constexpr std::uint64_t customers = 20'000;  // per replication
constexpr std::uint64_t entries = 2'000;     // per replication of the real algorithms
constexpr std::uint64_t saturated_entries = 20'000;

// The example: ten processes, a critical section of 1, and sends that cost 0.05 each.
constexpr std::uint32_t group = 10;
constexpr double section = 1;
constexpr double send_cost = 0.05;
constexpr double rate = 0.4;

Ticks ticks(double message_times) {
  return {static_cast<std::int64_t>(message_times * static_cast<double>(message_time.value) + 0.5)};
}

std::string text(double value) {
  std::string digits = std::to_string(value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

// Lindley's recursion: the next customer waits for the rest of the waiting and the service of the
// one before. It starts from the long-run distribution, so no beginning needs to be left out.
double mean_response(double service, Random& random) {
  const double load = rate * service;
  double waiting = random.chance(load) ? random.exponential() / (1 / service - rate) : 0;
  double sum = 0;
  for (std::uint64_t i = 0; i < customers; ++i) {
    const double served = service * random.exponential();
    sum += waiting + served;
    waiting = std::max(0.0, waiting + served - random.exponential() / rate);
  }
  return sum / static_cast<double>(customers);
}

FormulaCheck queue_alone(const std::string& what, double service, std::uint64_t seed) {
  Random random(seed, 8);
  Sample response;
  for (std::uint64_t i = 0; i < replications; ++i) response.add(mean_response(service, random));
  return {"M/M/1 alone, " + what + " = " + text(service), "1/(1/S-λ)",
          response_exponential(rate, service), response.mean(), response.half_width_of_40()};
}

// Only sends and the critical section take time, as in the model.
Plan plan_of(std::uint32_t size, std::uint64_t seed) {
  Plan plan;
  plan.setup = default_setup(size);
  plan.seed = seed;
  plan.delay.low = plan.delay.high = Ticks{0};
  plan.send_cost = ticks(send_cost);
  plan.critical_section = ticks(section);
  return plan;
}

// From request to exit.
Sample real_response(std::string_view algorithm, std::uint32_t size, std::uint64_t seed) {
  Sample response;
  for (std::uint64_t i = 0; i < replications; ++i) {
    Plan plan = plan_of(size, seed + i);
    plan.workload.kind = Workload::Kind::poisson;
    plan.workload.rate = rate;
    plan.workload.entries = entries;
    response.add(find(algorithm)->run(plan, nullptr).waiting.mean() + section);
  }
  return response;
}

double wait_alone(std::string_view algorithm) {
  Plan plan = plan_of(group, 1);
  plan.workload.kind = Workload::Kind::one;
  plan.workload.first = {1};
  return find(algorithm)->run(plan, nullptr).waiting.mean();
}

double handover(std::string_view algorithm) {
  Plan plan = plan_of(group, 1);
  plan.workload.kind = Workload::Kind::saturated;
  plan.workload.entries = saturated_entries;
  return find(algorithm)->run(plan, nullptr).sync_delay.mean();
}

}  // namespace

FormulaTopic check_queue(std::uint64_t seed) {
  const double central_service = section + 2 * send_cost;
  const double permission_service = section + 2 * (group - 1) * send_cost;
  FormulaTopic topic{"queue",
                     "Load (the Article): one M/M/1 queue with S = C+2r for central, C+2(N-1)r for "
                     "Ricart–Agrawala; N = " +
                         std::to_string(group) + ", C = " + text(section) +
                         ", r = " + text(send_cost) + ", λ = " + text(rate),
                     {}};
  auto& checks = topic.checks;
  checks.push_back(queue_alone("S = C+2r", central_service, seed));
  checks.push_back(queue_alone("S = C+2(N-1)r", permission_service, seed));

  const Sample many = real_response("central", 1000, seed);
  checks.push_back({"central, 1000 processes, request to exit", "S+λS²/(2(1-λS)) (M/D/1)",
                    response_constant(rate, central_service), many.mean(), many.half_width_of_40(),
                    Relation::equal, "C is constant here, so service is too"});
  const Sample central = real_response("central", group, seed);
  checks.push_back({"central, request to exit", "1/(1/S-λ) (the Article)",
                    response_exponential(rate, central_service), central.mean(),
                    central.half_width_of_40(), Relation::at_most,
                    "less: C is constant, and a process has one request at a time"});
  const Sample permission = real_response("ricart-agrawala", group, seed);
  checks.push_back({"ricart-agrawala, request to exit", "1/(1/S-λ) (the Article)",
                    response_exponential(rate, permission_service), permission.mean(),
                    permission.half_width_of_40(), Relation::at_most,
                    "much less: replies of different processes are sent in parallel, and "
                    "permissions are collected while another is inside"});

  checks.push_back({"central, wait when alone", "2r", 2 * send_cost, wait_alone("central")});
  const double alone = wait_alone("ricart-agrawala");
  checks.push_back({"ricart-agrawala, wait when alone", "N·r", group * send_cost, alone, 0,
                    Relation::equal, "N-1 requests one after the other, then the last reply"});
  checks.push_back({"ricart-agrawala, wait when alone", "2(N-1)r (the Article)",
                    2 * (group - 1) * send_cost, alone, 0, Relation::at_most,
                    "the model sends the replies one after the other too"});

  // The share that the first and the last round may contribute.
  const double ends = 4 * group * send_cost / static_cast<double>(saturated_entries);
  checks.push_back({"central, hand-over when saturated", "2r(1-1/N)",
                    2 * send_cost * (1 - 1.0 / group), handover("central"), ends, Relation::equal,
                    "2r, but r to and from the coordinator itself"});
  const double reply = handover("ricart-agrawala");
  checks.push_back({"ricart-agrawala, hand-over when saturated", "r", send_cost, reply, ends,
                    Relation::equal,
                    "only the reply of the one who leaves is missing: faster than "
                    "central"});
  checks.push_back({"ricart-agrawala, hand-over when saturated", "2(N-1)r (the Article)",
                    2 * (group - 1) * send_cost, reply, ends, Relation::at_most,
                    "the model collects all permissions anew while nobody is inside"});
  return topic;
}

}  // namespace baton::sim
