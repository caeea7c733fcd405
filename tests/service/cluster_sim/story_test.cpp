// Stories of their own, which chance tells too rarely.
#include <gtest/gtest.h>

#include "service/cluster_sim/world.h"

namespace baton::cluster_sim {
namespace {

constexpr std::int64_t second_us = 1'000'000;
constexpr std::int64_t very_long_us = 1'000'000 * second_us;

// Two clients that want the same lock. Who has it is quiet.
WorldOptions two_clients(Flaw flaw) {
  ClientPlan holder;
  holder.names = {"a"};
  holder.least_hold_us = holder.longest_hold_us = 60 * second_us;
  holder.longest_pause_us = 0;
  ClientPlan other = holder;
  other.number = 1;
  return {.flaw = flaw, .clients = {holder, other}};
}

// Another server has taken the leader for dead, by mistake. Its lease in etcd goes on, and it is
// not told that its key is gone; nobody asks it for anything that it would have to write. The
// holder reaches only this server, and the other client only the two others.
std::string tell_of_a_deposed_leader(std::uint64_t seed, Flaw flaw) {
  World world(seed, two_clients(flaw));
  for (std::size_t server = 0; server < 3; ++server) world.block(world.client(1), server, true);
  world.begin();
  world.pass(2 * second_us);
  SimServer* leader = world.leader();
  if (leader == nullptr || world.judge().entries() != 1) return "the story does not begin";
  leader->etcd().set_faults({.most_watch_lag_us = very_long_us});
  const auto number = static_cast<std::size_t>(std::stoul(leader->url()));
  for (const std::size_t other : {(number + 1) % 3, (number + 2) % 3}) {
    world.block(world.client(0), other, true);
    world.block(world.client(1), other, false);
  }
  world.server((number + 1) % 3).suspect();
  world.pass(20 * second_us);
  if (world.problem().empty() && world.judge().entries() < 2) return "the story does not go on";
  return world.problem();
}

TEST(ClusterSimStory, ALeaderThatHearsNothingOfItsEndStopsToKeepSessionsAlive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(tell_of_a_deposed_leader(seed, Flaw::none), "") << "seed " << seed;
  }
}

TEST(ClusterSimStory, WhoOnlyHasItsLeaseMayHaveBeenDeposed) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string problem = tell_of_a_deposed_leader(seed, Flaw::keys_not_looked_at);
    const bool is_told = problem.find("the story") == problem.npos;
    if (is_told && !problem.empty()) ++found;
  }
  EXPECT_EQ(found, 20);
}

}  // namespace
}  // namespace baton::cluster_sim
