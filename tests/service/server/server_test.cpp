// A real server over real sockets, in this process.
#include "service/server/server.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "service/server/host.h"
#include "service/server/raw_client.h"

namespace baton::server {
namespace {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() /
                ("baton-server-test-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
  }
  void TearDown() override {
    stop();
    std::filesystem::remove_all(directory);
  }

  void start(ServerLimits limits = {}) {
    HostOptions options;
    options.listen = {"unix:" + (directory / "socket").string(), "127.0.0.1:0"};
    options.limits = limits;
    host = std::make_unique<Host>(std::move(options));
    thread = std::thread([this] { host->run(); });
  }
  void stop() {
    if (!thread.joinable()) return;
    host->stop();
    thread.join();
    host.reset();
  }
  RawClient client() {
    RawClient one(host->urls().front());
    EXPECT_TRUE(one.greet());
    return one;
  }
  RawClient session(const std::string& nonce, bool fast = false) {
    RawClient one = client();
    EXPECT_TRUE(one.open(nonce, fast));
    return one;
  }

  std::filesystem::path directory;
  std::unique_ptr<Host> host;
  std::thread thread;
};

proto::Read read_lock(const std::string& name) {
  proto::Read read;
  read.mutable_locks()->set_name(name);
  return read;
}

TEST_F(ServerTest, LocksOverUnixSocketAndTcp) {
  start();
  RawClient a = session("a");
  RawClient b(host->urls().back());
  ASSERT_TRUE(b.greet());
  ASSERT_TRUE(b.open("b"));
  const auto first = a.acquire("x");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->error(), 0U);
  const auto second = b.acquire("x", 0);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->error(), static_cast<std::uint32_t>(Error::busy));
  ASSERT_TRUE(a.release("x"));
  const auto third = b.acquire("x", 0);
  ASSERT_TRUE(third);
  EXPECT_GT(third->granted().fence(), first->granted().fence());
}

TEST_F(ServerTest, AnswersWhatIsPipelined) {
  start();
  RawClient a = session("a");
  std::string all;
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) {
    proto::ClientMessage message = a.acquire_message("x" + std::to_string(i));
    message.mutable_request()->set_confirmed(0);
    numbers.push_back(message.request().request());
    io::append_frame(all, message);
  }
  ASSERT_TRUE(a.send_bytes(all));
  for (const std::uint64_t number : numbers) {
    const auto reply = a.reply_to(number);
    ASSERT_TRUE(reply) << number;
    ASSERT_EQ(reply->error(), 0U);
  }
}

TEST_F(ServerTest, HandsOverInTheOrderOfArrival) {
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(session("n" + std::to_string(i)));
    RawClient& one = clients.back();
    const auto message = one.acquire_message("x");
    ASSERT_TRUE(one.send(message));
    const auto told = one.receive();
    ASSERT_TRUE(told);
    ASSERT_EQ(told->has_queued(), i > 0);
  }
  std::uint64_t fence = 0;
  for (int i = 0; i < 5; ++i) {
    if (i > 0) {
      const auto granted = clients[i].receive();
      ASSERT_TRUE(granted);
      ASSERT_GT(granted->reply().granted().fence(), fence);
      fence = granted->reply().granted().fence();
    }
    ASSERT_TRUE(clients[i].release("x"));
  }
}

