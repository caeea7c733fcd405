// What each rule of the membership is for: a story that goes wrong as soon as the rule is left out.
#include "algorithms/layer/membership.h"

#include <gtest/gtest.h>

#include <deque>

#include "lab/sim/catalog.h"
#include "support/test_name.h"

namespace baton::test {
namespace {

using sim::Fault;
using sim::Layers;
using sim::Plan;
using sim::Report;
using sim::Workload;

// Memberships alone, driven by hand.
class Group : private Chooser {
 public:
  explicit Group(std::uint32_t size, Omission omission = Omission::nothing)
      : setup_(default_setup(size)), cut_off_(size) {
    setup_.omission = omission;
    for (std::uint32_t i = 0; i < size; ++i) members_.emplace_back(NodeId{i}, setup_);
    for (std::uint32_t i = 0; i < size; ++i) step({i}, [](auto& m, auto& out) { m.start(out); });
    deliver_all();
  }

  Membership& operator[](std::uint32_t node) { return members_[node]; }
  void cut_off(std::uint32_t node, bool is_cut = true) { cut_off_[node] = is_cut; }

  void tick(std::uint32_t node) {
    step({node}, [](auto& m, auto& out) { m.expire(TimerId{0}, out); });
  }
  // Everyone ticks and hears of it, so many times; who is cut off does neither.
  void pass_time(std::uint32_t ticks) {
    for (; ticks > 0; --ticks) {
      for (std::uint32_t i = 0; i < members_.size(); ++i) {
        if (!cut_off_[i]) tick(i);
      }
      deliver_all();
    }
  }
  void deliver_all() {
    while (!messages_.empty()) {
      const Envelope next = messages_.front();
      messages_.pop_front();
      if (cut_off_[next.from.value] || cut_off_[next.to.value]) continue;
      receive(next);
    }
  }
  // Delivers only what is of this type and to this process, and forgets the rest.
  template <class M>
  void deliver_only_to(std::uint32_t node) {
    const std::deque<Envelope> all = std::exchange(messages_, {});
    for (const Envelope& one : all) {
      if (one.to.value == node && std::holds_alternative<M>(one.message)) receive(one);
    }
  }
  bool leave(std::uint32_t node) {
    bool is_told = false;
    step({node}, [&](auto& m, auto& out) { is_told = m.leave(out); });
    return is_told;
  }
  void renew(std::uint32_t node) {
    step({node}, [](auto& m, auto& out) { m.renew(out); });
  }
  // What is under way stays so until it is let go.
  void hold_back() { held_back_.swap(messages_); }
  void let_go() { messages_.swap(held_back_); }
  // It comes back with what it kept.
  void restart(std::uint32_t node) {
    const Membership::Durable kept = members_[node].durable();
    members_[node] = Membership({node}, setup_, kept);
    step({node}, [](auto& m, auto& out) { m.start(out); });
  }

 private:
  struct Envelope {
    NodeId from;
    NodeId to;
    Membership::Message message;
  };

  std::uint32_t choose(std::uint32_t) override { return 0; }

  void receive(const Envelope& one) {
    step(one.to, [&](auto& m, auto& out) { m.receive(one.from, one.message, out); });
  }

  template <class Handler>
  void step(NodeId node, Handler handler) {
    Membership::Out out(*this);
    handler(members_[node.value], out);
    for (const auto& send : out.sends()) {
      const Envelope one{node, send.to, out.message(send)};
      // What a process sends to itself is delivered at once.
      if (send.to == node) {
        receive(one);
      } else {
        messages_.push_back(one);
      }
    }
  }

