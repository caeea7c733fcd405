// The simulator as a host: what it does with an outbox, with time, and with faults. Most tests use
// protocols that are no locks at all but do one thing that the host must carry out.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lab/sim/catalog.h"
#include "lab/sim/measure.h"
#include "lab/sim/simulation.h"

namespace baton::test {
namespace {

using sim::Delay;
using sim::Fault;
using sim::Plan;
using sim::Report;
using sim::Workload;

Plan plan_of(std::uint32_t size) {
  Plan plan;
  plan.setup = default_setup(size);
  return plan;
}

Report run(const char* name, const Plan& plan) { return sim::find(name)->run(plan, nullptr); }

template <class P>
std::pair<Report, Trace> record(const Plan& plan) {
  Trace trace;
  Report report = sim::Simulation<P>(plan, &trace).run();
  return {std::move(report), std::move(trace)};
}

std::vector<const TraceEvent*> events_of(const Trace& trace, TraceKind kind) {
  std::vector<const TraceEvent*> found;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == kind) found.push_back(&event);
  }
  return found;
}

// Lets everyone in at once and promises nothing.
class Open {
 public:
  struct Note {
    std::uint32_t number = 0;
  };
  using Message = std::variant<Note>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;
  struct State {};

  Open(NodeId self, const Setup& setup, NodeId = nobody) : self_(self), setup_(&setup) {}
  void request(Out& out) { out.emit(Entered{}); }
  void release(Out&) {}
  void receive(NodeId, const Message&, Out&) {}
  const State& state() const { return state_; }
  static const Info& info() {
    static const Info info{.name = "open", .title = "Open"};
    return info;
  }

 protected:
  NodeId self_;
  const Setup* setup_;
  State state_;
};

// Sends a hundred numbered notes to each of the next two processes.
class Talkative : public Open {
 public:
  using Open::Open;
  static constexpr std::uint32_t notes = 100;
  void request(Out& out) {
    const NodeId next = setup_->successor(self_);
    for (std::uint32_t i = 0; i < notes; ++i) {
      out.send(next, Note{i});
      out.send(setup_->successor(next), Note{i});
    }
    out.emit(Entered{});
  }
};

// Moves one timer and cancels another.
class Alarmed : public Open {
 public:
  using Open::Open;
  void request(Out& out) {
    out.arm({0}, 5 * message_time);
    out.arm({0}, 10 * message_time);
    out.arm({1}, 3 * message_time);
    out.cancel({1});
    out.emit(Entered{});
  }
  void expire(TimerId, Out&) {}
};

// Enters by a message to itself.
class Selfish : public Open {
 public:
  using Open::Open;
  void request(Out& out) { out.send(self_, Note{1}); }
  void receive(NodeId, const Message&, Out& out) { out.emit(Entered{}); }
};

// Claims twice in one step to be inside.
class Boastful : public Open {
 public:
  using Open::Open;
  void request(Out& out) {
    out.emit(Entered{});
    out.emit(Entered{});
  }
};

Plan talk() {
  Plan plan = plan_of(3);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  return plan;
}

bool in_order(const Trace& trace, NodeId receiver) {
  std::uint64_t last = 0;
  for (const TraceEvent* event : events_of(trace, TraceKind::receive)) {
    if (event->node != receiver) continue;
    if (event->message < last) return false;
    last = event->message;
  }
  return true;
}

TEST(Channels, KeepTheOrderOfEachPairUnlessToldNotTo) {
  for (const auto kind : {Delay::Kind::uniform, Delay::Kind::exponential, Delay::Kind::heavy}) {
    Plan plan = talk();
    plan.delay = {.kind = kind, .low = message_time, .high = 9 * message_time};
    const auto [report, trace] = record<Talkative>(plan);
    EXPECT_TRUE(in_order(trace, {1}));
    EXPECT_TRUE(in_order(trace, {2}));
    plan.faults.reordering = true;
    EXPECT_FALSE(in_order(record<Talkative>(plan).second, {1}));
  }
}

TEST(Channels, AlsoKeepItInGroupsTooLargeForATableOfAllPairs) {
  Plan plan = plan_of(3000);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  plan.delay.kind = Delay::Kind::exponential;
  EXPECT_TRUE(in_order(record<Talkative>(plan).second, {1}));
}

