// Users of the laboratory write down what matters of an aggregate and leave the rest to defaults.
// With -Wextra gcc warns of each field that has none. Here every aggregate is given by its first
// field alone, and by its last, so that between the two no field without a default is missed.
#include <baton/lab/lab.h>

using namespace baton;

int main() {
  // What an algorithm says of itself.
  const Info infos[] = {{.name = {}}, {.flaws = {}}};
  const Parameter parameters[] = {{.name = {}}, {.depends_on_size = true}};
  const Cost costs[] = {{.scenario = Scenario::alone}, {.value = constant<1>}};
  const Expected expected[] = {{.low = 1}, {.is_mean = true}};
  const ElectionCase cases[] = {{.setup = {}}, {.down = {}}};
  const ElectionCost election_costs[] = {{.situation = {}}, {.value = nullptr}};
  const LectureFigure figures[] = {{.document = {}}, {.reason = {}}};
  const Flaw flaws[] = {{.breaks = Promise::safety}, {.why = {}}};
  const CheckedInstance instances[] = {{.options = {}}, {.is_quick = true}};
  const Elected elected{.leader = {1}};

  // A group and a run.
  const Setup setups[] = {{.protocol = nullptr}, {.delay_bound = message_time}};
  const Chosen chosen[] = {{.parameter = nullptr}, {.value = 1}};
  const sim::Plan plans[] = {{.setup = {}}, {.progress = {}}};
  const sim::Delay delays[] = {{.kind = {}}, {.high = message_time}};
  const sim::Workload workloads[] = {{.kind = {}}, {.wants_drawn = true}};
  const sim::Fault faults[] = {{.at = {1}}, {.side_of = {}}};
  const sim::SlowLink slow[] = {{.from = {1}}, {.more = message_time}};
  const sim::Faults worlds[] = {{.loss = 0.1}, {.schedule = {}}};

  // A check.
  const check::Bounds bounds[] = {{.setup = {}}, {.lease_rule = {}}};
  const check::Budgets budgets[] = {{.lose = 1}, {.faults = 1}};
  const check::Time times[] = {{.counts = true}, {.prompt = true}};
  const check::Reductions reductions[] = {{.canonical = true}, {.partial_order = true}};
  const check::ExploreOptions explorations[] = {{.threads = 1}, {.interrupted = nullptr}};
  const check::CheckOptions options[] = {{.explore = {}}, {.liveness = true}};

  // What comes of them, which programs also make up for tests of their own.
  const check::Report reports[] = {{.safety = {}}, {.fingerprints = true}};
  const check::Finding findings[] = {{.property = {}}, {.loop = {}}};
  const lab::Measured measured[] = {{.situation = {}}, {.agrees = true}};
  const Trace traces[] = {{.algorithm = {}}, {.events = {}}};
  const TraceEvent events[] = {{.at = {1}}, {.vector = {}}};
  const Schedule schedules[] = {{.algorithm = {}}, {.loop = {}}};
  const ScheduledStep steps[] = {{.kind = {}}, {.choices = {}}};
  const view::DiagramOptions pictures[] = {{.unicode = true}, {.max_rows = 1}};

  const auto use = [](const auto&...) {};
  use(infos, parameters, costs, expected, cases, election_costs, figures, flaws, instances, elected,
      setups, chosen, plans, delays, workloads, faults, slow, worlds, bounds, budgets, times,
      reductions, explorations, options, reports, findings, measured, traces, events, schedules,
      steps, pictures);
}
