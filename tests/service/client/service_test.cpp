// The client library and the real server.
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <iostream>
#include <mutex>
#include <string_view>
#include <thread>

#include "baton/asio.h"
#include "baton/client.h"
#include "baton/server.h"
#include "service/client/fake_server.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Folder;

class Service : public testing::Test {
 protected:
  Client connect(ClientOptions options = {}) const {
    options.url = server_.url();
    return Client::connect(options).value();
  }
  bool waits(Client& client, const std::string& name, std::size_t count = 1) const {
    return eventually([&] {
      auto info = client.locks({.name = name});
      return info && !info->locks.empty() && info->locks[0].waiters.size() == count;
    });
  }

  Folder folder_;
  Server server_ = Server::start({.listen = {"unix:" + folder_.file("socket")}}).value();
};

TEST_F(Service, OneAtATimeInOrderWithGrowingFences) {
  auto a = connect();
  auto b = connect();
  auto first = a.lock("name").value();
  EXPECT_EQ(b.try_lock("name").error(), Error::busy);
  auto second = std::async(std::launch::async, [&] { return b.lock("name").value(); });
  ASSERT_TRUE(waits(a, "name"));
  EXPECT_TRUE(first.release());
  auto lock = second.get();
  EXPECT_TRUE(lock.is_held());
  EXPECT_GT(lock.fence(), first.fence());
}

TEST_F(Service, WaitWithADeadlineEnds) {
  auto a = connect();
  auto b = connect();
  auto held = a.lock("name").value();
  EXPECT_EQ(b.lock("name", {.wait = 50ms}).error(), Error::timed_out);
  EXPECT_EQ(b.lock_until("name", std::chrono::steady_clock::now() + 50ms).error(),
            Error::timed_out);
  EXPECT_EQ(b.lock_until("name", std::chrono::steady_clock::now() - 1s).error(), Error::timed_out);
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(b.lock_until("name", std::chrono::steady_clock::now() + 10s));
}

TEST_F(Service, WaitCanBeGivenUp) {
  auto a = connect();
  auto b = connect();
  auto held = a.lock("name").value();
  std::stop_source stop;
  auto gives_up = std::async(std::launch::async,
                             [&] { return b.lock("name", {.give_up = stop.get_token()}).error(); });
  ASSERT_TRUE(waits(a, "name"));
  stop.request_stop();
  EXPECT_EQ(gives_up.get(), Error::cancelled);
  EXPECT_TRUE(waits(a, "name", 0));
  EXPECT_EQ(b.lock("name", {.give_up = stop.get_token()}).error(), Error::cancelled)
      << "one that was given up before";
}

TEST_F(Service, LockIsReleasedWithItsObject) {
  auto client = connect();
  { auto lock = client.lock("name").value(); }
  auto again = connect().lock("name", {.wait = 10s});
  EXPECT_TRUE(again);
  auto lock = client.lock("other").value();
  lock = Lock();
  EXPECT_TRUE(connect().lock("other", {.wait = 10s}));
}

TEST_F(Service, ThreadReentersAndThreadsExclude) {
  auto client = connect();
  auto outer = client.lock("name").value();
  auto inner = client.try_lock("name");
  ASSERT_TRUE(inner) << inner.message();
  auto other = std::async(std::launch::async, [&] { return client.try_lock("name").error(); });
  EXPECT_EQ(other.get(), Error::busy);
  EXPECT_TRUE(inner->release());
  EXPECT_TRUE(outer.is_held());
  const Owner mine;
  EXPECT_EQ(client.try_lock("name", {.owner = mine}).error(), Error::busy);
  EXPECT_TRUE(outer.release());
  EXPECT_TRUE(client.try_lock("name", {.owner = mine}));
}

TEST_F(Service, SharedAndSlots) {
  auto a = connect();
  auto b = connect();
  auto c = connect();
  auto reader = a.lock("book", {.shared = true}).value();
  EXPECT_TRUE(reader.shared());
  EXPECT_TRUE(b.try_lock("book", {.shared = true}));
  EXPECT_EQ(c.try_lock("book").error(), Error::busy);
  auto one = a.lock("seats", {.slots = 2}).value();
  auto two = b.lock("seats", {.slots = 2}).value();
  EXPECT_NE(one.slot(), two.slot());
  EXPECT_EQ(c.try_lock("seats", {.slots = 2}).error(), Error::busy);
  EXPECT_EQ(c.try_lock("seats", {.slots = 3}).error(), Error::slots_differ);
}