TEST(Channels, DoNotHoldUpOneAnother) {
  Plan plan = talk();
  plan.delay.kind = Delay::Kind::exponential;
  const auto [report, trace] = record<Talkative>(plan);
  // The note to process 2 is always the later one, but not always the later to arrive.
  std::vector<Ticks> at_1;
  std::vector<Ticks> at_2;
  for (const TraceEvent* event : events_of(trace, TraceKind::receive)) {
    (event->node == NodeId{1} ? at_1 : at_2).push_back(event->at);
  }
  ASSERT_EQ(at_1.size(), at_2.size());
  bool later_first = false;
  for (std::size_t i = 0; i < at_1.size(); ++i) later_first |= at_2[i] < at_1[i];
  EXPECT_TRUE(later_first);
}

TEST(Channels, LoseAndDuplicateAsOftenAsToldTo) {
  Plan plan = talk();
  plan.faults.loss = 0.5;
  double lost = 0;
  for (plan.seed = 0; plan.seed < 100; ++plan.seed) {
    lost += static_cast<double>(record<Talkative>(plan).first.lost);
  }
  EXPECT_NEAR(lost / (100 * 2 * Talkative::notes), 0.5, 0.02);
  plan.faults = {.duplication = 0.25};
  double duplicated = 0;
  for (plan.seed = 0; plan.seed < 100; ++plan.seed) {
    const Report report = record<Talkative>(plan).first;
    duplicated += static_cast<double>(report.duplicated);
    EXPECT_EQ(report.deliveries, 2 * Talkative::notes + report.duplicated);
  }
  EXPECT_NEAR(duplicated / (100 * 2 * Talkative::notes), 0.25, 0.02);
}

TEST(Channels, TakeAsLongAsTheirDelaySays) {
  Plan plan = plan_of(2);
  plan.workload = {.kind = Workload::Kind::turns, .entries = 2000};
  plan.workload.order.assign(2000, NodeId{1});
  plan.delay = {.kind = Delay::Kind::uniform, .low = 3 * message_time, .high = 4 * message_time};
  const Report uniform = run("central", plan);
  EXPECT_GE(uniform.client_delay.min, 6);
  EXPECT_LT(uniform.client_delay.min, 6.2);
  EXPECT_LE(uniform.client_delay.max, 8);
  EXPECT_GT(uniform.client_delay.max, 7.8);
  plan.delay = {.kind = Delay::Kind::heavy, .low = message_time};
  const Report heavy = run("central", plan);
  EXPECT_GE(heavy.client_delay.min, 1);  // half of the mean at least
  EXPECT_GT(heavy.client_delay.max, 10);
  EXPECT_NEAR(heavy.client_delay.mean(), 2, 0.2);
  plan.delay = {.kind = Delay::Kind::exponential, .low = message_time};
  const Report exponential = run("central", plan);
  EXPECT_LT(exponential.client_delay.min, 0.5);
  EXPECT_NEAR(exponential.client_delay.mean(), 2, 0.1);
}

TEST(Timers, MoveWhenArmedAgainAndAreSilentWhenCancelled) {
  Plan plan = talk();
  const auto [report, trace] = record<Alarmed>(plan);
  const auto timers = events_of(trace, TraceKind::timer);
  ASSERT_EQ(timers.size(), 1U);
  EXPECT_EQ(timers[0]->name, "0");
  EXPECT_EQ(timers[0]->at, 10 * message_time);
}

TEST(Timers, DieWithTheirProcess) {
  Plan plan = talk();
  plan.faults.schedule = {{.at = 2 * message_time, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = 3 * message_time, .kind = Fault::Kind::recover, .node = {0}}};
  EXPECT_TRUE(events_of(record<Alarmed>(plan).second, TraceKind::timer).empty());
}

TEST(MessagesToOneself, ArriveAtOnceAndAreNotCounted) {
  const auto [report, trace] = record<Selfish>(talk());
  EXPECT_EQ(report.entries, 1U);
  EXPECT_EQ(report.waiting.max, 0);
  EXPECT_EQ(report.messages(), 0U);
  EXPECT_EQ(report.bytes, 0U);
  EXPECT_TRUE(events_of(trace, TraceKind::send).empty());
}

TEST(Events, EachOfAStepIsTold) {
  const Report report = record<Boastful>(talk()).first;
  EXPECT_NE(report.violated(Promise::safety), nullptr);
}

TEST(CriticalSection, LastsAsLongAsPlanned) {
  Plan plan = talk();
  plan.critical_section = 7 * message_time;
  const auto [report, trace] = record<Open>(plan);
  EXPECT_EQ(events_of(trace, TraceKind::exit).at(0)->at, 7 * message_time);
}

