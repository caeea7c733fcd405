// The connection between a real client and a real server is cut at every byte of an acquire, in
// either direction: it is granted once, nothing is left in the queue, and the release works.
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "baton/client.h"
#include "baton/server.h"
#include "service/client/fake_server.h"
#include "service/client/proxy.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using Direction = test::Proxy::Direction;

class Cut : public testing::TestWithParam<Direction> {
 protected:
  Client through_the_proxy() const {
    return Client::connect({.url = "unix:" + folder_.file("proxy"), .patience = 60s}).value();
  }
  Client direct() const { return Client::connect({.url = server_.url()}).value(); }

  // So many bytes a whole turn takes.
  std::size_t length() {
    proxy_.cut_after(GetParam(), SIZE_MAX);
    turn(nullptr);
    return proxy_.passed(GetParam());
  }

  // Takes the lock and lets it go; if somebody holds it, after having waited for that.
  void turn(Lock* held) {
    auto client = through_the_proxy();
    auto taking = std::async(std::launch::async, [&] { return client.lock("name"); });
    if (held != nullptr) {
      ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
      ASSERT_TRUE(held->release());
    }
    auto lock = taking.get();
    ASSERT_TRUE(lock) << lock.message();
    const auto known = watcher_.locks().value();
    ASSERT_EQ(known.locks.size(), 1u);
    ASSERT_EQ(known.locks[0].holders.size(), 1u) << "granted twice";
    EXPECT_EQ(known.locks[0].holders[0].fence, lock->fence());
    EXPECT_EQ(known.locks[0].holders[0].session, client.session());
    EXPECT_TRUE(known.locks[0].waiters.empty()) << "left in the queue";
    EXPECT_GT(lock->fence(), last_fence_);
    last_fence_ = lock->fence();
    EXPECT_TRUE(lock->release());
    EXPECT_TRUE(watcher_.locks()->locks.empty()) << "released";
    EXPECT_TRUE(client.close());
    EXPECT_EQ(watcher_.sessions()->size(), 1u) << "a session was opened twice";
  }

  std::size_t waiting() {
    const auto known = watcher_.locks().value();
    return known.locks.empty() ? 0 : known.locks[0].waiters.size();
  }

  test::Folder folder_;
  Server server_ = Server::start({.listen = {"unix:" + folder_.file("socket")}}).value();
  test::Proxy proxy_{folder_.file("proxy"), folder_.file("socket")};
  Client watcher_ = direct();
  std::uint64_t last_fence_ = 0;
};

TEST_P(Cut, AtEveryByteOfAnAcquire) {
  const std::size_t bytes = length();
  ASSERT_GT(bytes, 30u);
  for (std::size_t at = 0; at < bytes; ++at) {
    SCOPED_TRACE("cut after " + std::to_string(at) + " of " + std::to_string(bytes) + " bytes");
    proxy_.cut_after(GetParam(), at);
    turn(nullptr);
    EXPECT_TRUE(proxy_.has_cut());
    if (HasFailure()) return;
  }
}

TEST_P(Cut, WhileItWaitsInLine) {
  const std::size_t bytes = length();
  for (std::size_t at = 0; at < bytes; at += 5) {
    SCOPED_TRACE("cut after " + std::to_string(at) + " of " + std::to_string(bytes) + " bytes");
    auto lock = watcher_.lock("name").value();
    proxy_.cut_after(GetParam(), at);
    last_fence_ = lock.fence();
    turn(&lock);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryByte, Cut,
                         testing::Values(Direction::to_server, Direction::to_client),
                         [](const auto& info) {
                           return info.param == Direction::to_server ? "ToServer" : "ToClient";
                         });

}  // namespace
}  // namespace baton
