// A host that shares its names with others, a gate that does as it is told, and real clients.
#include "service/server/gate.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "baton/client.h"
#include "cli/service/bench_load.h"
#include "service/server/host.h"

namespace baton::server {
namespace {

using namespace std::chrono_literals;

bool eventually(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

class ScriptedGate final : public Gate {
 public:
  void want(service::Namespace space, const std::string& name) override {
    note("want ", space, name);
    if (opens) host->open(space, name, {++fences});
  }
  void leave(service::Namespace space, const std::string& name) override {
    note("leave ", space, name);
    if (host->has_more_for_gate()) ++left_before_more;
  }
  void close() override {}
  service::Duration promised() const override { return {promised_us}; }
  service::Duration longest_promise() const override { return {longest_us}; }
  bool is_congested() const override { return is_full; }
  void led(const service::Change& change) override {
    const std::lock_guard lock(mutex_);
    led_ += (led_.empty() ? "" : ", ") + change.key + "=" + change.value;
  }
  std::string trouble() const override { return why_not; }
  void complete_locks(const proto::Read::Locks&, std::function<void(OthersLocks)> done) override {
    boost::asio::post(host->io(), [done = std::move(done), locks = elsewhere] { done(locks); });
  }
  void complete_status(proto::Status status,
                       std::function<void(const proto::Status&)> done) override {
    status.set_scope("a group of three");
    done(status);
  }

  // All that it was told: "want x, leave x", and "boss!" of the election boss.
  std::string told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  // Who leads here: "boss=first, boss=" as one comes and goes.
  std::string led() const {
    const std::lock_guard lock(mutex_);
    return led_;
  }

  Host* host = nullptr;
  std::atomic<bool> opens = true;
  static constexpr std::int64_t longest_us = 1'200'000;
  std::atomic<std::int64_t> promised_us = longest_us;
  std::atomic<bool> is_full = false;
  std::atomic<int> left_before_more = 0;
  std::uint64_t fences = 100;
  OthersLocks elsewhere;
  std::string why_not;

 private:
  void note(const char* what, service::Namespace space, const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (!told_.empty()) told_ += ", ";
    told_ += what + name + (space == service::Namespace::election ? "!" : "");
  }

  mutable std::mutex mutex_;
  std::string told_;
  std::string led_;
};

class GateTest : public testing::Test {
 protected:
  GateTest()
      : directory_(std::filesystem::temp_directory_path() /
                   ("baton-gate-test-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
    HostOptions options;
    options.listen = {"unix:" + (directory_ / "socket").string()};
    options.gate = &gate;
    host = std::make_unique<Host>(std::move(options));
    gate.host = host.get();
    thread_ = std::thread([this] { host->run(); });
  }
  ~GateTest() override {
    host->stop();
    thread_.join();
    host.reset();
    std::filesystem::remove_all(directory_);
  }

  Client connect() const {
    return Client::connect({.url = host->urls().front(), .fast = true}).value();
  }
  // On the loop's thread.
  void run(std::function<void()> what) {
    std::promise<void> done;
    boost::asio::post(host->io(), [&] {
      what();
      done.set_value();
    });
    done.get_future().get();
  }
  void let_in(const std::string& name, std::uint64_t fence) {
    run([&] { host->open(service::Namespace::lock, name, {fence}); });
  }
  bool hears(const std::string& all) {
    return eventually([&] { return gate.told() == all; });
  }

  ScriptedGate gate;
  std::unique_ptr<Host> host;

 private:
  std::filesystem::path directory_;
  std::thread thread_;
};

TEST_F(GateTest, ALockIsHadWhenTheGateOpens) {
  gate.opens = false;
  auto client = connect();
  auto waiting = std::async(std::launch::async, [&] { return client.lock("x").value(); });
  ASSERT_TRUE(hears("want x"));
  let_in("x", 41);
  auto lock = waiting.get();
  EXPECT_EQ(lock.fence(), 41U);
  EXPECT_TRUE(lock.release());
  EXPECT_TRUE(hears("want x, leave x"));
}

TEST_F(GateTest, AGateMayOpenBeforeItReturns) {
  auto a = connect();
  auto b = connect();
  std::uint64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    auto held = a.lock("x").value();
    auto waiting = std::async(std::launch::async, [&] { return b.lock("x").value(); });
    ASSERT_TRUE(eventually([&] { return a.locks()->edges.size() == 1; }));
    EXPECT_TRUE(held.release());
    auto next = waiting.get();
    EXPECT_GT(held.fence(), last);
    EXPECT_EQ(next.fence(), held.fence() + 1);
    last = next.fence();
    EXPECT_TRUE(next.release());
  }
}

TEST_F(GateTest, ATryFindsOutWhetherTheNameIsFree) {
  auto a = connect();
  auto lock = a.try_lock("x");
  ASSERT_TRUE(lock);
  EXPECT_EQ(connect().try_lock("x").error(), Error::busy);
  gate.opens = false;
  EXPECT_EQ(a.try_lock("y").error(), Error::busy);
  EXPECT_TRUE(hears("want x, want y, leave y"));
}

TEST_F(GateTest, WhereNothingIsGrantedThatIsWhatATryIsTold) {
  auto client = connect();
  gate.opens = false;
  run([&] { gate.why_not = "all others are gone"; });
  const auto tried = client.try_lock("x");
  EXPECT_EQ(tried.error(), Error::timed_out);
  EXPECT_NE(tried.message().find("all others are gone"), std::string::npos) << tried.message();
  const auto waited = client.lock("x", {.wait = 20ms});
  EXPECT_EQ(waited.error(), Error::timed_out);
  EXPECT_NE(waited.message().find("all others are gone"), std::string::npos) << waited.message();
}

TEST_F(GateTest, AnOpeningAfterTheWaitIsGivenBack) {
  gate.opens = false;
  auto client = connect();
  EXPECT_EQ(client.lock("x", {.wait = 20ms}).error(), Error::timed_out);
  EXPECT_TRUE(hears("want x, leave x"));
  let_in("x", 41);
  EXPECT_EQ(gate.told(), "want x, leave x, leave x");
}

// What is opened meanwhile could be taken back by what comes.
TEST_F(GateTest, IsToldWhetherThereIsMoreToSay) {
  auto a = connect();
  auto b = connect();
  auto x = a.lock("x").value();
  auto y = a.lock("y").value();
  auto waits = std::async(std::launch::async, [&] { return b.lock("x"); });
  ASSERT_TRUE(eventually([&] {
    const auto found = b.locks({.name = "x"});
    return found && !found->locks.empty() && !found->locks.front().waiters.empty();
  }));
  ASSERT_TRUE(a.close());
  EXPECT_TRUE(waits.get());
  EXPECT_GT(gate.left_before_more, 0);
  ASSERT_TRUE(b.close());
  EXPECT_TRUE(hears("want x, want y, leave x, want x, leave y, leave x"));
}

TEST_F(GateTest, WhatIsRevokedIsLost) {
  auto a = connect();
  auto b = connect();
  auto held = a.lock("x").value();
  auto waiting = std::async(std::launch::async, [&] { return b.lock("x").value(); });
  ASSERT_TRUE(eventually([&] { return a.locks()->edges.size() == 1; }));
  run([&] { host->revoke({service::Namespace::lock, "x", "the group has another view"}); });
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  EXPECT_FALSE(held.is_held());
  EXPECT_EQ(held.why_lost().message, "the group has another view");
  EXPECT_GT(waiting.get().fence(), held.fence());
}

TEST_F(GateTest, NoLeaseIsLongerThanWhatIsPromised) {
  const auto client =
      Client::connect({.url = host->urls().front(), .ttl = 60s, .loss_margin = 10s}).value();
  EXPECT_EQ(client.ttl(), 1200ms);
  EXPECT_EQ(client.loss_margin(), 600ms) << "half of it, at most, is for stopping";
  const auto brief = Client::connect({.url = host->urls().front(), .ttl = 1100ms}).value();
  EXPECT_EQ(brief.ttl(), 1100ms);
}

TEST_F(GateTest, WhoHoldsIsKeptAliveOnlyWhileThatIsPromised) {
  auto holds = connect();
  auto waits = connect();
  auto idle = connect();
  const auto held = holds.lock("x").value();
  auto waiting = std::async(std::launch::async, [&] { return waits.lock("x").value(); });
  ASSERT_TRUE(eventually([&] { return idle.locks()->edges.size() == 1; }));
  gate.promised_us = ScriptedGate::longest_us - 1;
  EXPECT_TRUE(eventually([&] { return !held.is_held(); }));
  EXPECT_EQ(held.why_lost().error, Error::session_lost);
  EXPECT_FALSE(holds.is_alive());
  // Its lease here is over as well, and the name goes on to who waits.
  gate.promised_us = ScriptedGate::longest_us;
  EXPECT_GT(waiting.get().fence(), held.fence());
  EXPECT_TRUE(waits.is_alive());
  EXPECT_TRUE(idle.is_alive()) << "who holds nothing is promised nothing";
}

// What comes first is read; then no more.
TEST_F(GateTest, ClientsAreNotReadFromWhileTheOthersDoNotKeepUp) {
  auto client = connect();
  gate.is_full = true;
  std::vector<std::future<Lock>> waiting;
  for (const char* name : {"first", "second", "last"}) {
    waiting.push_back(
        std::async(std::launch::async, [&client, name] { return client.lock(name).value(); }));
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_EQ(waiting.back().wait_for(0ms), std::future_status::timeout);
  EXPECT_EQ(gate.told().find("last"), std::string::npos) << gate.told();
  gate.is_full = false;
  EXPECT_GT(waiting.back().get().fence(), 0U);
}

TEST_F(GateTest, ASessionThatIsClosedGivesEverythingBack) {
  {
    auto client = connect();
    auto lock = client.lock("x").value();
    EXPECT_TRUE(client.close());
  }
  EXPECT_TRUE(hears("want x, leave x"));
}

TEST_F(GateTest, LeadersHereAndElsewhereAreSeenInOrder) {
  auto a = connect();
  auto b = connect();
  std::mutex mutex;
  std::string seen;
  auto election = b.election("boss");
  auto watch = election.observe([&](const LeaderChange& change) {
    static const char* const words[] = {"elected", "proclaimed", "resigned"};
    const std::lock_guard lock(mutex);
    seen += std::string(seen.empty() ? "" : ", ") + words[static_cast<int>(change.kind)] + " " +
            std::to_string(change.leader.term);
  });
  ASSERT_TRUE(watch);
  EXPECT_FALSE(election.leader().value());
  const auto say = [&](std::uint64_t fence, const std::string& value) {
    run([&] { host->elsewhere({"boss", {fence}, value, {.host = "far"}}); });
  };
  say(99, "there");
  const auto there = election.leader().value();
  ASSERT_TRUE(there);
  EXPECT_EQ(there->value, "there");
  EXPECT_EQ(there->term, 99U);
  say(99, "still there");
  auto leadership = a.election("boss").campaign("here").value();
  EXPECT_EQ(leadership.term(), 101U);
  EXPECT_EQ(election.leader().value()->value, "here");
  EXPECT_TRUE(leadership.resign());
  EXPECT_FALSE(election.leader().value());
  say(102, "there again");
  say(0, "");
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return seen ==
           "elected 99, proclaimed 99, resigned 99, elected 101, resigned 101, elected 102, "
           "resigned 102";
  })) << seen;
  EXPECT_EQ(gate.told(), "want boss!, leave boss!");
  EXPECT_EQ(gate.led(), "boss=here, boss=") << "of those elsewhere it has told itself";
}

TEST_F(GateTest, LocksTellWhatIsHeldElsewhere) {
  auto client = connect();
  auto x = client.lock("x").value();
  proto::Lock other;
  other.set_name("w");
  other.add_holders()->set_fence(7);
  other.mutable_holders(0)->mutable_who()->set_host("far");
  proto::Lock same;
  same.set_name("x");
  same.add_waiters()->set_ticket(1);
  run([&] { gate.elsewhere = {{other, same, same}, {"4"}}; });
  const LocksInfo info = client.locks().value();
  EXPECT_EQ(info.silent, std::vector<std::string>{"4"});
  const auto& locks = info.locks;
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0].name, "w");
  ASSERT_EQ(locks[0].holders.size(), 1U);
  EXPECT_EQ(locks[0].holders[0].who.host, "far");
  EXPECT_EQ(locks[1].name, "x");
  ASSERT_EQ(locks[1].holders.size(), 1U);
  EXPECT_EQ(locks[1].holders[0].session, client.session());
  ASSERT_EQ(locks[1].waiters.size(), 2U);
  EXPECT_EQ(locks[1].waiters[0].names, std::vector<std::string>{"x"});
}

