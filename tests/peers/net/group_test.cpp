// Named locks and elections of a group, on the layers' own classes, under faults.
#include "peers/net/group.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "group_world.h"
#include "support/seeds.h"
#include "support/test_name.h"

namespace baton::net {
namespace {

std::vector<std::string> algorithms(Kind kind) {
  std::vector<std::string> names;
  for (const AnyClass* one : catalog()) {
    if (one->info().kind == kind && objection_to(*one).empty()) {
      names.emplace_back(one->info().name);
    }
  }
  return names;
}

void for_each_seed(std::uint64_t many, const std::function<void(std::uint64_t)>& try_it) {
  const std::uint64_t first = test::from_environment("BATON_FIRST_SEED", 1);
  const std::uint64_t count = test::from_environment("BATON_SEEDS", many);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    try_it(seed);
    if (testing::Test::HasFailure()) return;
  }
}

std::string word(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

class EveryLock : public testing::TestWithParam<std::string> {};
class EveryElection : public testing::TestWithParam<std::string> {};

TEST_P(EveryLock, OfManyNamesIsSafeAndGoesOn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GroupWorld world({.size = 4, .algorithm = GetParam(), .seed = seed, .names = 3});
    world.run(600 * message_time);
    EXPECT_GT(world.entries(), 20U) << seed;
    EXPECT_EQ(world.losses(), 0U) << seed;
    world.calm();
    world.run(900 * message_time);
    EXPECT_TRUE(world.is_quiet()) << "somebody waits for ever, seed " << seed;
    ASSERT_TRUE(world.violations().empty()) << world.violations().front();
  }
}

// A minority crashes, is cut off or wrongly suspected, comes back; the others go on. What went
// wrong, if something did.
std::string suffer(WorldOptions options) {
  const std::uint32_t size = options.size = static_cast<std::uint32_t>(3 + options.seed % 3);
  if (options.seed % 2 == 0) options.most_instances = 1;
  GroupWorld world(options);
  const std::uint32_t most_down = (size - 1) / 2;
  std::vector<NodeId> down;
  for (int round = 0; round < 12; ++round) {
    world.run(world.now() + Ticks{world.draw(static_cast<std::uint32_t>(80 * message_time.value))});
    const NodeId one{world.draw(size)};
    const NodeId other{world.draw(size)};
    switch (world.draw(5)) {
      case 0:
        if (world.is_up(one) && down.size() < most_down) {
          if (world.draw(2) == 0) {
            world.crash(one);
          } else {
            world.leave(one);
          }
          down.push_back(one);
        }
        break;
      case 1:
        for (const NodeId node : down) world.restart(node);
        down.clear();
        break;
      case 2:
        if (one != other) world.cut(one, other);
        break;
      case 3:
        world.mend();
        break;
      default:
        if (world.is_up(one) && one != other) world.suspect(one, other);
    }
    if (!world.violations().empty()) return world.violations().front();
  }
  world.mend();
  for (const NodeId node : down) world.restart(node);
  const std::uint64_t before = world.entries();
  world.run(world.now() + 600 * message_time);
  const std::string seed = ", seed " + std::to_string(options.seed);
  if (world.entries() == before) return "nobody gets in any more" + seed;
  world.calm();
  world.run(world.now() + 900 * message_time);
  if (!world.violations().empty()) return world.violations().front();
  return world.is_quiet() ? "" : "somebody waits for ever" + seed;
}

TEST_P(EveryLock, SurvivesWhatAMinoritySuffers) {
  for_each_seed(40, [&](std::uint64_t seed) {
    EXPECT_EQ(suffer({.algorithm = GetParam(), .seed = seed}), "");
  });
}

TEST_P(EveryElection, ArbitratesWhatIsCampaignedFor) {
  for_each_seed(40, [&](std::uint64_t seed) {
    EXPECT_EQ(suffer({.election = GetParam(), .seed = seed}), "");
  });
}

// --- Changes of view, while one holds a lock ----------------------------------------------------

// Process 1 of three is inside, and stays there.
class Held {
 public:
  explicit Held(const std::string& algorithm, Omission omission = Omission::nothing)
      : world(
            {.size = 3, .algorithm = algorithm, .names = 0, .omission = omission, .stays = true}) {
    world.run(100 * message_time);
    world.ask({1}, Namespace::lock, "x");
    EXPECT_TRUE(runs_until([&] { return is_held_by(1); }));
  }

