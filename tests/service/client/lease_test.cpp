// What a client makes of its lease, with a server that falls silent.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "baton/client.h"
#include "service/client/fake_server.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeServer;
using test::Folder;

class ClientLease : public testing::Test {
 protected:
  ClientOptions options(std::chrono::milliseconds ttl = 1s) const {
    return {.url = "unix:" + folder_.file("socket"), .ttl = ttl};
  }

  Folder folder_;
  FakeServer server_{folder_.file("socket")};
};

TEST_F(ClientLease, JeopardyThenLossThenNothingAnyMore) {
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a").value();
  std::mutex mutex;
  std::vector<std::string> heard;
  const auto hear = [&](const std::string& what) {
    const std::lock_guard guard(mutex);
    heard.push_back(what);
  };
  lock.on_jeopardy([&](bool is_near) { hear(is_near ? "jeopardy" : "safe"); });
  lock.on_lost([&](const Failure& why) {
    EXPECT_EQ(why.error, Error::session_lost);
    hear(lock.is_held() ? "held" : "lost");
  });
  server_.set_silent(true);
  ASSERT_TRUE(eventually([&] { return lock.lost().stop_requested(); }));
  ASSERT_TRUE(eventually([&] { return client.lost().stop_requested(); }));
  // It comes back, too late.
  server_.set_silent(false);
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(lock.is_held());
  EXPECT_EQ(lock.lease_left(), 0us);
  EXPECT_EQ(client.lock("b").error(), Error::session_lost);
  EXPECT_EQ(client.status().error(), Error::session_lost);
  EXPECT_EQ(lock.release().error(), Error::session_lost);
  const std::lock_guard guard(mutex);
  EXPECT_EQ(heard, (std::vector<std::string>{"jeopardy", "lost"}));
}

TEST_F(ClientLease, JeopardyPasses) {
  auto client = Client::connect(options(2s)).value();
  auto lock = client.lock("a").value();
  std::atomic<int> near = 0;
  std::atomic<int> safe = 0;
  client.on_jeopardy([&](bool is_near) { ++(is_near ? near : safe); });
  server_.set_silent(true);
  ASSERT_TRUE(eventually([&] { return near == 1; }));
  server_.set_silent(false);
  ASSERT_TRUE(eventually([&] { return safe == 1; }));
  EXPECT_TRUE(lock.is_held());
  EXPECT_FALSE(lock.lost().stop_requested());
}

// The lease is measured from when what was answered was sent, not from when the answer came.
TEST_F(ClientLease, SlowAnswersDoNotMakeItLonger) {
  auto client = Client::connect(options(2s)).value();
  auto lock = client.lock("a").value();
  std::atomic<bool> is_slow = true;
  server_.set_script([&](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_keep_alive() || !is_slow) return false;
    std::this_thread::sleep_for(300ms);
    it.answer(message);
    // At this moment the lease has less than its whole length left, by what the answer took.
    return true;
  });
  const auto count = [&] {
    int alive = 0;
    for (const auto& message : server_.received()) alive += message.has_keep_alive();
    return alive;
  };
  const int before = count();
  ASSERT_TRUE(eventually([&] { return count() >= before + 3; }));
  // Whole lengths are 1960 ms; with answers that take 300 ms no more than 1660 ms are ever left.
  auto most = 0us;
  for (int i = 0; i < 500; ++i) {
    most = std::max(most, lock.lease_left());
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LE(most, 1660ms);
  EXPECT_TRUE(lock.is_held());
  is_slow = false;
}

TEST_F(ClientLease, MarginMakesItShorter) {
  auto with = options(2s);
  with.loss_margin = 1s;
  auto client = Client::connect(with).value();
  EXPECT_LE(client.lease_left(), 960ms);
  EXPECT_TRUE(client.is_alive());
  with.loss_margin = 1900ms;
  EXPECT_EQ(Client::connect(with).error(), Error::bad_request);
}

TEST_F(ClientLease, WhoHoldsNothingOutlivesASilence) {
  auto client = Client::connect(options()).value();
  server_.set_silent(true);
  ASSERT_TRUE(eventually([&] { return !client.is_alive(); }));
  server_.set_silent(false);
  ASSERT_TRUE(eventually([&] { return client.is_alive(); }));
  EXPECT_TRUE(client.lock("a"));
}

TEST_F(ClientLease, WaitEndsWithTheSession) {
  server_.set_script([](FakeServer&, const proto::ClientMessage& message) {
    return message.request().has_acquire() && message.request().acquire().names(0) == "waits";
  });
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a").value();
  auto waits = std::async(std::launch::async, [&] { return client.lock("waits").error(); });
  ASSERT_TRUE(eventually([&] {
    return server_.received().back().request().has_acquire() &&
           server_.received().back().request().acquire().names(0) == "waits";
  }));
  server_.set_silent(true);
  EXPECT_EQ(waits.get(), Error::session_lost);
}