TEST_F(ServerTest, SaysWhoHoldsAndWhoWaits) {
  start();
  RawClient a = session("a");
  RawClient b = session("b");
  ASSERT_TRUE(a.acquire("x"));
  ASSERT_TRUE(b.send(b.acquire_message("x")));
  ASSERT_TRUE(b.receive()->has_queued());
  const auto answer = a.read(read_lock("x"));
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->locks_size(), 1);
  EXPECT_EQ(answer->locks(0).holders(0).session(), a.session);
  EXPECT_EQ(answer->locks(0).waiters(0).session(), b.session);
  EXPECT_EQ(answer->locks(0).waiters(0).names(0), "x");
  ASSERT_EQ(answer->edges_size(), 1);
  EXPECT_EQ(answer->edges(0).from_session(), b.session);
  EXPECT_EQ(answer->edges(0).to_session(), a.session);

  proto::Read read;
  read.mutable_sessions();
  EXPECT_EQ(a.read(read)->sessions_size(), 2);
  read.mutable_status();
  const auto status = a.read(read);
  EXPECT_EQ(status->status().sessions(), 2U);
  EXPECT_EQ(status->status().waiters(), 1U);
  EXPECT_EQ(status->status().connections(), 2U);
}

TEST_F(ServerTest, ASessionOutlivesItsConnection) {
  start();
  RawClient a = session("nonce of a");
  ASSERT_TRUE(a.acquire("x"));
  a.hang_up();
  ASSERT_TRUE(a.connect(host->urls().front()));
  ASSERT_TRUE(a.greet());
  EXPECT_FALSE(a.resume("another nonce"));
  EXPECT_TRUE(a.resume("nonce of a"));
  const auto reply = a.release("x");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error(), 0U);
}

TEST_F(ServerTest, TheConnectionThatResumedLastSpeaksForTheSession) {
  start();
  RawClient a = session("a");
  RawClient other = client();
  other.session = a.session;
  ASSERT_TRUE(other.resume("a"));
  const auto last = a.receive();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->has_goodbye());
  EXPECT_FALSE(a.receive());
}

TEST_F(ServerTest, WatchersSeeEveryChangeInOrder) {
  start();
  RawClient watcher = client();
  RawClient writer = session("w");
  ASSERT_TRUE(writer.put("a/1", "before"));
  proto::ClientMessage message;
  message.mutable_watch()->set_number(7);
  message.mutable_watch()->set_prefix("a/");
  ASSERT_TRUE(watcher.send(message));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(writer.put(i % 2 == 0 ? "a/2" : "b/2", std::to_string(i)));
  }
  std::vector<std::string> values;
  std::uint64_t revision = 0;
  while (values.size() < 51) {
    const auto told = watcher.receive();
    ASSERT_TRUE(told);
    ASSERT_EQ(told->changes().number(), 7U);
    for (const auto& change : told->changes().changes()) {
      ASSERT_GT(change.revision(), revision);
      revision = change.revision();
      values.push_back(change.value());
    }
  }
  EXPECT_EQ(values.front(), "before");
  EXPECT_EQ(values.back(), "98");

  // From a revision on, after a reconnection; and from one that never was.
  RawClient again = client();
  message.mutable_watch()->set_after(revision - 2);
  ASSERT_TRUE(again.send(message));
  EXPECT_EQ(again.receive()->changes().changes(0).value(), "98");
  message.mutable_watch()->set_after(1'000'000);
  ASSERT_TRUE(again.send(message));
  EXPECT_EQ(again.receive()->changes().error(), static_cast<std::uint32_t>(Error::compacted));
}

TEST_F(ServerTest, BreakingTellsTheHolderAlsoWhenItComesBack) {
  start();
  RawClient holder = session("h");
  ASSERT_TRUE(holder.acquire("x"));
  holder.hang_up();
  RawClient operator_ = client();
  proto::ClientMessage message;
  operator_.next(message).mutable_break_()->set_name("x");
  const auto reply = operator_.ask(message);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error(), 0U);
  ASSERT_TRUE(holder.connect(host->urls().front()));
  ASSERT_TRUE(holder.greet());
  ASSERT_TRUE(holder.resume("h"));
  const auto told = holder.receive();
  ASSERT_TRUE(told);
  ASSERT_TRUE(told->has_hold_over());
  EXPECT_EQ(told->hold_over().name(), "x");
}