TEST_F(Service, UpgradeAndDowngrade) {
  auto a = connect();
  auto b = connect();
  auto lock = a.lock("book").value();
  EXPECT_TRUE(lock.downgrade());
  EXPECT_TRUE(lock.shared());
  auto other = b.lock("book", {.shared = true}).value();
  const std::uint64_t before = lock.fence();
  auto upgraded = std::async(std::launch::async, [&] { return lock.upgrade(); });
  ASSERT_TRUE(waits(a, "book"));
  EXPECT_EQ(other.upgrade().error(), Error::would_deadlock);
  EXPECT_TRUE(other.release());
  EXPECT_TRUE(upgraded.get());
  EXPECT_FALSE(lock.shared());
  EXPECT_GT(lock.fence(), before);
  EXPECT_EQ(b.try_lock("book", {.shared = true}).error(), Error::busy);
  auto several = a.lock({"x", "y"}).value();
  EXPECT_EQ(several.downgrade().error(), Error::bad_request);
}

TEST_F(Service, SeveralNamesAllOrNone) {
  auto a = connect();
  auto b = connect();
  auto held = a.lock("y").value();
  EXPECT_EQ(b.try_lock({"x", "y"}).error(), Error::busy);
  EXPECT_TRUE(a.try_lock("x")->release());
  EXPECT_TRUE(held.release());
  auto both = b.try_lock({"x", "y"});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->names().size(), 2u);
  EXPECT_EQ(a.try_lock("x").error(), Error::busy);
}

TEST_F(Service, DeadlockIsRefusedAndNamed) {
  auto a = connect({.label = "alice"});
  auto b = connect({.label = "bob"});
  auto x = a.lock("x").value();
  auto y = b.lock("y", {.owner = Owner(1)}).value();
  auto waiting = std::async(std::launch::async, [&] { return b.lock("x", {.owner = Owner(1)}); });
  ASSERT_TRUE(waits(a, "x"));
  auto refused = a.lock("y");
  EXPECT_EQ(refused.error(), Error::would_deadlock);
  EXPECT_NE(refused.message().find("bob"), std::string::npos) << refused.message();
  EXPECT_TRUE(x.release());
  EXPECT_TRUE(waiting.get());
}

