// Members that are stopped for longer than their lease, and go on as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "baton/fence.h"
#include "peers/member/algorithms.h"
#include "peers/member/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

class Paused : public testing::TestWithParam<std::string> {};

TEST_P(Paused, HolderIsToldAndItsLateWriteRefused) {
  Band band({.algorithm = GetParam()});
  auto fence = Fence::in_file(band.file("fence").string()).value();
  Client zombie = band.connect(0, 60s);
  Client second = band.connect(1);
  Client third = band.connect(2);
  const Lock old = zombie.lock("till").value();
  ASSERT_TRUE(fence.admit(old.fence()));

  band.pause(0);
  auto next = ask(second, "till");
  ASSERT_TRUE(comes(next)) << band.logs();
  EXPECT_FALSE(old.is_held()) << "it knows before anybody else can have it";
  Lock newer = next.get().value();
  EXPECT_GT(newer.fence(), old.fence());
  ASSERT_TRUE(fence.admit(newer.fence()));

  band.resume(0);
  EXPECT_EQ(old.why_lost().error, Error::session_lost) << to_string(old.why_lost());
  EXPECT_EQ(fence.admit(old.fence()).error(), Error::stale);
  EXPECT_TRUE(newer.is_held()) << "the zombie takes nothing away: " << to_string(newer.why_lost())
                               << "\n"
                               << band.logs();

  // It is a member as before.
  band.wait_until_all_work();
  zombie = band.connect(0);
  std::vector<std::future<Result<Lock>>> waiting;
  waiting.push_back(ask(zombie, "till"));
  waiting.push_back(ask(third, "till"));
  std::uint64_t last = newer.fence();
  ASSERT_TRUE(newer.release());
  const auto is_ready = [](const auto& one) {
    return one.wait_for(0s) == std::future_status::ready;
  };
  while (!waiting.empty()) {
    auto ready = waiting.end();
    ASSERT_TRUE(eventually([&] {
      ready = std::find_if(waiting.begin(), waiting.end(), is_ready);
      return ready != waiting.end();
    })) << band.logs();
    const Lock got = ready->get().value();
    waiting.erase(ready);
    EXPECT_GT(got.fence(), last);
    EXPECT_TRUE(fence.admit(got.fence()));
    last = got.fence();
  }
}