TEST_F(ServerTest, WhatMakesNoSenseIsRefusedAndHarmsNobody) {
  start();
  RawClient good = session("good");
  ASSERT_TRUE(good.acquire("x"));
  RawClient bad = session("bad");
  const auto error_of = [&bad](const std::function<void(proto::Request&)>& fill) {
    proto::ClientMessage message;
    fill(bad.next(message));
    const auto reply = bad.ask(message);
    return reply ? static_cast<Error>(reply->error()) : Error::none;
  };
  const auto acquiring = [&error_of](const std::string& name) {
    return error_of(
        [&name](proto::Request& request) { request.mutable_acquire()->add_names(name); });
  };
  EXPECT_EQ(acquiring(""), Error::bad_request);
  EXPECT_EQ(acquiring(std::string(513, 'x')), Error::too_large);
  EXPECT_EQ(acquiring("\xff"), Error::bad_request);
  EXPECT_EQ(acquiring("\xed\xa0\x80"), Error::bad_request) << "half a pair of UTF-16";
  EXPECT_EQ(error_of([](proto::Request&) {}), Error::bad_request);
  EXPECT_EQ(error_of([](proto::Request& it) { it.mutable_acquire(); }), Error::bad_request);
  EXPECT_EQ(error_of([](proto::Request& it) {
              it.mutable_acquire()->add_names("y");
              it.mutable_acquire()->set_mode(static_cast<proto::Mode>(9));
            }),
            Error::bad_request);
  EXPECT_EQ(error_of([](proto::Request& it) { it.mutable_release()->add_names("x"); }),
            Error::not_held);
  EXPECT_EQ(error_of([](proto::Request& it) {
              it.mutable_put()->set_key("k");
              it.mutable_put()->set_value(std::string(65537, 'x'));
            }),
            Error::too_large);
  EXPECT_EQ(error_of([](proto::Request& it) {
              it.mutable_open_session()->set_nonce("n");
              it.mutable_open_session()->set_ttl(1);
            }),
            Error::bad_request);
  EXPECT_EQ(error_of([](proto::Request& it) { it.mutable_reclaim(); }), Error::bad_request);
  EXPECT_EQ(error_of([](proto::Request& it) {
              it.mutable_acquire()->add_names("y");
              it.mutable_acquire()->set_label("\xff");
            }),
            Error::bad_request);
  EXPECT_EQ(error_of([](proto::Request& it) {
              it.mutable_open_session()->set_nonce("n");
              it.mutable_open_session()->set_ttl(10'000'000);
              it.mutable_open_session()->mutable_who()->set_host("\xff");
            }),
            Error::bad_request);
  RawClient stranger = client();
  const auto reply = stranger.acquire("x", 0);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error(), static_cast<std::uint32_t>(Error::bad_request)) << "without a session";
  EXPECT_EQ(good.release("x")->error(), 0U);
}

TEST_F(ServerTest, WhatMakesNoSenseCannotBeRead) {
  start();
  RawClient bad = session("bad");
  for (const bool is_file : {true, false}) {
    proto::ClientMessage message;
    proto::Read& read = *message.mutable_read();
    is_file ? read.mutable_files()->set_key("\xff") : read.mutable_locks()->set_name("\xff");
    bad.send(message);
    const auto answer =
        bad.receive_if([](const proto::ServerMessage& one) { return one.has_answer(); });
    ASSERT_TRUE(answer);
    EXPECT_EQ(static_cast<Error>(answer->answer().error()), Error::bad_request);
  }
}

// Says goodbye with this error, and hangs up.
void expect_goodbye(RawClient& client, Error error) {
  const auto last =
      client.receive_if([](const proto::ServerMessage& one) { return one.has_goodbye(); });
  ASSERT_TRUE(last);
  EXPECT_EQ(static_cast<Error>(last->goodbye().error()), error) << last->goodbye().message();
  EXPECT_FALSE(client.receive());
  EXPECT_FALSE(client.is_connected());
}

