// The client library and a real server in a process of its own that is killed, stopped and started
// again; and clients that are.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <random>
#include <thread>

#include "baton/client.h"
#include "baton/fence.h"
#include "service/client/fake_server.h"
#include "service/client/server_process.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Folder;
using test::ServerProcess;

class Crash : public testing::Test {
 protected:
  Client connect(ClientOptions options = {}) const {
    options.url = server_.url();
    return Client::connect(options).value();
  }

  Folder folder_;
  ServerProcess server_{folder_.file("")};
};

TEST_F(Crash, LockOutlivesAKilledServer) {
  auto holder = connect();
  auto other = connect();
  auto lock = holder.lock("name").value();
  server_.kill_it();
  EXPECT_TRUE(lock.is_held());
  server_.start();
  EXPECT_EQ(other.try_lock("name").error(), Error::busy);
  EXPECT_TRUE(lock.is_held());
  EXPECT_FALSE(lock.lost().stop_requested());
  EXPECT_TRUE(lock.release());
  auto next = other.lock("name", {.wait = 10s});
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next->fence(), lock.fence());
}

TEST_F(Crash, LockOutlivesAServerThatEndsCleanly) {
  auto holder = connect();
  auto lock = holder.lock("name").value();
  server_.end_it();
  server_.start();
  EXPECT_TRUE(holder.put("key", "value"));
  EXPECT_TRUE(lock.is_held());
  EXPECT_TRUE(lock.release());
}

TEST_F(Crash, FastLockIsReported) {
  auto holder = connect({.fast = true});
  auto other = connect({.fast = true});
  auto lock = holder.lock("name", {.fast = true}).value();
  auto waiting = std::async(std::launch::async, [&] { return other.lock("name", {.fast = true}); });
  ASSERT_TRUE(eventually([&] { return holder.locks()->locks.at(0).waiters.size() == 1; }));
  server_.kill_it();
  server_.start();
  EXPECT_TRUE(holder.put("key", "value"));
  EXPECT_TRUE(lock.is_held());
  const auto info = holder.locks().value();
  ASSERT_EQ(info.locks.size(), 1u);
  ASSERT_EQ(info.locks[0].holders.size(), 1u);
  EXPECT_EQ(info.locks[0].holders[0].session, holder.session());
  EXPECT_EQ(info.locks[0].holders[0].fence, lock.fence());
  EXPECT_TRUE(lock.release());
  auto next = waiting.get();
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next->fence(), lock.fence());
}

TEST_F(Crash, WaitGoesOnWithTheNextServer) {
  auto a = connect();
  auto b = connect();
  auto lock = a.lock("name").value();
  auto waiting = std::async(std::launch::async, [&] { return b.lock("name"); });
  ASSERT_TRUE(eventually([&] { return a.locks()->locks.at(0).waiters.size() == 1; }));
  server_.kill_it();
  server_.start();
  EXPECT_TRUE(lock.release());
  EXPECT_TRUE(waiting.get());
}

// Nothing that was acknowledged is lost, and nothing is told twice.
TEST_F(Crash, WatchMissesNothing) {
  auto writer = connect();
  auto reader = connect();
  std::mutex mutex;
  std::vector<std::string> seen;
  auto watch = reader.watch("w/", [&](const FileChange& change) {
    const std::lock_guard lock(mutex);
    seen.push_back(change.value);
  });
  ASSERT_TRUE(watch);
  constexpr int count = 60;
  for (int i = 0; i < count; ++i) {
    if (i % 20 == 10) server_.kill_it();
    if (i % 20 == 10) server_.start();
    auto put = writer.put("w/x", std::to_string(i));
    ASSERT_TRUE(put) << put.message();
    EXPECT_EQ(put->version, static_cast<std::uint64_t>(i) + 1);
  }
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return seen.size() >= count;
  }));
  const std::lock_guard lock(mutex);
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST_F(Crash, ObserverMissesNothing) {
  auto leader = connect();
  auto observer = connect();
  std::mutex mutex;
  std::vector<std::uint64_t> terms;
  auto watch = observer.election("boss").observe([&](const LeaderChange& change) {
    const std::lock_guard lock(mutex);
    if (change.kind == LeaderChange::Kind::elected) terms.push_back(change.leader.term);
  });
  ASSERT_TRUE(watch);
  std::vector<std::uint64_t> were;
  for (int i = 0; i < 12; ++i) {
    if (i % 4 == 2) server_.kill_it();
    if (i % 4 == 2) server_.start();
    auto leads = leader.election("boss").campaign(std::to_string(i));
    ASSERT_TRUE(leads) << leads.message();
    were.push_back(leads->term());
    EXPECT_TRUE(leads->resign());
  }
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return terms.size() >= were.size();
  }));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(terms, were);
}

