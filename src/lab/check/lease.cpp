// The lease protocol of the service in the checker.
#include <algorithm>
#include <array>

#include "lab/check/catalog.h"
#include "lab/check/checking.h"
#include "lab/check/lease_rules.h"
#include "lab/check/lease_world.h"

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

    // Both grades: one client of each.
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

// The bounds that show what a rule is for; larger ones would take longer.
struct Shown {
  service::LeaseRule rule;
  Budgets budgets;
  std::uint32_t requests = 1;
};
using service::LeaseRule;
constexpr Shown all_shown[] = {
    {LeaseRule::lease_from_send, {.delay = 1, .cut = 1}},
    {LeaseRule::drift_margin, {.drift = 1, .cut = 1}},
    {LeaseRule::final_loss, {.delay = 1, .cut = 1}},
    {LeaseRule::grant_under_lease, {.pause = 1}},
    {LeaseRule::newer_epoch_only, {.crash = 1, .delay = 1}},
    {LeaseRule::leases_anew, {.crash = 1, .cut = 1}},
    {LeaseRule::durable_expiry_first, {.crash = 1, .cut = 1}},
    {LeaseRule::refuse_after_expiry, {.cut = 1}},
    {LeaseRule::gap_extension, {.pause = 1}},
    {LeaseRule::report_before_grant, {.crash = 1}},
    {LeaseRule::report_first, {.crash = 1, .delay = 1}},
    {LeaseRule::request_ids, {.delay = 1, .cut = 1}},
    {LeaseRule::durable_grants, {.crash = 1}},
    {LeaseRule::new_epoch, {.crash = 1, .delay = 1}},
    {LeaseRule::fence_reserve, {.crash = 1}},
    {LeaseRule::grant_after_expiry, {.crash = 1, .pause = 1}},
    {LeaseRule::unheard_answers, {.crash = 1, .delay = 1}},
    {LeaseRule::leader_proof, {.takeover = 1, .faults = 1}, 0},
    {LeaseRule::proof_from_send, {.delay = 1, .takeover = 1, .faults = 1}, 0},
    {LeaseRule::early_takeover_wait, {.cut = 1, .takeover = 1, .faults = 1}, 0},
    {LeaseRule::leases_only_grow, {.delay = 1, .cut = 2, .takeover = 1, .faults = 3}, 0},
    {LeaseRule::append_compares, {.cut = 1, .takeover = 1, .faults = 1}},
    {LeaseRule::read_up_to_key, {.takeover = 1, .faults = 1}},
    {LeaseRule::farewell_last, {.crash = 1, .takeover = 1, .faults = 1}},
};

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
  Bounds bounds = lease_without(rule).bounds(setup);
  bounds.lease_rule = rule;
  for (const Shown& shown : all_shown) {
    if (shown.rule != rule) continue;
    bounds.budgets = shown.budgets;
    bounds.requests = shown.requests;
  }
  return bounds;
}

const Checkable& lease_takeover() {
  static const Checkable takeover{
      &info_of_takeover, [](const Setup& setup) { return bounds_of(setup, 2); }, &check_lease};
  return takeover;
}

}  // namespace baton::check