TEST_F(ServerTest, WhoDoesNotKeepToTheProtocolIsToldWhyAndHungUpOn) {
  start();
  {
    RawClient one(host->urls().front());
    one.send(one.acquire_message("x"));
    expect_goodbye(one, Error::bad_request);
  }
  {
    RawClient one(host->urls().front());
    proto::ClientMessage hello;
    hello.mutable_hello()->set_protocol(99);
    one.send(hello);
    expect_goodbye(one, Error::version);
  }
  {
    RawClient one = client();
    one.send_bytes(std::string("\x7f\xff\xff\xff", 4));
    expect_goodbye(one, Error::too_large);
  }
  {
    RawClient one = client();
    one.send_bytes(std::string("\x00\x00\x00\x03\xff\xff\xff", 7));
    expect_goodbye(one, Error::bad_request);
  }
  {
    RawClient one = client();
    proto::ClientMessage hello;
    hello.mutable_hello()->set_protocol(1);
    one.send(hello);
    expect_goodbye(one, Error::bad_request);
  }
  EXPECT_TRUE(session("still there").acquire("x"));
}

TEST_F(ServerTest, SurvivesGarbage) {
  start();
  std::mt19937 random(1);
  RawClient good = session("good");
  for (int round = 0; round < 200; ++round) {
    RawClient one(host->urls()[static_cast<std::size_t>(round % 2)]);
    ASSERT_TRUE(one.is_connected());
    if (round % 3 == 0) one.greet();
    std::string bytes;
    if (round % 5 == 0) bytes = std::string("\x00\x00\x00\x40", 4);  // then too little
    for (auto i = random() % 300; i > 0; --i) bytes.push_back(static_cast<char>(random()));
    one.send_bytes(bytes);
  }
  ASSERT_TRUE(good.acquire("x"));
  EXPECT_EQ(good.release("x")->error(), 0U);
}

// One never ends its frame, one never stops talking, and one asks and asks and does not read.
TEST_F(ServerTest, AnEndlessStreamHarmsNobody) {
  start({.unsent_bytes = 1024 * 1024, .time_to_go = std::chrono::milliseconds(100)});
  std::string question;
  proto::ClientMessage read;
  read.mutable_read()->mutable_status();
  io::append_frame(question, read);
  std::string questions;
  for (int i = 0; i < 1000; ++i) questions += question;
  const std::vector<std::pair<std::string, std::string>> streams{
      {std::string("\x00\xff\xff\xff", 4), std::string(60'000, 'x')},
      {std::string(), std::string(60'000, '\0')},
      {std::string(), questions}};
  std::vector<std::thread> talkers;
  std::atomic<int> over = 0;
  for (const auto& [first, then] : streams) {
    talkers.emplace_back([&, stream = client()]() mutable {
      stream.send_bytes(first);
      // Until the server has had enough.
      while (stream.send_bytes(then)) continue;
      ++over;
    });
  }
  RawClient good = session("good");
  for (int i = 0; i < 100 || over < 3; ++i) {
    const auto reply = good.acquire("x");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->error(), 0U);
    EXPECT_EQ(good.release("x")->error(), 0U);
  }
  for (std::thread& talker : talkers) talker.join();
}

// Every message cut at every byte: either it is carried out or it is not.
TEST_F(ServerTest, AConnectionThatIsCutAnywhereLeavesTheSessionAsItWas) {
  start();
  RawClient a = session("a");
  proto::ClientMessage message = a.acquire_message("x");
  std::string bytes;
  io::append_frame(bytes, message);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    ASSERT_TRUE(a.send_bytes(std::string_view(bytes).substr(0, length)));
    a.hang_up();
    ASSERT_TRUE(a.connect(host->urls().front()));
    ASSERT_TRUE(a.greet());
    ASSERT_TRUE(a.resume("a"));
  }
  const auto reply = a.ask(message);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error(), 0U);
  const auto answer = a.read(read_lock("x"));
  ASSERT_EQ(answer->locks(0).holders_size(), 1);
  EXPECT_EQ(answer->locks(0).holders(0).fence(), reply->granted().fence());
  EXPECT_EQ(a.release("x")->error(), 0U);
  EXPECT_EQ(a.read(read_lock("x"))->locks_size(), 0) << "it was granted once";
}

TEST_F(ServerTest, UnknownFieldsAreIgnored) {
  start();
  RawClient a = session("a");
  proto::ClientMessage message = a.acquire_message("x");
  auto* acquire = message.mutable_request()->mutable_acquire();
  acquire->GetReflection()->MutableUnknownFields(acquire)->AddVarint(12345, 6);
  EXPECT_EQ(a.ask(message)->error(), 0U);
}

TEST_F(ServerTest, AThousandIdleConnectionsHarmNobody) {
  start();
  std::vector<RawClient> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.emplace_back(host->urls().front());
    ASSERT_TRUE(idle.back().is_connected()) << i;
    if (i % 2 == 0) {
      ASSERT_TRUE(idle.back().greet());
    }
  }
  RawClient a = session("a");
  ASSERT_TRUE(a.acquire("x"));
  EXPECT_EQ(a.release("x")->error(), 0U);
}