  Setup setup_;
  std::vector<Membership> members_;
  std::vector<bool> cut_off_;
  std::deque<Envelope> messages_;
  std::deque<Envelope> held_back_;
};

TEST(Membership, BeginsWithAViewOfEveryone) {
  Group group(5);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(group[i].is_active());
    EXPECT_EQ(group[i].view().members.size(), 5U);
    EXPECT_EQ(group[i].view().epoch, group[0].view().epoch);
  }
}

TEST(Membership, LeavesOutWhoIsSilentAndTakesItBack) {
  Group group(5);
  group.cut_off(0);
  group.pass_time(30);
  EXPECT_EQ(group[1].view().members.size(), 4U);
  EXPECT_EQ(group[1].view().find({0}), nullptr);
  group.cut_off(0, false);
  group.pass_time(30);
  EXPECT_EQ(group[1].view().members.size(), 5U);
  EXPECT_EQ(group[0].view().epoch, group[4].view().epoch);
}

TEST(Membership, DoesNothingWithoutAMajority) {
  Group group(5);
  group.pass_time(3);
  const Epoch before = group[3].view().epoch;
  EXPECT_TRUE(group[3].has_lease());
  for (const std::uint32_t down : {0U, 1U, 2U}) group.cut_off(down);
  group.pass_time(60);
  EXPECT_EQ(group[3].view().epoch, before);
  EXPECT_FALSE(group[3].has_lease());
  EXPECT_FALSE(group[4].has_lease());
}

TEST(Membership, ANewLifeHasANewIncarnation) {
  Group group(3);
  group.restart(2);
  group.deliver_all();
  group.pass_time(20);
  ASSERT_NE(group[0].view().find({2}), nullptr);
  EXPECT_EQ(group[0].view().find({2})->incarnation, Incarnation{2});
}

// Process 4 holds the lock and sleeps. The others go on without it, and another gets the lock and
// gives it back. Then 4 wakes up, and the first that reaches it is the proposal of a view.
std::vector<ViewHold> holds_after_a_view_in_between(Omission omission) {
  Group group(5, omission);
  group.pass_time(3);
  group[4].claim("", {group[4].view().epoch, 1});
  group.cut_off(4);
  group.pass_time(30);
  EXPECT_EQ(group[0].view().find({4}), nullptr);
  group[3].claim("", {group[3].view().epoch, 1});
  group[3].give_up("");
  group.cut_off(4, false);
  group.tick(4);  // shows that it is alive
  group.deliver_all();
  group.tick(0);
  group.deliver_only_to<Membership::Propose>(4);
  group.pass_time(30);
  EXPECT_NE(group[0].view().find({4}), nullptr);
  return group[0].view().holds;
}

TEST(HoldRule, AViewInBetweenEndsAHold) {
  EXPECT_TRUE(holds_after_a_view_in_between(Omission::nothing).empty());
}
TEST(HoldRule, WithoutItAnOldFenceOutranksANewerOne) {
  const std::vector<ViewHold> holds = holds_after_a_view_in_between(Omission::hold_rule);
  ASSERT_EQ(holds.size(), 1U);
  EXPECT_EQ(holds.front().holder, NodeId{4});
}

// A hold that nobody disputes is carried over, with its fence.
TEST(HoldRule, CarriesAHoldThroughTheCrashOfAnother) {
  Group group(5);
  group.pass_time(3);
  const FencingToken fence{group[4].view().epoch, 7};
  group[4].claim("", fence);
  group.cut_off(0);
  group.pass_time(30);
  ASSERT_EQ(group[1].view().holds.size(), 1U);
  EXPECT_EQ(group[1].view().holds.front().holder, NodeId{4});
  EXPECT_EQ(group[1].view().holds.front().fence, fence);
  EXPECT_TRUE(group[4].has_lease());
}

std::uint32_t ticks_without_2(Group& group) {
  for (std::uint32_t ticks = 0; ticks < 100; ++ticks) {
    if (group[0].view().find({2}) == nullptr) return ticks;
    group.pass_time(1);
  }
  return 100;
}

TEST(Farewell, IsNotSaidByWhoHoldsSomething) {
  Group group(3);
  group.pass_time(3);
  group[2].claim("", {group[2].view().epoch, 1});
  EXPECT_FALSE(group.leave(2));
  group[2].give_up("");
  EXPECT_TRUE(group.leave(2));
  group.deliver_all();
  group.cut_off(2);
  EXPECT_LT(ticks_without_2(group), default_setup(3).lease);
}

// The farewell comes late: its sender lives again, belongs to the group, and has a lease.
std::uint32_t ticks_after_a_late_farewell(Omission omission) {
  Group group(3, omission);
  group.pass_time(3);
  group.leave(2);
  group.hold_back();
  group.restart(2);
  group.deliver_all();
  group.pass_time(20);
  EXPECT_TRUE(group[2].has_lease());
  group.let_go();
  group.deliver_all();
  group.cut_off(2);
  return ticks_without_2(group);
}

TEST(Farewell, OfAnEarlierLifeSaysNothingOfTheNext) {
  EXPECT_GE(ticks_after_a_late_farewell(Omission::nothing), default_setup(3).lease);
}
TEST(Farewell, OfAnEarlierLifeWouldEndTheWaitForTheNext) {
  EXPECT_LT(ticks_after_a_late_farewell(Omission::farewells_by_life), default_setup(3).lease);
}

TEST(Renewal, IsAnotherViewWithTheSameMembersAndHolds) {
  Group group(3);
  group.pass_time(3);
  const Epoch before = group[0].view().epoch;
  const FencingToken fence{before, 1};
  group[2].claim("", fence);
  group.renew(1);
  group.deliver_all();
  EXPECT_GT(group[0].view().epoch, before);
  EXPECT_EQ(group[2].view().epoch, group[0].view().epoch);
  EXPECT_EQ(group[0].view().members.size(), 3U);
  ASSERT_EQ(group[0].view().holds.size(), 1U);
  EXPECT_EQ(group[0].view().holds.front().fence, fence);
  EXPECT_TRUE(group[2].has_lease());
}

TEST(Renewal, ThatSeveralWishForIsOneView) {
  Group group(3);
  group.pass_time(3);
  const Epoch before = group[0].view().epoch;
  const FencingToken fence{before, 1};
  group[2].claim("", fence);
  for (const std::uint32_t node : {2, 1, 0}) group.renew(node);
  group.deliver_all();
  EXPECT_EQ(group[0].view().epoch.number, EpochNumber{before.number.value + 1});
  ASSERT_EQ(group[1].view().holds.size(), 1U);
  EXPECT_EQ(group[1].view().holds.front().fence, fence);
  EXPECT_TRUE(group[2].has_lease());
}

// The rest shows in whole runs. Each story keeps its promises, and breaks them without the rule.
struct Story {
  const char* name;
  Omission omission;
  const char* algorithm;
  Promise breaks;
  Plan plan;
  std::uint64_t seeds = 1;  // from the plan's on; one of them must show it
};
void PrintTo(const Story& story, std::ostream* to) { *to << story.name; }

Fault fault(Fault::Kind kind, std::uint32_t node, double at) {
  return {.at = {static_cast<std::int64_t>(at * 1e6)}, .kind = kind, .node = {node}};
}
Fault crash(std::uint32_t node, double at) { return fault(Fault::Kind::crash, node, at); }
Fault recover(std::uint32_t node, double at) { return fault(Fault::Kind::recover, node, at); }

std::vector<Story> stories() {
  std::vector<Story> all;
  const auto plan = [](std::uint32_t size, std::uint64_t seed, Workload workload,
                       std::vector<Fault> schedule) {
    Plan made;
    made.setup = default_setup(size);
    made.seed = seed;
    made.workload = std::move(workload);
    made.faults.schedule = std::move(schedule);
    made.progress_bound = 500 * message_time;
    made.time_limit = 4000 * message_time;
    return made;
  };
  // Everyone crashes in turn; those who come back have forgotten how far epochs had got.
  all.push_back(
      {"ForgottenPromises", Omission::durable_promises, "ricart-agrawala", Promise::safety,
       plan(3, 349, {.kind = Workload::Kind::closed, .entries = 6, .think = 9 * message_time},
            {crash(1, 5), crash(2, 42), crash(0, 67), recover(0, 67), recover(1, 67)})});
  // A process restarts so soon that nobody notices, and its new life passes for the old one.
  all.push_back({"ReusedEpochs", Omission::unique_epochs, "suzuki-kasami", Promise::safety,
                 plan(5, 527, {}, {crash(3, 9), recover(3, 9)})});
  all.back().plan.setup.tree = Tree::line();
  // Process 1 wrongly takes 0 for dead while 0 is inside.
  all.push_back(
      {"NoWaitForLeases", Omission::waiting_for_leases, "suzuki-kasami", Promise::safety,
       plan(5, 154, {.kind = Workload::Kind::saturated, .entries = 6},
            {{.at = {31'838'687}, .kind = Fault::Kind::suspect, .node = {1}, .whom = {0}}})});
  all.back().plan.critical_section = {7'039'760};
  // 0 and 1 cannot see each other, and each is the first that it sees.
  all.push_back(
      {"DuellingProposers", Omission::loyalty, "ricart-agrawala", Promise::deadlock_freedom,
       plan(3, 1, {.kind = Workload::Kind::closed, .entries = 60},
            {{.at = 20 * message_time, .kind = Fault::Kind::cut, .node = {0}, .whom = {1}}})});
  // 0 leaves while the view that 2's crash requires is being changed, and never asks again.
  all.push_back(
      {"ReleaseWhileFrozen", Omission::release_replay, "central", Promise::deadlock_freedom,
       plan(3, 1, {.kind = Workload::Kind::one, .first = {1}, .also = {{25 * message_time, {0}}}},
            {crash(2, 12)})});
  all.back().plan.critical_section = 20 * message_time;
  // Views change because of wrong suspicions, and some message of an old one arrives in the new
  // one.
  all.push_back(
      {"StaleMessages", Omission::epoch_check, "ricart-agrawala", Promise::safety,
       plan(4, 1, {.kind = Workload::Kind::saturated, .entries = 30},
            {{.at = {20'300'000}, .kind = Fault::Kind::suspect, .node = {0}, .whom = {2}},
             {.at = {41'700'000}, .kind = Fault::Kind::suspect, .node = {0}, .whom = {3}},
             {.at = {90'100'000}, .kind = Fault::Kind::suspect, .node = {0}, .whom = {1}}})});
  all.back().plan.delay.kind = sim::Delay::Kind::exponential;
  all.back().seeds = 1000;
  return all;
}

class RuleOfTheLayer : public testing::TestWithParam<Story> {};

TEST_P(RuleOfTheLayer, IsNeeded) {
  const Story& story = GetParam();
  const sim::Runnable& subject = sim::find(story.algorithm)->with(Layers::resilient);
  Plan plan = story.plan;
  plan.may_break.add(Assumption::no_loss);
  bool is_broken = false;
  for (std::uint64_t i = 0; i < story.seeds && !is_broken; ++i) {
    plan.seed = story.plan.seed + i;
    plan.setup.omission = Omission::nothing;
    const Report kept = subject.run(plan, nullptr);
    ASSERT_EQ(kept.broken({Promise::safety, Promise::deadlock_freedom}), nullptr)
        << kept.violations.front().what;
    ASSERT_GT(kept.entries, 0U);
    plan.setup.omission = story.omission;
    is_broken = subject.run(plan, nullptr).violated(story.breaks) != nullptr;
  }
  EXPECT_TRUE(is_broken);
}

INSTANTIATE_TEST_SUITE_P(Stories, RuleOfTheLayer, testing::ValuesIn(stories()), as_printed);

}  // namespace
}  // namespace baton::test