// While there is no server a wait ends all the same, and what is granted later is released.
TEST_F(ClientLease, DeadlineIsKeptWithoutAServer) {
  auto client = Client::connect(options(10s)).value();
  server_.set_silent(true);
  EXPECT_EQ(client.lock("a", {.wait = 100ms}).error(), Error::timed_out);
  EXPECT_TRUE(client.is_alive());
  server_.set_silent(false);
  server_.cut_at(server_.message_count(), FakeServer::Cut::before);
  EXPECT_TRUE(eventually([&] {
    for (const auto& message : server_.received())
      if (message.request().has_release() && message.request().release().names(0) == "a")
        return true;
    return false;
  }));
}

// It greets, and says nothing more to who wants to go on.
TEST_F(ClientLease, ServerThatOnlyGreetsIsLeft) {
  std::atomic<int> resumes = 0;
  server_.set_script([&](FakeServer&, const proto::ClientMessage& message) {
    return message.has_resume() && ++resumes == 1;
  });
  auto client = Client::connect(options()).value();
  server_.cut_at(server_.message_count(), FakeServer::Cut::before);
  ASSERT_TRUE(eventually([&] { return resumes == 2; }));
  EXPECT_TRUE(client.lock("a"));
}

TEST_F(ClientLease, ServerSaysThatItIsOver) {
  server_.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_read()) return false;
    proto::ServerMessage over;
    over.mutable_session_over()->set_session(1);
    over.mutable_session_over()->set_reason("broken by an operator");
    it.send(over);
    return true;
  });
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a").value();
  EXPECT_EQ(client.status().error(), Error::session_lost);
  EXPECT_FALSE(lock.is_held());
  EXPECT_EQ(lock.why_lost().message, "broken by an operator");
}

// The server wants a lock back: it is lost at once, and given back when the work on it has stopped.
TEST_F(ClientLease, HoldThatIsOverIsAcknowledgedWhenReleased) {
  server_.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_read()) return false;
    proto::ServerMessage over;
    over.mutable_hold_over()->set_name("a");
    over.mutable_hold_over()->set_owner(9);
    over.mutable_hold_over()->set_fence(100);
    over.mutable_hold_over()->set_reason("broken");
    it.send(over);
    return false;
  });
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a", {.owner = Owner(9)}).value();
  auto other = client.lock("b", {.owner = Owner(9)}).value();
  std::promise<Error> lost;
  lock.on_lost([&](const Failure& why) { lost.set_value(why.error); });
  EXPECT_TRUE(client.status());
  EXPECT_EQ(lost.get_future().get(), Error::lock_lost);
  EXPECT_FALSE(lock.is_held());
  EXPECT_TRUE(lock.lost().stop_requested());
  EXPECT_TRUE(other.is_held());
  EXPECT_TRUE(client.is_alive());
  const auto acknowledged = [&] {
    for (const auto& message : server_.received())
      if (message.request().has_acknowledge()) return true;
    return false;
  };
  EXPECT_FALSE(acknowledged());
  EXPECT_TRUE(client.status());
  EXPECT_TRUE(client.status());
  EXPECT_FALSE(acknowledged()) << "to be told again changes nothing: the work may still go on";
  EXPECT_EQ(lock.release().error(), Error::lock_lost);
  EXPECT_TRUE(eventually(acknowledged));
}

// Even while its thread is kept from looking at it.
TEST_F(ClientLease, IsHeldLooksAtTheClockItself) {
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a").value();
  std::promise<void> go_on;
  client.async_status([&](const Result<StatusInfo>&) { go_on.get_future().wait(); });
  std::this_thread::sleep_for(1100ms);
  EXPECT_FALSE(lock.is_held());
  EXPECT_FALSE(client.is_alive());
  EXPECT_EQ(lock.lease_left(), 0us);
  EXPECT_FALSE(lock.lost().stop_requested());
  go_on.set_value();
  EXPECT_TRUE(eventually([&] { return lock.lost().stop_requested(); }));
}

// A process that is stopped for longer than its lease: the first thing that it sees, whatever it
// looks at, is that it is lost.
TEST_F(ClientLease, StoppedProcessKnowsAtOnce) {
  for (const char how : {'h', 'l', 'r', 's'}) {
    int to_parent[2];
    int to_child[2];
    ASSERT_EQ(pipe(to_parent), 0);
    ASSERT_EQ(pipe(to_child), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto client = Client::connect(options(1500ms)).value();
      auto lock = client.lock("a").value();
      char byte = lock.is_held() ? 'y' : 'n';
      (void)!write(to_parent[1], &byte, 1);
      // Reads what the parent wrote while this process was stopped.
      if (read(to_child[0], &byte, 1) != 1) _exit(9);
      bool knows = false;
      if (how == 'h') knows = !lock.is_held();
      if (how == 'l') knows = lock.lease_left() == 0us;
      if (how == 'r') knows = lock.release().error() == Error::session_lost;
      if (how == 's') knows = client.try_lock("b").error() == Error::session_lost;
      _exit(knows ? 0 : 1);
    }
    char byte = 0;
    ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    kill(child, SIGSTOP);
    std::this_thread::sleep_for(1700ms);
    ASSERT_EQ(write(to_child[1], "x", 1), 1);
    kill(child, SIGCONT);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << how << " " << status;
    for (const int end : {to_parent[0], to_parent[1], to_child[0], to_child[1]}) close(end);
  }
}

}  // namespace
}  // namespace baton