TEST_F(Crash, ServerThatStaysAwayCostsTheSession) {
  auto client = connect({.ttl = 1s});
  auto lock = client.lock("name").value();
  server_.kill_it();
  EXPECT_TRUE(eventually([&] { return lock.lost().stop_requested(); }));
  EXPECT_FALSE(lock.is_held());
  EXPECT_EQ(client.lock("x").error(), Error::session_lost);
}

// A server that is paused for a while is caught up with.
TEST_F(Crash, PausedServerIsWaitedFor) {
  auto client = connect();
  auto lock = client.lock("name").value();
  server_.pause_it();
  auto answered = std::async(std::launch::async, [&] { return client.put("key", "value"); });
  std::this_thread::sleep_for(300ms);
  server_.resume_it();
  EXPECT_TRUE(answered.get());
  EXPECT_TRUE(lock.is_held());
}

// The holder is stopped for longer than its lease and goes on: another has the lock by then, the
// first thing that the old holder sees is its loss, and what it does all the same is refused.
TEST_F(Crash, PausedHolderLosesTheLockAndItsFence) {
  int to_parent[2];
  int to_child[2];
  ASSERT_EQ(pipe(to_parent), 0);
  ASSERT_EQ(pipe(to_child), 0);
  const std::string fence_path = folder_.file("fence");
  const pid_t child = fork();
  if (child == 0) {
    auto client = connect({.ttl = 1s});
    auto lock = client.lock("name").value();
    auto fence = Fence::in_file(fence_path).value();
    char byte = lock.is_held() && fence.admit(lock.fence()) ? 'y' : 'n';
    (void)!write(to_parent[1], &byte, 1);
    if (read(to_child[0], &byte, 1) != 1) _exit(9);
    if (lock.is_held()) _exit(1);
    _exit(fence.admit(lock.fence()).error() == Error::stale ? 0 : 2);
  }
  char byte = 0;
  ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  auto other = connect();
  kill(child, SIGSTOP);
  auto lock = other.lock("name", {.wait = 30s});
  ASSERT_TRUE(lock) << lock.message();
  EXPECT_TRUE(Fence::in_file(fence_path)->admit(lock->fence()));
  ASSERT_EQ(write(to_child[1], "x", 1), 1);
  kill(child, SIGCONT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  for (const int end : {to_parent[0], to_parent[1], to_child[0], to_child[1]}) close(end);
}

TEST_F(Crash, KilledHolderIsFollowed) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto client = connect({.ttl = 1s});
    auto lock = client.lock("name").value();
    (void)!write(ready[1], "r", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto lock = connect().lock("name", {.wait = 30s});
  EXPECT_TRUE(lock) << lock.message();
  close(ready[0]);
  close(ready[1]);
}

// Threads of several clients take turns at a counter while the server is killed again and again.
// Nobody is ever inside together, fences grow, and nothing that was granted is forgotten.
TEST_F(Crash, CampaignOfKills) {
  constexpr int clients = 4;
  std::atomic<int> inside = 0;
  std::atomic<int> entries = 0;
  std::atomic<std::uint64_t> last_fence = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::future<std::string>> workers;
  for (int i = 0; i < clients; ++i) {
    workers.push_back(std::async(std::launch::async, [&, i]() -> std::string {
      auto client = connect({.ttl = 20s, .fast = i % 2 == 0});
      while (!is_over) {
        auto lock = client.lock("counter", {.fast = i % 2 == 0});
        if (!lock) return lock.message();
        if (++inside != 1) return "not alone";
        if (last_fence.exchange(lock->fence()) >= lock->fence()) return "a fence went back";
        ++entries;
        --inside;
        auto released = lock->release();
        if (!released) return released.message();
      }
      return {};
    }));
  }
  for (int round = 0; round < 6; ++round) {
    const int before = entries;
    EXPECT_TRUE(eventually([&] { return entries > before + 20; })) << "round " << round;
    server_.kill_it();
    server_.start();
  }
  const int before = entries;
  EXPECT_TRUE(eventually([&] { return entries > before + 20; }));
  is_over = true;
  for (auto& worker : workers) EXPECT_EQ(worker.get(), "");
  EXPECT_TRUE(eventually([&] { return connect().locks()->locks.empty(); }));
}

}  // namespace
}  // namespace baton