// What lets it in has come while it was paused, and the group has given the lock to another since.
TEST_P(Paused, WaiterIsNotLetInByWhatIsNoNews) {
  Band band({.algorithm = GetParam()});
  Client zombie = band.connect(0, 60s);
  Client second = band.connect(1);
  Client third = band.connect(2);
  Lock first = second.lock("till").value();
  auto stale = ask(zombie, "till");
  ASSERT_TRUE(eventually([&] {
    const auto info = zombie.locks({.name = "till"});
    return info && std::any_of(info->locks.begin(), info->locks.end(),
                               [](const LockInfo& one) { return !one.waiters.empty(); });
  })) << band.logs();
  band.pause(0);
  ASSERT_TRUE(first.release());
  auto next = ask(third, "till");
  ASSERT_TRUE(comes(next)) << band.logs();
  Lock newer = next.get().value();

  band.resume(0);
  band.wait_until_all_work();
  EXPECT_EQ(stale.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(band.verdict().wrong, std::vector<std::string>{});
  const std::uint64_t fence = newer.fence();
  ASSERT_TRUE(newer.release());
  ASSERT_TRUE(comes(stale)) << band.logs();
  EXPECT_GT(stale.get().value().fence(), fence);
}

INSTANTIATE_TEST_SUITE_P(ByAlgorithm, Paused,
                         testing::Values("ricart-agrawala", "suzuki-kasami", "central",
                                         "naimi-trehel", "token-ring", "maekawa-sanders"),
                         as_identifier);

// What a command leaves behind for the next one: whether it was still there.
class Commands : public testing::Test {
 protected:
  Commands() { setenv("F", band.file("").c_str(), 1); }

  // Neither itself nor what it has started hears of a TERM.
  std::string stubborn(std::size_t member) const {
    return "$BATON lock --url " + band.url(member) +
           " till -- sh -c 'trap \"\" TERM; sleep 1000 & echo $! > $F/child; echo $$ > $F/first; "
           "while :; do sleep 0.05; done'";
  }
  Outcome next(std::size_t member) const {
    return baton("lock --url " + band.url(member) +
                 " till -- sh -c '! kill -0 $(cat $F/first) && ! kill -0 $(cat $F/child)'");
  }
  bool is_inside() const {
    return eventually([&] { return std::filesystem::exists(band.file("first")); });
  }

  Band band;
};

TEST_F(Commands, AreGoneWhenTheNextOneRunsThoughTheirMemberIsPaused) {
  Running command(stubborn(2));
  ASSERT_TRUE(is_inside()) << command.err();
  band.pause(2);
  const Outcome other = next(0);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(command.wait(), 123) << command.err();
  EXPECT_TRUE(has(command.err(), "lost 'till'")) << command.err();
  band.resume(2);
  band.wait_until_all_work();
}

TEST_F(Commands, AreGoneWhenTheNextOneRunsThoughTheirMemberIsKilled) {
  Running command(stubborn(2));
  ASSERT_TRUE(is_inside()) << command.err();
  band.kill(2);
  const Outcome other = next(0);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(command.wait(), 123) << command.err();
}

// The new life knows nothing of them.
TEST_F(Commands, AreGoneWhenTheNextOneRunsThoughTheirMemberIsKilledAndStartedAgain) {
  Running command(stubborn(2));
  ASSERT_TRUE(is_inside()) << command.err();
  band.kill(2);
  band.start(2);
  const Outcome other = next(2);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_TRUE(band.will_say(2, "waits until the promises to them have expired"));
  EXPECT_EQ(command.wait(), 123) << command.err();
}

TEST_F(Commands, AreToldWhyBeforeTheirMemberHasLostTheLock) {
  Running command(stubborn(2));
  ASSERT_TRUE(is_inside()) << command.err();
  band.cut_off(2);
  const Outcome other = next(0);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(command.wait(), 123) << command.err();
  EXPECT_TRUE(has(command.err(), "lost contact with the group")) << command.err();
}

TEST_F(Commands, ThatNobodyWouldKeepAliveAreRefused) {
  const Outcome refused = baton("acquire --url " + band.url(0) + " till");
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_TRUE(has(refused.err, "leases last at most 3s")) << refused.err;
  const Outcome taken = baton("acquire --url " + band.url(0) + " --ttl 3s till");
  EXPECT_EQ(taken.code, 0) << taken.err;
}

// Nothing of the others has reached it that could have told it what time it is.
TEST(PausedMember, ThatIsCutOffTooGrantsNothingThatWasAskedForMeanwhile) {
  Band band({.algorithm = "central"});
  Client zombie = band.connect(0, 60s);
  Client other = band.connect(1);
  const std::uint64_t first = zombie.lock("till").value().fence();
  band.pause(0);
  band.cut_off(0);
  auto stale = ask(zombie, "till");
  auto asked = ask(other, "till");
  ASSERT_TRUE(comes(asked)) << band.logs();
  Lock held = asked.get().value();
  EXPECT_GT(held.fence(), first);

  band.resume(0);
  ASSERT_TRUE(eventually([&] {
    const auto info = band.status(0);
    return info && has(info->trouble, "only 1 of 3 members can be reached");
  })) << band.log(0);
  EXPECT_EQ(stale.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(band.verdict().wrong, std::vector<std::string>{});
  const std::uint64_t newer = held.fence();
  ASSERT_TRUE(held.release());
  band.heal();
  ASSERT_TRUE(comes(stale)) << band.logs();
  EXPECT_GT(stale.get().value().fence(), newer);
}

// A process and all below it, as far as they are there now.
std::vector<pid_t> tree_of(pid_t root) {
  std::vector<pid_t> all{root};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string process = "/proc/" + std::to_string(all[i]);
    std::ifstream children(process + "/task/" + std::to_string(all[i]) + "/children");
    for (pid_t child = 0; children >> child;) all.push_back(child);
  }
  return all;
}

// Everything of one machine is stopped: the member, `baton lock`, and the command. The command
// wakes before anybody can tell it, and writes.
TEST(PausedCommand, ThatWakesFirstIsRefusedByTheResource) {
  Band band;
  setenv("F", band.file("").c_str(), 1);
  auto fence = Fence::in_file(band.file("fence").string()).value();
  Running zombie("$BATON lock --url " + band.url(2) +
                 " till -- sh -c 'echo $$ >$F/id; while echo $BATON_FENCE >>$F/writes; do sleep "
                 "0.02; done'");
  const auto writes = [&] { return lines(contents(band.file("writes"))); };
  ASSERT_TRUE(eventually([&] { return writes() > 0; })) << zombie.err();
  const std::uint64_t old = std::stoull(contents(band.file("writes")));
  const pid_t command = std::stoi(contents(band.file("id")));
  ASSERT_TRUE(fence.admit(old));
  band.pause(2);
  const std::vector<pid_t> tree = tree_of(zombie.id());
  ASSERT_NE(std::find(tree.begin(), tree.end(), command), tree.end());
  for (const pid_t process : tree) ::kill(process, SIGSTOP);

  Client other = band.connect(0);
  auto asked = ask(other, "till");
  ASSERT_TRUE(comes(asked)) << band.logs();
  const Lock newer = asked.get().value();
  EXPECT_GT(newer.fence(), old);
  ASSERT_TRUE(fence.admit(newer.fence()));

  const std::size_t before = writes();
  for (const pid_t process : tree_of(command)) ::kill(process, SIGCONT);
  ASSERT_TRUE(eventually([&] { return writes() > before; })) << "nobody has told it anything";
  EXPECT_EQ(fence.admit(old).error(), Error::stale);

  band.resume(2);
  for (const pid_t process : tree) ::kill(process, SIGCONT);
  EXPECT_EQ(zombie.wait(), 123) << zombie.err();
  EXPECT_TRUE(has(zombie.err(), "lost 'till'")) << zombie.err();
  const std::size_t after = writes();
  EXPECT_TRUE(newer.is_held()) << "the zombie takes nothing away: " << to_string(newer.why_lost())
                               << "\n"
                               << band.logs();
  EXPECT_TRUE(fence.admit(newer.fence()));
  EXPECT_EQ(writes(), after) << "it is over";
}

}  // namespace
}  // namespace baton::test
