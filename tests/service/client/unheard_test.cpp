// Grants that a client never heard of, since its connection was broken, and that were taken away
// before it came back; and holds of a session that another process takes over.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <optional>

#include "baton/client.h"
#include "baton/server.h"
#include "service/client/fake_server.h"
#include "service/client/proxy.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class Unheard : public testing::Test {
 protected:
  Client direct() const { return Client::connect({.url = server_.url(), .ttl = 10min}).value(); }

  std::size_t holders(const std::string& name) { return entry(name).holders.size(); }
  std::size_t waiters(const std::string& name) { return entry(name).waiters.size(); }
  LockInfo entry(const std::string& name, bool election = false) {
    const auto known = operator_.locks({.elections = election, .name = name}).value();
    return known.locks.empty() ? LockInfo{} : known.locks[0];
  }
  std::future<Result<Lock>> lock_in_background(Client& client, const Names& names,
                                               const LockOptions& options = {}) {
    return std::async(std::launch::async,
                      [&client, names, options] { return client.lock(names, options); });
  }
  // What is granted to the client from here on it does not hear, until it is connected again.
  void disconnect() {
    proxy_.reset();
    unlink(folder_.file("proxy").c_str());
  }
  void connect() { proxy_.emplace(folder_.file("proxy"), folder_.file("socket")); }

  test::Folder folder_;
  Server server_ = Server::start({.listen = {"unix:" + folder_.file("socket")}}).value();
  std::optional<test::Proxy> proxy_{std::in_place, folder_.file("proxy"), folder_.file("socket")};
  Client operator_ = direct();
  Client client_ =
      Client::connect(
          {.url = "unix:" + folder_.file("proxy"), .ttl = 10min, .patience = 60s, .fast = true})
          .value();
};

TEST_F(Unheard, AGrantThatWasTakenAwayIsNotTold) {
  for (const bool by_force : {false, true})
    for (const bool is_fast : {false, true}) {
      auto next = direct();
      auto before = operator_.lock("name").value();
      auto asking = lock_in_background(client_, "name", {.fast = is_fast});
      ASSERT_TRUE(eventually([&] { return waiters("name") == 1; }));
      disconnect();
      ASSERT_TRUE(before.release());
      ASSERT_TRUE(eventually([&] { return holders("name") == 1; }));
      auto waiting = lock_in_background(next, "name");
      if (!by_force) ASSERT_TRUE(eventually([&] { return waiters("name") == 1; }));
      ASSERT_TRUE(operator_.break_lock("name", by_force));
      connect();
      EXPECT_EQ(asking.get().error(), Error::lock_lost);
      auto lock = waiting.get();
      ASSERT_TRUE(lock) << "nobody works on it: it is given back";
      EXPECT_TRUE(lock->is_held());
      EXPECT_TRUE(client_.lock("other")) << "the session goes on";
    }
}

TEST_F(Unheard, WhatWasTakenTogetherWithItIsGivenBack) {
  auto before = operator_.lock("a").value();
  auto kept = client_.lock("c", {.owner = Owner(7)}).value();
  auto asking = lock_in_background(client_, {"a", "b", "c"}, {.owner = Owner(7)});
  ASSERT_TRUE(eventually([&] { return waiters("a") == 1; }));
  disconnect();
  ASSERT_TRUE(before.release());
  ASSERT_TRUE(eventually([&] { return holders("b") == 1; }));
  ASSERT_TRUE(operator_.break_lock("a"));
  connect();
  EXPECT_EQ(asking.get().error(), Error::lock_lost);
  EXPECT_TRUE(operator_.lock({"a", "b"}, {.wait = 60s})) << "nobody holds them for nothing";
  EXPECT_TRUE(kept.is_held());
  EXPECT_EQ(operator_.try_lock("c").error(), Error::busy) << "it was held before";
  EXPECT_TRUE(kept.release());
  EXPECT_TRUE(operator_.lock("c", {.wait = 60s})) << "and is released as often as it was taken";
}

// --- Sessions that are taken over ---------------------------------------------------------------

class Attached : public Unheard {
 protected:
  Client attach() { return Client::attach({.url = server_.url()}, ticket_).value(); }

  SessionTicket ticket_;
};

TEST_F(Attached, AHoldThatWasTakenAwayIsReportedAndNotGivenBack) {
  for (const LockOptions& options :
       {LockOptions{}, LockOptions{.shared = true}, LockOptions{.slots = 2}}) {
    auto holder = direct();
    auto lock = holder.lock({"name", "other"}, options).value();
    ticket_ = holder.detach().value();
    auto next = direct();
    auto waiting = lock_in_background(next, "name", {.slots = options.slots});
    std::optional<Lock> second;
    if (options.slots == 1)
      ASSERT_TRUE(eventually([&] { return waiters("name") == 1; }));
    else
      ASSERT_TRUE(eventually([&] { return holders("name") == 2; }));
    ASSERT_TRUE(attach().detach());
    ASSERT_TRUE(operator_.break_lock("name"));
    for (int i = 0; i < 2; ++i) {
      auto client = attach();
      const auto lost = client.lost_holds();
      ASSERT_EQ(lost.size(), 1u);
      EXPECT_EQ(lost[0].name, "name");
      EXPECT_FALSE(lost[0].election);
      EXPECT_GT(lost[0].fence, 0u);
      EXPECT_EQ(lost[0].reason, "it was broken by an operator");
      EXPECT_TRUE(client.status()) << "whatever it has said before has arrived";
      EXPECT_EQ(holders("name"), options.slots) << "the work may go on";
      EXPECT_TRUE(client.detach()) << "the session goes on";
    }
    auto client = attach();
    EXPECT_EQ(client.close().error(), Error::lock_lost);
    EXPECT_TRUE(waiting.get());
    EXPECT_TRUE(eventually([&] { return holders("other") == 0; }));
  }
}

TEST_F(Attached, AlsoWhenItIsTooLateOrByForce) {
  auto holder = direct();
  auto lock = holder.lock("name").value();
  ticket_ = holder.detach().value();
  ASSERT_TRUE(operator_.break_lock("name", true));
  auto next = operator_.lock("name").value();
  auto client = attach();
  ASSERT_EQ(client.lost_holds().size(), 1u);
  EXPECT_EQ(client.close().error(), Error::lock_lost);
  EXPECT_TRUE(next.is_held());
}

TEST_F(Attached, LeadershipsAsWell) {
  auto holder = direct();
  auto leadership = holder.election("boss").campaign("me").value();
  ticket_ = holder.detach().value();
  ASSERT_TRUE(operator_.break_election("boss"));
  auto client = attach();
  const auto lost = client.lost_holds();
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].name, "boss");
  EXPECT_TRUE(lost[0].election);
  EXPECT_TRUE(client.status());
  EXPECT_EQ(entry("boss", true).holders.size(), 1u);
  EXPECT_EQ(client.close().error(), Error::lock_lost);
  EXPECT_EQ(entry("boss", true).holders.size(), 0u);
}

TEST_F(Attached, WhatItTakesItselfItGivesBack) {
  auto holder = direct();
  ticket_ = holder.detach().value();
  auto client = attach();
  auto lock = client.lock("name").value();
  ASSERT_TRUE(operator_.break_lock("name"));
  ASSERT_TRUE(eventually([&] { return !lock.is_held(); }));
  EXPECT_TRUE(client.lost_holds().empty()) << "it is its own Lock that tells";
  EXPECT_EQ(lock.release().error(), Error::lock_lost);
  EXPECT_TRUE(operator_.lock("name"));
  EXPECT_TRUE(client.close());
}

}  // namespace
}  // namespace baton