TEST(Crash, EndsTheStayInsideAndNotTheNextOne) {
  Plan plan = talk();
  plan.critical_section = 10 * message_time;
  plan.workload.also = {{7 * message_time, {0}}};
  plan.faults.schedule = {{.at = 5 * message_time, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = 6 * message_time, .kind = Fault::Kind::recover, .node = {0}}};
  const auto [report, trace] = record<Open>(plan);
  const auto exits = events_of(trace, TraceKind::exit);
  ASSERT_EQ(exits.size(), 1U);
  EXPECT_EQ(exits[0]->at, 17 * message_time);
  EXPECT_EQ(report.entries, 2U);
}

TEST(Crash, ForgetsWhatTheApplicationStillWanted) {
  Plan plan = talk();
  plan.critical_section = 10 * message_time;
  plan.workload.also = {{message_time, {0}}, {2 * message_time, {0}}};
  plan.faults.schedule = {{.at = 5 * message_time, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = 6 * message_time, .kind = Fault::Kind::recover, .node = {0}}};
  EXPECT_EQ(record<Open>(plan).first.entries, 1U);
}

TEST(Crash, LosesAllThatTheProcessKnew) {
  // A coordinator that comes back does not know that someone is inside.
  Plan plan = plan_of(3);
  plan.critical_section = 100 * message_time;
  plan.workload = {.kind = Workload::Kind::one, .first = {1}, .also = {{20 * message_time, {2}}}};
  plan.faults.schedule = {{.at = 10 * message_time, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = 11 * message_time, .kind = Fault::Kind::recover, .node = {0}}};
  EXPECT_NE(run("central", plan).violated(Promise::safety), nullptr);
}

TEST(Crash, WhoWasInsideAtTheBeginningComesBackOutside) {
  Plan plan = plan_of(2);
  plan.inside = {0};
  plan.critical_section = 10 * message_time;
  plan.workload = {.kind = Workload::Kind::one, .first = {1}, .also = {}};
  plan.workload.kind = Workload::Kind::turns;
  plan.workload.order = {};
  plan.workload.also = {{5 * message_time, {1}}};
  plan.faults.schedule = {{.at = message_time, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = 2 * message_time, .kind = Fault::Kind::recover, .node = {0}}};
  const Report report = run("ricart-agrawala", plan);
  EXPECT_EQ(report.entries, 1U);
  EXPECT_TRUE(report.violations.empty());
}

TEST(Crash, WhoIsDownReceivesNothing) {
  Plan plan = plan_of(2);
  plan.workload = {.kind = Workload::Kind::one, .first = {1}};
  plan.faults.schedule = {{.at = Ticks{0}, .kind = Fault::Kind::crash, .node = {0}}};
  const Report report = run("central", plan);
  EXPECT_EQ(report.deliveries, 0U);
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.entries, 0U);
}

TEST(Recovery, LetsTheProcessGoOnWorking) {
  Plan plan = plan_of(2);
  plan.workload.kind = Workload::Kind::closed;
  plan.workload.entries = 100;
  plan.faults.schedule = {{.at = 20 * message_time, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = 30 * message_time, .kind = Fault::Kind::recover, .node = {0}}};
  const auto [report, trace] = record<Open>(plan);
  Ticks last{0};
  for (const TraceEvent* event : events_of(trace, TraceKind::enter)) {
    if (event->node == NodeId{0}) last = event->at;
  }
  EXPECT_GT(last, 30 * message_time);
}

TEST(Partition, CutsOffWhatIsUnderWay) {
  Plan plan = plan_of(2);
  plan.workload = {.kind = Workload::Kind::one, .first = {1}};
  plan.faults.schedule = {
      {.at = Ticks{message_time.value / 2}, .kind = Fault::Kind::partition, .side_of = {0, 1}}};
  const Report report = run("central", plan);
  EXPECT_EQ(report.deliveries, 0U);
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.entries, 0U);
}

TEST(Partition, CutsOffWhatIsSentDuringItThoughItHealsBeforeTheArrival) {
  Plan plan = plan_of(2);
  plan.workload = {.kind = Workload::Kind::one, .first = {1}, .also = {{5 * message_time, {0}}}};
  plan.faults.schedule = {{.at = Ticks{0}, .kind = Fault::Kind::partition, .side_of = {0, 1}},
                          {.at = Ticks{message_time.value / 2}, .kind = Fault::Kind::heal}};
  const Report report = run("central", plan);
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.entries, 1U);  // the coordinator's own
}