TEST_F(GateTest, StatusTellsOfTheOthers) {
  EXPECT_EQ(connect().status().value().scope, "a group of three");
}

TEST_F(GateTest, WhatAGroupDoesNotHaveIsRefused) {
  auto client = connect();
  EXPECT_EQ(client.lock("x", {.shared = true}).error(), Error::unsupported);
  EXPECT_EQ(client.lock("x", {.slots = 3}).error(), Error::unsupported);
  EXPECT_EQ(client.lock({"x", "y"}).error(), Error::unsupported);
  EXPECT_EQ(client.put("f", "1").error(), Error::unsupported);
  EXPECT_EQ(client.get("f").error(), Error::unsupported);
  EXPECT_EQ(client.list("").error(), Error::unsupported);
  EXPECT_EQ(client.remove("f").error(), Error::unsupported);
  EXPECT_EQ(client.backup().error(), Error::unsupported);
  auto lock = client.lock("x").value();
  const auto downgraded = lock.downgrade();
  EXPECT_EQ(downgraded.error(), Error::unsupported);
  EXPECT_TRUE(
      downgraded.message().ends_with("a group of peers has exclusive locks and elections only"));
  std::promise<Error> ended;
  auto watch = client.watch("f", [](const FileChange&) {},
                            {.on_end = [&](const Failure& why) { ended.set_value(why.error); }});
  EXPECT_EQ(ended.get_future().get(), Error::unsupported);
}

TEST(Gate, NeedsAJournalInMemory) {
  ScriptedGate gate;
  HostOptions options;
  options.gate = &gate;
  options.journal = "sqlite:/nowhere";
  EXPECT_THROW(Host(std::move(options)), journal::Unusable);
}

TEST_F(GateTest, KeepsNoJournal) {
  auto client = connect();
  EXPECT_EQ(client.status().value().journal, "memory:");
}

TEST_F(GateTest, ALoadGoesOnAfterTheShortLeaseThatItWasGranted) {
  const auto length = 2 * std::chrono::microseconds(ScriptedGate::longest_us);
  const cli::LoadResult result =
      cli::run_load({.url = host->urls().front(), .clients = 2, .length = length});
  EXPECT_FALSE(result.pairs.empty());
}

}  // namespace
}  // namespace baton::server
