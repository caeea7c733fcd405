// The lease protocol of the service, as the checker knows it.
#include <algorithm>
#include <array>

#include "check/catalog.h"
#include "check/check.h"
#include "check/lease_rules.h"
#include "check/lease_world.h"

namespace baton::check {

namespace {

class LeaseModel {
 public:
  using State = LeaseWorld::State;
  using Step = LeaseWorld::Step;
  static constexpr std::size_t most_bytes = LeaseWorld::most_bytes;

  class Worker {
   public:
    explicit Worker(const LeaseModel& model) : world_(model.bounds_) {}

    // Both grades, and one client of each.
    template <class Visit>
    void initial(Visit visit) {
      visit(world_.first(false, false));
      visit(world_.first(true, true));
      visit(world_.first(true, false));
    }
    template <class Visit>
    void successors(const State& state, Visit visit) {
      steps_.clear();
      world_.possible(state, steps_);
      for (const Step& step : steps_) {
        next_ = state;
        world_.take(step, next_);
        visit(step, next_);
      }
    }
    PropertySet judge(const State& state) { return world_.judge(state); }
    bool within(const State&) const { return true; }
    std::size_t encode(const State& state, std::uint8_t* bytes) const {
      return LeaseWorld::encode(state, bytes);
    }
    void decode(const std::uint8_t* bytes, std::size_t, State& state) const {
      LeaseWorld::decode(bytes, state);
    }

   private:
    LeaseWorld world_;
    std::vector<Step> steps_;
    State next_;
  };

  explicit LeaseModel(const LeaseBounds& bounds) : bounds_(bounds) {}
  const std::vector<Property>& properties() const {
    return LeaseWorld::properties(bounds_.servers);
  }
  const LeaseBounds& bounds() const { return bounds_; }

 private:
  LeaseBounds bounds_;
};
static_assert(Model<LeaseModel>);

// The steps from each of these states to the next, in words.
void tell(const LeaseModel& model, const std::vector<LeaseModel::State>& states, Finding& finding) {
  LeaseModel::Worker worker(model);
  LeaseWorld world(model.bounds());
  const auto encoded = [&](const LeaseModel::State& state) {
    std::array<std::uint8_t, LeaseModel::most_bytes> bytes{};
    worker.encode(state, bytes.data());
    return bytes;
  };
  for (std::size_t i = 1; i < states.size(); ++i) {
    bool found = false;
    worker.successors(states[i - 1], [&](const auto& step, const auto& next) {
      if (found || encoded(next) != encoded(states[i])) return;
      found = true;
      finding.told.push_back(world.told(states[i - 1], step));
    });
  }
}

LeaseBounds lease_bounds(const Bounds& bounds) {
  return {.requests = bounds.requests,
          .cuts = bounds.budgets.cut,
          .late = bounds.budgets.delay,
          .crashes = bounds.budgets.crash,
          .pauses = bounds.budgets.pause,
          .drifts = bounds.budgets.drift,
          .takeovers = bounds.budgets.takeover,
          .faults = bounds.budgets.faults == 0 ? 100 : bounds.budgets.faults,
          .servers = bounds.setup.size - 2,
          .omitted = bounds.lease_rule};
}

Report check_lease(const Bounds& bounds, const CheckOptions& options) {
  Subject<LeaseModel> subject;
  subject.model = [&] { return std::make_unique<LeaseModel>(lease_bounds(bounds)); };
  subject.describe = &LeaseWorld::describe;
  subject.tell = &tell;
  return Checking<LeaseModel>(std::move(subject), options).run();
}

Info info_of(const char* name, const char* title) {
  return {
      .name = name,
      .title = title,
      .publication =
          "Gray and Cheriton, Leases, SOSP 1989; Burrows, The Chubby lock service, OSDI 2006",
      .idea = "A session lives while its client says so, and its client stops before it ends.",
      .kind = Kind::mutual_exclusion,
      .assumes = {},
      .promises = {Promise::safety},
      .problem = "a paused client believes that it still holds; the fence protects the resource",
      .perpetual = true,
      .survives_crashes = true,
      .costs = {},
      .election_costs = {},
      .seeds = {},
      .flaws = {}};
}

const Info& info_of_lease() {
  static const Info info = info_of("lease", "Leases of the lock service");
  return info;
}
const Info& info_of_takeover() {
  static const Info info =
      info_of("lease, two servers", "Leases of the lock service, and a takeover");
  return info;
}

Bounds bounds_of(const Setup& setup, std::uint32_t servers) {
  Bounds bounds;
  bounds.setup = setup;
  bounds.setup.size = 2 + servers;
  bounds.requests = 1;
  bounds.time.counts = true;
  bounds.budgets = {.crash = 1, .delay = 1, .pause = 1, .drift = 1, .cut = 1};
  bounds.budgets.takeover = servers - 1;
  bounds.budgets.faults = servers == 1 ? 2 : 1;
  return bounds;
}

}  // namespace

const Checkable& lease() {
  static const Checkable lease{
      &info_of_lease, [](const Setup& setup) { return bounds_of(setup, 1); }, &check_lease};
  return lease;
}

const Checkable& lease_without(service::LeaseRule rule) {
  return rule < service::LeaseRule::leader_proof ? lease() : lease_takeover();
}

Bounds lease_bounds_without(service::LeaseRule rule, const Setup& setup) {
  using enum service::LeaseRule;
  Bounds bounds = lease_without(rule).bounds(setup);
  bounds.lease_rule = rule;
  // What takes long to go wrong is looked for with no more than it takes.
  const auto show_by = [&](const Budgets& budgets, bool with_requests = false) {
    bounds.budgets = budgets;
    bounds.requests = with_requests ? 1 : 0;
  };
  if (rule == leader_proof) show_by({.takeover = 1, .faults = 1});
  if (rule == proof_from_send) show_by({.delay = 1, .takeover = 1, .faults = 1});
  if (rule == early_takeover_wait) show_by({.cut = 1, .takeover = 1, .faults = 1});
  if (rule == leases_only_grow) show_by({.delay = 1, .cut = 2, .takeover = 1, .faults = 3});
  if (rule == farewell_last) show_by({.crash = 1, .takeover = 1, .faults = 1}, true);
  return bounds;
}

const Checkable& lease_takeover() {
  static const Checkable takeover{
      &info_of_takeover, [](const Setup& setup) { return bounds_of(setup, 2); }, &check_lease};
  return takeover;
}

}  // namespace baton::check