TEST(Run, EndsWhereAPromiseIsBrokenAndSaysSoInTheTrace) {
  Plan plan = plan_of(3);
  plan.workload.kind = Workload::Kind::saturated;
  plan.workload.entries = 500;
  plan.demands = {Promise::starvation_freedom};
  plan.starvation_bound = 1;
  Trace trace;
  const Report report = sim::find("token-ring-bidirectional")->run(plan, &trace);
  ASSERT_NE(report.violated(Promise::starvation_freedom), nullptr);
  EXPECT_EQ(report.ended, report.violated(Promise::starvation_freedom)->at);
  EXPECT_LT(report.entries, 500U);
  EXPECT_EQ(trace.verdict, report.violations.front().what);
  plan.demands = {};
  EXPECT_EQ(run("token-ring-bidirectional", plan).entries, 500U);
}

TEST(Run, EndsAtItsTimeLimit) {
  Plan plan = plan_of(3);
  plan.workload.kind = Workload::Kind::saturated;
  plan.workload.entries = 500;
  plan.time_limit = 100 * message_time;
  const Report report = run("ricart-agrawala", plan);
  EXPECT_LE(report.ended, 100 * message_time);
  EXPECT_GT(report.ended, 90 * message_time);
  EXPECT_LT(report.entries, 60U);
}

TEST(Load, CountsWhatAProcessSendsAndReceives) {
  Plan plan = plan_of(3);
  plan.workload = {.kind = Workload::Kind::one, .first = {1}};
  const Report report = run("central", plan);
  EXPECT_EQ(report.busiest_load, 3U);  // ENTER, GRANTED, RELEASED
  EXPECT_EQ(report.mean_load, 2);
}

TEST(Bytes, AreThoseOfTheEncodedMessages) {
  const Report report = record<Talkative>(talk()).first;
  std::uint64_t expected = 0;
  for (std::uint32_t i = 0; i < Talkative::notes; ++i) {
    expected += 2 * reflect::encoded_size(Open::Message{Open::Note{i}});
  }
  EXPECT_EQ(report.bytes, expected);
}

TEST(Workloads, PauseAndArriveAtTheGivenRates) {
  Plan plan = plan_of(4);
  plan.workload = {.kind = Workload::Kind::poisson, .entries = 4000};
  plan.workload.rate = 0.02;
  EXPECT_NEAR(run("central", plan).throughput(), 0.02, 0.002);
  plan.workload.kind = Workload::Kind::closed;
  plan.workload.think = 197 * message_time;  // with the entry and the stay, 200 per round
  EXPECT_NEAR(run("central", plan).throughput(), 4 / 200.0, 0.002);
}

TEST(Workloads, TheSeedDrawsWhoAsks) {
  std::set<std::uint32_t> drawn;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = plan_of(6);
    plan.seed = seed;
    plan.workload.requesters = 2;
    std::set<std::uint32_t> asked;
    const auto [report, trace] = record<Open>(plan);
    for (const TraceEvent* event : events_of(trace, TraceKind::request)) {
      asked.insert(event->node.value);
    }
    EXPECT_EQ(asked.size(), 2U);
    drawn.insert(asked.begin(), asked.end());
  }
  EXPECT_EQ(drawn.size(), 6U);
}

TEST(Choices, MakeTheTokenThatMayTurnBackARandomWalk) {
  // To a process at distance d it takes d(N−d) hops on average: here 4 · 4.
  double waited = 0;
  constexpr int runs = 4000;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    Plan plan = plan_of(8);
    plan.seed = seed;
    plan.workload = {.kind = Workload::Kind::one, .first = {4}};
    waited += run("token-ring-bidirectional", plan).waiting.sum;
  }
  EXPECT_NEAR(waited / runs, 16, 0.8);
}

TEST(EventQueue, GivesBackWhatWasPutIn) {
  sim::EventQueue queue;
  for (std::uint32_t i = 0; i < 40; ++i) queue.push(Ticks{0}, sim::EventKind::timer, nobody, i);
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(queue.pop().argument, i);
  for (std::uint32_t i = 40; i < 1000; ++i) queue.push(Ticks{1}, sim::EventKind::timer, nobody, i);
  for (std::uint32_t i = 1000; i < 1100; ++i)
    queue.push(Ticks{0}, sim::EventKind::timer, nobody, i);
  EXPECT_EQ(queue.size(), 1070U);
  for (std::uint32_t i = 30; i < 40; ++i) EXPECT_EQ(queue.pop().argument, i);
  for (std::uint32_t i = 1000; i < 1100; ++i) EXPECT_EQ(queue.pop().argument, i);
  for (std::uint32_t i = 40; i < 1000; ++i) EXPECT_EQ(queue.pop().argument, i);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, SortsTimesThatComeInAnyOrder) {
  sim::EventQueue queue;
  sim::Random random(5, 0);
  std::multiset<std::int64_t> pending;
  for (int i = 0; i < 20'000; ++i) {
    const auto at = static_cast<std::int64_t>(random.below(1'000'000));
    queue.push(Ticks{at}, sim::EventKind::timer, nobody);
    pending.insert(at);
    if (random.chance(0.4)) {
      ASSERT_EQ(queue.pop().at.value, *pending.begin());
      pending.erase(pending.begin());
    }
  }
  EXPECT_EQ(queue.size(), pending.size());
}