  bool is_held_by(std::uint32_t node) const {
    return world.held({node}, Namespace::lock, "x").has_value();
  }
  bool runs_until(const std::function<bool()>& condition) {
    const Ticks end = world.now() + 300 * message_time;
    while (!condition() && world.now() < end)
      world.run(world.now() + Ticks{message_time.value / 10});
    return condition();
  }
  std::function<bool()> are_without_0() {
    return [this] { return is_in_view_of_two({1}) && is_in_view_of_two({2}); };
  }
  std::string violation() const {
    return world.violations().empty() ? "" : world.violations().front();
  }

  GroupWorld world;

 private:
  bool is_in_view_of_two(NodeId node) {
    const Membership& members = world.group(node).members();
    return members.is_active() && members.has_lease() && members.view().members.size() == 2;
  }
};

TEST_P(EveryLock, KeepsWhatIsHeldThroughTheCrashOfAnother) {
  Held held(GetParam());
  const FencingToken before = *held.world.held({1}, Namespace::lock, "x");
  held.world.crash({0});
  ASSERT_TRUE(held.runs_until(held.are_without_0()));
  held.world.ask({2}, Namespace::lock, "x");
  held.world.run(held.world.now() + 100 * message_time);
  EXPECT_EQ(held.world.held({1}, Namespace::lock, "x"), before);
  EXPECT_FALSE(held.is_held_by(2));
  held.world.leave({1}, Namespace::lock, "x");
  EXPECT_TRUE(held.runs_until([&] { return held.is_held_by(2); }));
  EXPECT_EQ(held.violation(), "");
}

// What was let go while the view changed is nobody's.
bool is_free_after_a_release_in_between(const std::string& algorithm, Omission omission) {
  Held held(algorithm, omission);
  held.world.crash({0});
  EXPECT_TRUE(held.runs_until([&] { return !held.world.group({1}).members().is_active(); }));
  held.world.leave({1}, Namespace::lock, "x");
  EXPECT_TRUE(held.runs_until(held.are_without_0()));
  held.world.ask({2}, Namespace::lock, "x");
  return held.runs_until([&] { return held.is_held_by(2); });
}

TEST_P(EveryLock, IsFreeIfItIsLetGoWhileTheViewChanges) {
  EXPECT_TRUE(is_free_after_a_release_in_between(GetParam(), Omission::nothing));
  EXPECT_FALSE(is_free_after_a_release_in_between(GetParam(), Omission::release_replay));
}

// Messages of an earlier view arrive when another one has begun.
TEST_P(EveryLock, IsNotHadByWhatWasSaidInAnEarlierView) {
  constexpr char in_view = 1;  // what such a message begins with
  Held held(GetParam());
  GroupWorld& world = held.world;
  world.leave({1}, Namespace::lock, "x");
  for (const std::uint32_t node : {2U, 0U, 1U}) {
    world.ask({node}, Namespace::lock, "x");
    ASSERT_TRUE(held.runs_until([&] { return held.is_held_by(node); }));
    if (node != 1) world.leave({node}, Namespace::lock, "x");
  }
  std::vector<std::string> old(world.sent().begin(), world.sent().end());
  std::erase_if(old, [](const std::string& bytes) { return bytes.front() != in_view; });
  ASSERT_FALSE(old.empty());
  const Epoch before = world.group({1}).members().view().epoch;
  ASSERT_TRUE(held.runs_until([&] {
    world.suspect({0}, {2});
    return world.group({0}).members().view().epoch != before;
  }));
  ASSERT_TRUE(held.runs_until([&] {
    for (const std::uint32_t node : {0U, 1U, 2U}) {
      const Membership& members = world.group({node}).members();
      const bool is_whole = members.is_active() && members.view().members.size() == 3;
      if (!is_whole || !members.has_lease() || members.view().epoch == before) return false;
    }
    return true;
  }));
  world.ask({2}, Namespace::lock, "x");
  for (const std::string& bytes : old) {
    for (const std::uint32_t from : {0U, 1U}) world.group({2}).receive({from}, bytes);
    world.group({0}).receive({1}, bytes);
    world.group({0}).receive({2}, bytes);
  }
  world.run(world.now() + 50 * message_time);
  EXPECT_TRUE(held.is_held_by(1));
  EXPECT_FALSE(held.is_held_by(2));
  EXPECT_EQ(held.violation(), "");
}

// What goes wrong if its holder is cut off.
std::string cut_off_holder(const std::string& algorithm, Omission omission) {
  Held held(algorithm, omission);
  for (const std::uint32_t other : {0U, 2U}) held.world.cut({1}, {other});
  held.world.ask({2}, Namespace::lock, "x");
  EXPECT_TRUE(held.runs_until([&] { return held.is_held_by(2); }));
  EXPECT_TRUE(held.runs_until([&] { return !held.is_held_by(1); }));
  return held.violation();
}

TEST_P(EveryLock, IsLostByWhoIsCutOffBeforeAnotherHasIt) {
  EXPECT_EQ(cut_off_holder(GetParam(), Omission::nothing), "");
  EXPECT_NE(cut_off_holder(GetParam(), Omission::waiting_for_leases), "");
}

// This world sees what goes wrong without rules of the layers. Others are missed too rarely to wait
// for it: algorithms/layer/membership_test.cpp has a story for each.
struct Rule {
  const char* name;
  Omission omission;
};
void PrintTo(const Rule& rule, std::ostream* to) { *to << rule.name; }

class EveryRule : public testing::TestWithParam<Rule> {};

TEST_P(EveryRule, IsMissedWhereItIsLeftOut) {
  std::string found;
  for (std::uint64_t seed = 1; found.empty() && seed <= 100; ++seed) {
    found = suffer({.algorithm = "naimi-trehel", .seed = seed, .omission = GetParam().omission});
  }
  EXPECT_NE(found, "") << "nobody notices";
}

INSTANTIATE_TEST_SUITE_P(Group, EveryRule,
                         testing::Values(Rule{"unique_epochs", Omission::unique_epochs},
                                         Rule{"stable_storage", Omission::stable_storage},
                                         Rule{"waiting_for_leases", Omission::waiting_for_leases},
                                         Rule{"release_replay", Omission::release_replay}),
                         test::as_printed);

// A member that has gone mad can break a lock, but not the process of another.
TEST_P(EveryLock, BytesThatWereChangedEndNobody) {
  GroupWorld world({.size = 4, .algorithm = GetParam(), .seed = 5, .names = 2});
  world.run(400 * message_time);
  std::mt19937_64 random(11);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = world.sent()[random() % world.sent().size()];
    for (std::size_t changes = 1 + random() % 2; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % (random() % 2 == 0 ? 8 : 256));
    }
    const NodeId to{static_cast<std::uint32_t>(random() % 4)};
    const NodeId from{(to.value + 1 + static_cast<std::uint32_t>(random() % 3)) % 4};
    world.group(to).receive(from, bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Group, EveryLock, testing::ValuesIn(algorithms(Kind::mutual_exclusion)),
                         word);
INSTANTIATE_TEST_SUITE_P(Group, EveryElection, testing::ValuesIn(algorithms(Kind::election)), word);

TEST(Group, RefusesWhatANetworkCannotPromise) {
  EXPECT_NE(objection_to(*find("bully")).find("no message takes longer"), std::string::npos);
  EXPECT_EQ(why_not_runnable("maekawa"),
            "it does not promise that anybody gets in: possible deadlock");
  EXPECT_EQ(why_not_runnable("wireless").find("there is no layer that lets it run in views: "), 0U);
  EXPECT_EQ(why_not_runnable("wrong-ricart-agrawala-counts-replies").find("Baton keeps it as"), 0U);
  EXPECT_EQ(why_not_runnable("nobody-s"), "there is no such algorithm for locks or elections");
  EXPECT_EQ(objection_to(*find("ricart-agrawala")), "");
  EXPECT_EQ(find("maekawa"), nullptr) << "it deadlocks by itself";
}

TEST(Group, WithoutAMajorityNobodyEnters) {
  GroupWorld world({.size = 3, .names = 0});
  world.run(100 * message_time);
  world.crash({1});
  world.crash({2});
  world.run(200 * message_time);
  ASSERT_TRUE(world.ask({0}, Namespace::lock, "x"));
  world.run(400 * message_time);
  EXPECT_FALSE(world.held({0}, Namespace::lock, "x"));
  world.restart({2});
  world.run(401 * message_time + 100 * message_time);
  EXPECT_GT(world.entries(), 0U);
}

// How long it takes until the others are a group without it.
Ticks time_without(bool says_farewell) {
  GroupWorld world({.size = 3, .names = 0});
  world.run(100 * message_time);
  const Ticks before = world.now();
  if (says_farewell) {
    EXPECT_TRUE(world.leave({2}));
  } else {
    world.crash({2});
  }
  for (int i = 0; i < 1000 && world.group({0}).members().view().members.size() == 3; ++i) {
    world.run(world.now() + message_time);
  }
  return world.now() - before;
}

TEST(Group, DoesNotWaitForTheLeaseOfWhoSaysFarewell) {
  const Ticks lease = default_setup(3).lease * Membership::tick_time;
  EXPECT_GT(time_without(false), lease);
  EXPECT_LT(time_without(true), lease);
}

TEST(Group, ForgetsUnusedNamesWithTheView) {
  GroupWorld world({.size = 3, .names = 0});
  world.run(100 * message_time);
  for (int i = 0; i < 50; ++i) world.ask({0}, Namespace::lock, "name" + std::to_string(i));
  world.run(150 * message_time);
  EXPECT_EQ(world.group({1}).instances(), 50U);
  world.crash({2});
  world.run(300 * message_time);
  EXPECT_EQ(world.group({0}).instances(), 0U);
  EXPECT_EQ(world.group({1}).instances(), 0U);
}

// Somebody uses ever new names, for ever.
TEST(Group, BeginsAnotherViewWhenMoreNamesWereUsedThanItKeeps) {
  constexpr std::uint64_t names = 300;
  constexpr std::size_t most = 20;
  GroupWorld world({.size = 3, .algorithm = "naimi-trehel", .names = 0, .most_instances = most});
  world.run(100 * message_time);
  const std::uint64_t views = world.group({0}).counters().views;
  for (std::uint32_t i = 0; i < names; ++i) {
    ASSERT_TRUE(world.ask({i % 3}, Namespace::lock, "name" + std::to_string(i)));
    world.run(world.now() + 5 * message_time);
    for (const NodeId node : {NodeId{0}, NodeId{1}, NodeId{2}}) {
      EXPECT_LE(world.group(node).instances(), 2 * most);
    }
  }
  world.run(world.now() + 100 * message_time);
  EXPECT_EQ(world.entries(), names);
  EXPECT_EQ(world.losses(), 0U);
  EXPECT_GT(world.group({0}).counters().views, views + 3);
  EXPECT_TRUE(world.violations().empty()) << world.violations().front();
}

TEST(Group, BytesOfOthersHarmNobody) {
  GroupWorld world({.size = 3, .names = 0});
  world.run(100 * message_time);
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (std::size_t left = random() % 40; left > 0; --left) {
      bytes.push_back(static_cast<char>(random() % (random() % 2 == 0 ? 8 : 256)));
    }
    world.group({0}).receive({1 + static_cast<std::uint32_t>(random() % 2)}, bytes);
  }
  EXPECT_FALSE(world.violations().empty()) << "it was noticed";
}

}  // namespace
}  // namespace baton::net
