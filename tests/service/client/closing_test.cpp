// What a client does with callbacks while it ends, and after that.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include "baton/client.h"
#include "service/client/fake_server.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeServer;
using test::Folder;

class Closing : public testing::Test {
 protected:
  int releases() const {
    int count = 0;
    for (const auto& message : server_.received()) count += message.request().has_release();
    return count;
  }

  Folder folder_;
  FakeServer server_{folder_.file("socket")};
  Client client_ = Client::connect({.url = "unix:" + folder_.file("socket"), .ttl = 2s}).value();
};

TEST_F(Closing, OnTheClientsOwnThread) {
  auto lock = client_.lock("a").value();
  std::promise<Error> lost;
  lock.on_lost([&](const Failure& why) { lost.set_value(why.error); });
  std::promise<Error> closed;
  std::promise<Error> after;
  client_.async_status([&](const Result<StatusInfo>&) {
    closed.set_value(client_.close().error());
    client_.async_status(
        [&](const Result<StatusInfo>& status) { after.set_value(status.error()); });
  });
  EXPECT_EQ(closed.get_future().get(), Error::none);
  EXPECT_EQ(lost.get_future().get(), Error::session_lost);
  EXPECT_EQ(after.get_future().get(), Error::session_lost);
  EXPECT_FALSE(lock.is_held());
  EXPECT_FALSE(client_.is_connected());
  EXPECT_EQ(client_.lock("b").error(), Error::session_lost);
  EXPECT_TRUE(client_.close()) << "it has been";
}

// There is no thread any more that could call back.
TEST_F(Closing, WhoeverAsksAClosedClientIsCalledBackAtOnce) {
  EXPECT_TRUE(client_.close());
  bool is_told = false;
  client_.async_lock("a", {}, [&](const Result<Lock>& lock) {
    EXPECT_EQ(lock.error(), Error::session_lost);
    // Not even this waits for ever.
    EXPECT_EQ(client_.lock("b").error(), Error::session_lost);
    is_told = true;
  });
  EXPECT_TRUE(is_told);
  Error ended = Error::none;
  auto watch =
      client_.watch("", [](const FileChange&) {},
                    {.after = 1, .on_end = [&](const Failure& why) { ended = why.error; }});
  EXPECT_EQ(ended, Error::session_lost);
}

// Another thread sees that the lease is over while the client's own is busy. Nobody is told before
// that callback has returned, and then all are, in order.
TEST_F(Closing, LossIsToldAfterTheCallbackInWhichItHappened) {
  auto lock = client_.lock("a").value();
  std::promise<void> began;
  std::promise<void> go_on;
  std::atomic<bool> has_returned = false;
  std::promise<bool> told;
  lock.on_lost([&](const Failure&) { told.set_value(has_returned); });
  client_.async_status([&](const Result<StatusInfo>&) {
    began.set_value();
    go_on.get_future().wait();
    has_returned = true;
  });
  began.get_future().wait();
  server_.set_silent(true);
  EXPECT_TRUE(eventually([&] { return !lock.is_held(); }));
  EXPECT_EQ(client_.why_lost().error, Error::session_lost);
  EXPECT_FALSE(lock.lost().stop_requested());
  go_on.set_value();
  EXPECT_TRUE(told.get_future().get());
  EXPECT_EQ(client_.try_lock("b").error(), Error::session_lost);
  EXPECT_TRUE(eventually([&] { return client_.lost().stop_requested(); }));
}

// The callbacks of a lock may own another lock of the same client: it is released with them.
TEST_F(Closing, ReleaseLetsGoOfWhatItsCallbacksOwn) {
  auto lock = client_.lock("a").value();
  auto inner = std::make_shared<Lock>(client_.lock("b").value());
  lock.on_lost([inner](const Failure&) {});
  inner.reset();
  EXPECT_TRUE(lock.release());
  EXPECT_TRUE(eventually([&] { return releases() == 2; }));
}

}  // namespace
}  // namespace baton