TEST_F(Service, BadRequestsSaySo) {
  auto client = connect();
  EXPECT_EQ(client.lock("").error(), Error::bad_request);
  EXPECT_FALSE(client.lock(std::string(600, 'x')));
  EXPECT_EQ(client.lock("\xff").error(), Error::bad_request);
  EXPECT_FALSE(client.put("key", std::string(70'000, 'x')));
  ClientOptions options{.url = server_.url(), .ttl = 1us};
  EXPECT_EQ(Client::connect(options).error(), Error::bad_request);
  EXPECT_TRUE(client.lock("name"));
}

TEST_F(Service, ClosedClientHoldsNothing) {
  auto other = connect();
  auto client = connect();
  auto lock = client.lock("name").value();
  EXPECT_TRUE(client.close());
  EXPECT_FALSE(lock.is_held());
  EXPECT_TRUE(lock.lost().stop_requested());
  EXPECT_EQ(client.lock("x").error(), Error::session_lost);
  EXPECT_EQ(lock.release().error(), Error::session_lost);
  EXPECT_TRUE(other.try_lock("name"));
}

TEST_F(Service, BrokenLockIsToldAndGivenBack) {
  auto holder = connect();
  auto other = connect();
  auto lock = holder.lock("name").value();
  std::promise<Error> lost;
  lock.on_lost([&](const Failure& why) { lost.set_value(why.error); });
  EXPECT_TRUE(other.break_lock("name"));
  EXPECT_EQ(lost.get_future().get(), Error::lock_lost);
  EXPECT_FALSE(lock.is_held());
  EXPECT_EQ(other.try_lock("name").error(), Error::busy) << "its holder has not stopped yet";
  EXPECT_EQ(lock.release().error(), Error::lock_lost);
  EXPECT_TRUE(other.lock("name", {.wait = 10s}));
}

TEST_F(Service, BreakByForceDoesNotWait) {
  auto holder = connect();
  auto other = connect();
  auto lock = holder.lock("name").value();
  EXPECT_TRUE(other.break_lock("name", true));
  EXPECT_TRUE(other.try_lock("name"));
  EXPECT_TRUE(eventually([&] { return !lock.is_held(); }));
  EXPECT_EQ(other.break_lock("nothing").error(), Error::not_found);
}

TEST_F(Service, LongestHoldEnds) {
  auto holder = connect();
  auto lock = holder.lock("name", {.max_hold = 50ms}).value();
  EXPECT_TRUE(eventually([&] { return !lock.is_held(); }));
  EXPECT_EQ(lock.why_lost().error, Error::lock_lost);
}

TEST_F(Service, BrokenSessionIsLost) {
  auto holder = connect();
  auto other = connect();
  auto lock = holder.lock("name").value();
  EXPECT_TRUE(other.break_session(holder.session(), true));
  EXPECT_TRUE(eventually([&] { return !lock.is_held(); }));
  EXPECT_FALSE(holder.is_alive());
  EXPECT_TRUE(other.lock("name", {.wait = 10s}));
}

TEST_F(Service, ElectionIsObservedInOrder) {
  auto a = connect();
  auto b = connect();
  auto watcher = connect();
  std::mutex mutex;
  std::vector<std::string> seen;
  auto watch = watcher.election("boss").observe([&](const LeaderChange& change) {
    const std::lock_guard lock(mutex);
    seen.push_back(std::string(1, "epr"[static_cast<int>(change.kind)]) + change.leader.value);
  });
  ASSERT_TRUE(watch);
  auto election = a.election("boss");
  EXPECT_FALSE(election.leader()->has_value());
  auto first = election.campaign("a").value();
  EXPECT_EQ(election.leader()->value().value, "a");
  EXPECT_EQ(election.leader()->value().term, first.term());
  auto second =
      std::async(std::launch::async, [&] { return b.election("boss").campaign("b").value(); });
  EXPECT_TRUE(first.proclaim("A"));
  ASSERT_TRUE(eventually([&] {
    return a.locks({.elections = true, .name = "boss"})->locks.at(0).waiters.size() == 1;
  }));
  EXPECT_TRUE(first.resign());
  auto leads = second.get();
  EXPECT_TRUE(leads.is_leader());
  EXPECT_GT(leads.term(), first.term());
  EXPECT_EQ(first.proclaim("late").error(), Error::not_held);
  // Of an election that begins alike nothing is heard.
  (void)a.election("bossy").campaign("x");
  EXPECT_TRUE(leads.resign());
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return seen.size() >= 5;
  }));
  const std::lock_guard lock(mutex);
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(seen[0], "ea");
  EXPECT_EQ(seen[1], "pA");
  EXPECT_EQ(seen[2].front(), 'r');
  EXPECT_EQ(seen[3], "eb");
  EXPECT_EQ(seen[4].front(), 'r');
}

TEST_F(Service, ObserverIsFirstToldWhoLeads) {
  auto client = connect();
  auto leads = client.election("boss").campaign("me").value();
  std::promise<LeaderChange> told;
  auto watch = connect().election("boss");
  auto observer = connect();
  auto observing = observer.election("boss").observe(
      [&](const LeaderChange& change) { told.set_value(change); });
  const LeaderChange change = told.get_future().get();
  EXPECT_EQ(change.kind, LeaderChange::Kind::elected);
  EXPECT_EQ(change.leader.value, "me");
  EXPECT_EQ(change.leader.term, leads.term());
}

TEST_F(Service, Files) {
  auto a = connect();
  EXPECT_EQ(a.get("key").error(), Error::not_found);
  EXPECT_EQ(a.put("key", "one", {.version = 0})->version, 1u);
  EXPECT_EQ(a.put("key", "two", {.version = 0}).error(), Error::conflict);
  EXPECT_EQ(a.put("key", "two", {.version = 1})->version, 2u);
  EXPECT_EQ(a.get("key")->value, "two");
  EXPECT_TRUE(a.put("kez", std::string("\0\xff", 2), {.tied = true}));
  EXPECT_TRUE(a.put("other", ""));
  auto list = a.list("ke").value();
  ASSERT_EQ(list.files.size(), 2u);
  EXPECT_EQ(list.files[1].value, std::string("\0\xff", 2));
  EXPECT_EQ(list.files[1].tied_to, a.session());
  EXPECT_EQ(a.list("ke", true)->files[0].value, "");
  EXPECT_EQ(a.remove("key", 1).error(), Error::conflict);
  EXPECT_TRUE(a.remove("key", 2));
  EXPECT_EQ(a.remove("key").error(), Error::not_found);
  auto b = connect();
  EXPECT_TRUE(b.put("by b", "", {.tied_to = a.session()}));
  EXPECT_TRUE(a.close());
  EXPECT_EQ(b.list("")->files.size(), 1u) << "the tied ones went";
  EXPECT_EQ(b.put("by b", "", {.tied_to = a.session()}).error(), Error::not_found);
  EXPECT_TRUE(b.is_alive());
}

