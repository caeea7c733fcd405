// The snapshot layer around protocols that know nothing of it.
#include <gtest/gtest.h>

#include "algorithms/mutex/ricart_agrawala.h"
#include "algorithms/mutex/suzuki_kasami.h"
#include "support/observed_group.h"

namespace baton::test {
namespace {

// Everybody asks and leaves at random; now and then somebody takes a snapshot.
template <class P, class Check>
void run_lock(std::uint32_t size, std::uint32_t seed, Check check) {
  ObservedGroup<P> group(default_setup(size), seed);
  enum class Status { idle, waiting, inside };
  std::vector<Status> status(size, Status::idle);
  std::size_t asked = 0;
  for (int i = 0; i < 400; ++i) {
    const NodeId node{group.choose(size)};
    if (group.choose(10) == 0) group.take_snapshot(node);
    if (status[node.value] == Status::idle && group.choose(3) == 0) {
      status[node.value] = Status::waiting;
      ++asked;
      group.command(node, [](P& lock, auto& out) { lock.request(out); });
    } else if (status[node.value] == Status::inside) {
      status[node.value] = Status::idle;
      group.command(node, [](P& lock, auto& out) { lock.release(out); });
    } else {
      group.step();
    }
    for (const auto& [who, entered] : group.take_events()) status[who.value] = Status::inside;
  }
  EXPECT_GT(asked, size);
  ASSERT_FALSE(group.found().empty());
  for (const GlobalState<P>& global : group.found()) check(global);
}

TEST(SnapshotOfALock, AtMostOneIsInside) {
  std::size_t somebody = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    run_lock<RicartAgrawala>(4, seed, [&](const GlobalState<RicartAgrawala>& global) {
      std::size_t inside = 0;
      for (const auto& state : global.states) inside += state.mode == RicartAgrawala::Mode::held;
      EXPECT_LE(inside, 1U);
      somebody += inside;
    });
  }
  EXPECT_GT(somebody, 0U);
}

// The token is at one process or under way: a cut that is not consistent would show two or none.
TEST(SnapshotOfALock, TheTokenIsInExactlyOnePlace) {
  std::size_t under_way = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    run_lock<SuzukiKasami>(4, seed, [&](const GlobalState<SuzukiKasami>& global) {
      std::size_t tokens = 0;
      for (const auto& state : global.states) tokens += state.token ? 1 : 0;
      for (const auto& one : global.channels) {
        if (!std::holds_alternative<SuzukiKasami::Token>(one.message)) continue;
        ++tokens;
        ++under_way;
      }
      EXPECT_EQ(tokens, 1U);
    });
  }
  EXPECT_GT(under_way, 0U);
}

}  // namespace
}  // namespace baton::test