TEST(Measurement, AgreesOnlyWithinWhatTheorySays) {
  sim::Measurement one;
  one.value = 3;
  EXPECT_TRUE(one.agrees());  // theory says nothing
  one.expected = Expected::exactly(3);
  EXPECT_TRUE(one.agrees());
  one.expected = Expected::exactly(3.001);
  EXPECT_FALSE(one.agrees());
  one.expected = Expected::between(1, 2.9);
  EXPECT_FALSE(one.agrees());
  one.half_width = 0.5;
  one.expected = Expected::mean(3.4);
  EXPECT_TRUE(one.agrees());
  one.expected = Expected::mean(3.6);
  EXPECT_FALSE(one.agrees());
  one.expected = Expected::mean(2.4);
  EXPECT_FALSE(one.agrees());
}

TEST(Measurement, AStatedCostThatCannotBeMeasuredAgreesWithNothing) {
  const sim::Entry nothing{.info = []() -> const Info& {
                             static const Info info{
                                 .name = "nothing",
                                 .costs = {{Scenario::handover, Metric::delay, "1", constant<1>}}};
                             return info;
                           },
                           .run = [](const Plan&, Trace*) { return Report{}; }};
  const auto measured = sim::measure(nothing, default_setup(3), 1);
  const sim::Measurement* one = sim::find(measured, Scenario::handover, Metric::delay);
  ASSERT_NE(one, nullptr);
  EXPECT_FALSE(one->agrees());
}

TEST(Measurement, AHandOverIsToOneWhoWaitedLong) {
  // The bakery polls, so its hand-over depends on when the request came; the token's way does not.
  for (const std::uint32_t size : {3U, 10U}) {
    const auto measured = sim::measure(*sim::find("token-ring"), default_setup(size), 1);
    EXPECT_EQ(sim::find(measured, Scenario::handover, Metric::delay)->value, size - 2);
  }
}

TEST(Objection, IsMadeToEveryKindOfFaultThatIsNotTolerated) {
  const Info& info = sim::find("lamport")->info();
  const auto objection_to = [&](auto change) {
    Plan plan = plan_of(3);
    change(plan);
    return sim::objection(plan, info).value_or("");
  };
  const auto mentions = [](const std::string& text, const char* flag) {
    return text.find(std::string("--allow ") + flag) != std::string::npos;
  };
  EXPECT_TRUE(mentions(objection_to([](Plan& plan) { plan.faults.loss = 0.1; }), "loss"));
  EXPECT_TRUE(
      mentions(objection_to([](Plan& plan) { plan.faults.duplication = 0.1; }), "duplication"));
  EXPECT_TRUE(
      mentions(objection_to([](Plan& plan) { plan.faults.reordering = true; }), "reordering"));
  EXPECT_TRUE(mentions(objection_to([](Plan& plan) {
                         plan.faults.schedule = {
                             {.at = Ticks{0}, .kind = Fault::Kind::crash, .node = {0}}};
                       }),
                       "crash"));
  EXPECT_TRUE(mentions(objection_to([](Plan& plan) {
                         plan.faults.schedule = {{.at = Ticks{0},
                                                  .kind = Fault::Kind::partition,
                                                  .side_of = {0, 1, 1}}};
                       }),
                       "loss"));
}

TEST(Objection, JudgesAScheduleByTimeAndNotByTheOrderGiven) {
  Plan plan = plan_of(3);
  plan.may_break = {Assumption::no_crash};
  plan.faults.schedule = {{.at = Ticks{9}, .kind = Fault::Kind::recover, .node = {1}},
                          {.at = Ticks{5}, .kind = Fault::Kind::crash, .node = {1}}};
  EXPECT_EQ(sim::objection(plan, sim::find("lamport")->info()), std::nullopt);
}

TEST(Objection, IsMadeToAWorkloadThatWouldNeverEnd) {
  Plan plan = plan_of(3);
  plan.critical_section = Ticks{0};
  plan.workload.kind = Workload::Kind::saturated;
  EXPECT_TRUE(sim::objection(plan, sim::find("lamport")->info()).has_value());
}

}  // namespace
}  // namespace baton::test