TEST_F(Service, WatchTellsOfEveryChange) {
  auto a = connect();
  auto b = connect();
  EXPECT_TRUE(a.put("w/1", "before"));
  std::mutex mutex;
  std::vector<std::string> seen;
  const auto note = [&](const FileChange& change) {
    const std::lock_guard lock(mutex);
    seen.push_back(change.key + (change.removed ? " gone" : "=" + change.value));
  };
  auto watch = b.watch("w/", note);
  ASSERT_TRUE(watch);
  EXPECT_TRUE(a.put("w/1", "x"));
  EXPECT_TRUE(a.put("v/1", "not this"));
  EXPECT_TRUE(a.remove("w/1"));
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return seen.size() == 2;
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"w/1=x", "w/1 gone"}));
  *watch = Watch();
  EXPECT_TRUE(a.put("w/1", "unseen"));
  EXPECT_EQ(b.get("w/1")->value, "unseen");
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(Service, LongListsComeWhole) {
  auto client = connect();
  std::vector<std::future<void>> puts;
  std::atomic<int> left = 300;
  for (int i = 0; i < 300; ++i)
    client.async_put("long/" + std::to_string(1000 + i), std::string(30'000, 'x'), {},
                     [&](const Result<Stored>&) { --left; });
  ASSERT_TRUE(eventually([&] { return left == 0; }));
  auto list = client.list("long/");
  ASSERT_TRUE(list) << list.message();
  ASSERT_EQ(list->files.size(), 300u);
  for (std::size_t i = 0; i < 300; ++i)
    EXPECT_EQ(list->files[i].key, "long/" + std::to_string(1000 + i));
}

TEST_F(Service, TellsAboutItself) {
  auto a = connect({.label = "alice", .host = "here", .user = "me"});
  auto b = connect();
  auto held = a.lock("name", {.label = "backup"}).value();
  auto waiting = std::async(std::launch::async, [&] { return b.lock("name"); });
  ASSERT_TRUE(waits(a, "name"));
  const LocksInfo info = a.locks().value();
  ASSERT_EQ(info.locks.size(), 1u);
  ASSERT_EQ(info.locks[0].holders.size(), 1u);
  const HolderInfo& holder = info.locks[0].holders[0];
  EXPECT_EQ(holder.session, a.session());
  EXPECT_EQ(holder.fence, held.fence());
  EXPECT_EQ(holder.label, "backup");
  EXPECT_EQ(holder.who.label, "alice");
  EXPECT_EQ(holder.who.host, "here");
  EXPECT_EQ(holder.who.process, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(info.locks[0].waiters[0].session, b.session());
  ASSERT_EQ(info.edges.size(), 1u);
  EXPECT_EQ(info.edges[0].from_session, b.session());
  EXPECT_EQ(info.edges[0].to_session, a.session());
  EXPECT_EQ(a.sessions()->size(), 2u);
  EXPECT_EQ(a.status()->sessions, 2u);
  EXPECT_EQ(a.status()->waiters, 1u);
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(waiting.get());
}

TEST_F(Service, WithoutASessionOneMayLook) {
  auto client = connect({.session = false});
  EXPECT_EQ(client.session(), 0u);
  EXPECT_EQ(client.status()->sessions, 0u);
  EXPECT_TRUE(client.put("key", "value"));
  EXPECT_EQ(client.get("key")->value, "value");
  EXPECT_EQ(client.lock("name").error(), Error::bad_request);
  auto holder = connect();
  auto lock = holder.lock("name").value();
  EXPECT_TRUE(client.break_lock("name", true));
  EXPECT_TRUE(eventually([&] { return !lock.is_held(); }));
}

TEST_F(Service, DetachedSessionGoesOnAndIsFoundAgain) {
  auto other = connect();
  std::string token;
  {
    auto client = connect();
    auto lock = client.lock("name").value();
    token = client.detach()->to_string();
  }
  EXPECT_EQ(other.try_lock("name").error(), Error::busy);
  ClientOptions options{.url = server_.url()};
  {
    auto client = Client::attach(options, SessionTicket::parse(token).value());
    ASSERT_TRUE(client) << client.message();
    EXPECT_TRUE(client->is_alive());
    EXPECT_EQ(other.try_lock("name").error(), Error::busy);
    EXPECT_TRUE(client->close());
  }
  EXPECT_TRUE(other.try_lock("name"));
  EXPECT_EQ(Client::attach(options, SessionTicket::parse(token).value()).error(),
            Error::session_lost);
}

// The first owner of this process, for the test below.
TEST(Guards, DISABLED_PrintFirst) { std::cout << "owner " << Owner().id() << "\n"; }

// Whoever attaches to a session must not re-enter its locks by chance: owners that both sides made
// for themselves differ, although each was its process's first.
TEST(Guards, DifferBetweenProcesses) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "'" + self + "' --gtest_filter=Guards.DISABLED_PrintFirst --gtest_also_run_disabled_tests";
  const auto first_owner = [&] {
    FILE* output = popen(command.c_str(), "r");
    std::uint64_t owner = 0;
    for (char line[256]; fgets(line, sizeof line, output) != nullptr;)
      if (const std::string_view text = line; text.starts_with("owner "))
        owner = std::stoull(std::string(text.substr(6)));
    EXPECT_EQ(pclose(output), 0);
    return owner;
  };
  const std::uint64_t one = first_owner();
  const std::uint64_t other = first_owner();
  EXPECT_NE(one, 0U);
  EXPECT_NE(one, other);
}

TEST_F(Service, TcpWorksAsWell) {
  auto server = Server::start({.listen = {"baton://127.0.0.1:0"}}).value();
  auto client = Client::connect({.url = server.url()});
  ASSERT_TRUE(client) << server.url() << client.message();
  EXPECT_TRUE(client->lock("name"));
  // The first address of the two is nobody's.
  const std::string port = server.url().substr(server.url().rfind(':') + 1);
  auto second = Client::connect({.url = "baton://127.0.0.1:1,127.0.0.1:" + port});
  ASSERT_TRUE(second) << second.message();
  EXPECT_TRUE(second->lock("name", {.wait = 10s}));
}

TEST_F(Service, ServerThatCannotListenSaysSo) {
  EXPECT_EQ(Server::start({}).error(), Error::bad_request);
  EXPECT_FALSE(Server::start({.listen = {"unix:/nonexistent/socket"}}));
}

// --- Coroutines ---------------------------------------------------------------------------------

boost::asio::awaitable<int> count_up(Client& client, int& counter, int times) {
  for (int i = 0; i < times; ++i) {
    auto lock = co_await co_lock(client, "counter");
    if (!lock) co_return i;
    const int before = counter;
    (void)co_await co_put(client, "step", std::to_string(before));
    counter = before + 1;
    (void)co_await co_release(*lock);
  }
  co_return times;
}

TEST_F(Service, CoroutinesOfOneClientExcludeEachOther) {
  auto client = connect();
  int counter = 0;
  std::vector<std::future<int>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(boost::asio::co_spawn(executor_of(client), count_up(client, counter, 20),
                                        boost::asio::use_future));
  for (auto& one : all) EXPECT_EQ(one.get(), 20);
  EXPECT_EQ(counter, 160);
}

TEST_F(Service, CoroutinesRunWhereTheyAreSpawned) {
  auto client = connect();
  boost::asio::io_context io;
  std::thread::id where;
  boost::asio::co_spawn(
      io,
      [&]() -> boost::asio::awaitable<void> {
        auto election = client.election("boss");
        auto leads = co_await co_campaign(election, "me");
        EXPECT_TRUE(leads);
        where = std::this_thread::get_id();
        EXPECT_TRUE(co_await co_proclaim(*leads, "I"));
        auto leader = co_await co_leader(election);
        EXPECT_EQ(leader->value().value, "I");
        EXPECT_TRUE(co_await co_resign(*leads));
        EXPECT_EQ((co_await co_get(client, "nothing")).error(), Error::not_found);
      },
      boost::asio::detached);
  io.run();
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST_F(Service, CancelledCoroutineGivesUpItsWait) {
  auto a = connect();
  auto b = connect();
  auto held = a.lock("name").value();
  boost::asio::io_context io;
  boost::asio::cancellation_signal cancel;
  Error error = Error::none;
  boost::asio::co_spawn(
      io,
      [&]() -> boost::asio::awaitable<void> {
        auto lock = co_await co_lock(b, "name");
        error = lock.error();
      },
      boost::asio::bind_cancellation_slot(cancel.slot(), boost::asio::detached));
  auto running = std::async(std::launch::async, [&] { io.run(); });
  ASSERT_TRUE(waits(a, "name"));
  boost::asio::post(io, [&] { cancel.emit(boost::asio::cancellation_type::terminal); });
  running.get();
  EXPECT_EQ(error, Error::cancelled);
  EXPECT_TRUE(waits(a, "name", 0));
}

}  // namespace
}  // namespace baton