TEST_F(ServerTest, HasAsManyConnectionsAsItMayHave) {
  start({.connections = 3});
  std::vector<RawClient> all;
  for (int i = 0; i < 3; ++i) all.push_back(client());
  RawClient one(host->urls().front());
  expect_goodbye(one, Error::too_many);
  all.pop_back();
  // Somebody has gone: there is room again.
  const auto deadline = std::chrono::steady_clock::now() + patience;
  bool is_in = false;
  while (!is_in && std::chrono::steady_clock::now() < deadline) {
    is_in = RawClient(host->urls().front()).greet();
  }
  EXPECT_TRUE(is_in);
}

TEST_F(ServerTest, WhoSaysNothingIsHungUpOn) {
  start({.time_to_greet = std::chrono::milliseconds(1)});
  RawClient one(host->urls().front());
  EXPECT_FALSE(one.receive());
  EXPECT_FALSE(one.is_connected());
}

TEST_F(ServerTest, WhoDoesNotReadIsHungUpOn) {
  start({.unsent_bytes = 1024 * 1024});
  RawClient writer = session("w");
  RawClient lazy = client();
  proto::ClientMessage message;
  message.mutable_watch()->set_prefix("a");
  ASSERT_TRUE(lazy.send(message));
  ASSERT_TRUE(lazy.receive());
  const std::string large(60'000, 'x');
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(writer.put("a", large));
  int told = 0;
  while (lazy.receive()) ++told;
  EXPECT_FALSE(lazy.is_connected());
  EXPECT_LT(told, 60);
}

TEST_F(ServerTest, StopsCleanly) {
  start();
  RawClient a = session("a");
  host->stop();
  expect_goodbye(a, Error::shutting_down);
  thread.join();
  EXPECT_FALSE(std::filesystem::exists(directory / "socket"));
  host.reset();
}

TEST_F(ServerTest, AnotherServersSocketIsLeftAlone) {
  start();
  HostOptions options;
  options.listen = {"unix:" + (directory / "socket").string()};
  EXPECT_THROW(Host{options}, io::ListenError);
  options.listen = {host->urls().back().substr(8)};
  EXPECT_THROW(Host{options}, io::ListenError) << "the port is in use";
  EXPECT_TRUE(session("a").acquire("x"));

  std::ofstream(directory / "file") << "precious";
  options.listen = {"unix:" + (directory / "file").string()};
  EXPECT_THROW(Host{options}, io::ListenError);
  EXPECT_TRUE(std::filesystem::exists(directory / "file"));
}

}  // namespace
}  // namespace baton::server
