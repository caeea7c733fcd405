// A client and a server that misbehaves.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "baton/client.h"
#include "baton/server.h"
#include "service/client/fake_server.h"
#include "support/test_name.h"

namespace baton {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeServer;
using test::Folder;

class Connection : public testing::Test {
 protected:
  std::string path() const { return folder_.file("socket"); }
  ClientOptions options() const { return {.url = "unix:" + path()}; }

  Folder folder_;
};

std::vector<proto::Request> requests_of(const FakeServer& server) {
  std::vector<proto::Request> all;
  for (const auto& message : server.received())
    if (message.has_request()) all.push_back(message.request());
  return all;
}

template <class Is>
std::vector<proto::Request> requests_of(const FakeServer& server, Is is) {
  std::vector<proto::Request> all;
  for (const auto& request : requests_of(server))
    if ((request.*is)()) all.push_back(request);
  return all;
}

TEST_F(Connection, AcquiresAndReleases) {
  FakeServer server(path());
  {
    auto client = Client::connect(options());
    ASSERT_TRUE(client) << client.message();
    EXPECT_EQ(client->session(), 1u);
    auto lock = client->lock("a");
    ASSERT_TRUE(lock) << lock.message();
    EXPECT_TRUE(lock->is_held());
    EXPECT_EQ(lock->fence(), 100u);
    EXPECT_TRUE(lock->release());
    EXPECT_FALSE(lock->is_held());
    EXPECT_EQ(lock->release().error(), Error::not_held);
  }
  EXPECT_EQ(requests_of(server, &proto::Request::has_close_session).size(), 1u);
}

// Whatever is cut off where: one grant, by one request, however often it was sent; and one session.
class CutOff : public testing::TestWithParam<std::tuple<int, FakeServer::Cut>> {};

TEST_P(CutOff, AcquireIsCarriedOutOnce) {
  const auto [at, how] = GetParam();
  Folder folder;
  FakeServer server(folder.file("socket"));
  server.cut_at(at, how);
  {
    auto client = Client::connect({.url = "unix:" + folder.file("socket")});
    ASSERT_TRUE(client) << client.message();
    auto lock = client->lock("a");
    ASSERT_TRUE(lock) << lock.message();
    EXPECT_EQ(lock->fence(), 100u);
    ASSERT_TRUE(lock->is_held());
    const auto released = lock->release();
    EXPECT_TRUE(released) << released.message();
    EXPECT_EQ(client->session(), 1u);
  }
  EXPECT_TRUE(server.has_cut()) << "there are only " << server.message_count() << " messages";
  EXPECT_GE(server.connections(), 2);
  std::set<std::uint64_t> acquires;
  std::set<std::uint64_t> releases;
  std::set<std::string> nonces;
  for (const auto& request : requests_of(server)) {
    if (request.has_acquire()) acquires.insert(request.request());
    if (request.has_release()) releases.insert(request.request());
    if (request.has_open_session()) nonces.insert(request.open_session().nonce());
  }
  EXPECT_EQ(acquires.size(), 1u);
  EXPECT_EQ(releases.size(), 1u);
  EXPECT_EQ(nonces.size(), 1u);
}

std::string where_it_breaks(const testing::TestParamInfo<CutOff::ParamType>& of) {
  const auto& [at, how] = of.param;
  constexpr const char* messages[] = {"hello", "opening", "keepalive", "acquire", "release"};
  return testing::PrintToString(how) + "_" + messages[at];
}

// Hello, opening, keepalive, acquire, release.
INSTANTIATE_TEST_SUITE_P(EveryPoint, CutOff,
                         testing::Combine(testing::Range(0, 5),
                                          testing::Values(FakeServer::Cut::before,
                                                          FakeServer::Cut::after,
                                                          FakeServer::Cut::half_way)),
                         where_it_breaks);

TEST_F(Connection, HeldLockOutlivesAReconnect) {
  FakeServer server(path());
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a").value();
  server.cut_at(server.message_count(), FakeServer::Cut::after);
  (void)client.status();  // is cut off, and asked again
  EXPECT_TRUE(lock.is_held());
  EXPECT_FALSE(lock.lost().stop_requested());
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(requests_of(server, &proto::Request::has_acquire).size(), 1u);
}

TEST_F(Connection, NobodyThere) {
  auto client = Client::connect({.url = "unix:" + path(), .patience = 100ms});
  EXPECT_EQ(client.error(), Error::unavailable);
  EXPECT_NE(client.message().find(path()), std::string::npos) << client.message();
}

// It would be patient for ever; a second address is tried all the same.
TEST_F(Connection, WhoDoesNotKeepTryingIsToldAtOnce) {
  using std::chrono::hours;
  const auto nobody = Client::connect(
      {.url = "unix:" + path(), .patience = hours(1000), .keep_trying = false, .session = false});
  EXPECT_EQ(nobody.error(), Error::unavailable);
  EXPECT_NE(nobody.message().find("No such file"), std::string::npos) << nobody.message();
  auto server = baton::Server::start({.listen = {"127.0.0.1:0"}}).value();
  const std::string there = server.urls().front().substr(std::string("baton://").size());
  const auto client = Client::connect(
      {.url = "baton://127.0.0.1:1," + there, .patience = hours(1000), .keep_trying = false});
  EXPECT_TRUE(client) << client.message();
}

TEST_F(Connection, WaitsForAServerThatComes) {
  auto client = std::async(std::launch::async, [&] { return Client::connect(options()); });
  std::this_thread::sleep_for(50ms);
  FakeServer server(path());
  EXPECT_TRUE(client.get());
}

TEST_F(Connection, BadUrls) {
  for (const char* url : {"", "http://x", "unix:", "baton://", "baton://host", "baton://host:99999",
                          "baton://host:1,", "baton://a:b:1", "baton://:1"})
    EXPECT_EQ(Client::connect({.url = url, .patience = 50ms}).error(), Error::bad_request) << url;
  const std::string overlong = "unix:/" + std::string(200, 'x');
  EXPECT_EQ(Client::connect({.url = overlong}).error(), Error::bad_request);
}

TEST_F(Connection, AnotherVersionIsAnErrorAtOnce) {
  FakeServer server(path());
  server.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_hello()) return false;
    proto::ServerMessage welcome;
    welcome.mutable_welcome()->set_protocol(2);
    it.send(welcome);
    return true;
  });
  EXPECT_EQ(Client::connect(options()).error(), Error::version);
}

TEST_F(Connection, GoodbyeBecauseOfTheVersion) {
  FakeServer server(path());
  server.set_script([](FakeServer& it, const proto::ClientMessage&) {
    proto::ServerMessage message;
    message.mutable_goodbye()->set_error(static_cast<std::uint32_t>(Error::version));
    message.mutable_goodbye()->set_message("too old");
    it.send(message);
    it.hang_up();
    return true;
  });
  auto client = Client::connect(options());
  EXPECT_EQ(client.error(), Error::version);
  EXPECT_NE(client.message().find("too old"), std::string::npos);
}

TEST_F(Connection, RefusedOpeningIsAnErrorAtOnce) {
  FakeServer server(path());
  server.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_request()) return false;
    proto::ServerMessage reply;
    reply.mutable_reply()->set_request(message.request().request());
    reply.mutable_reply()->set_error(static_cast<std::uint32_t>(Error::bad_request));
    reply.mutable_reply()->set_message("the ttl must be longer");
    it.send(reply);
    return true;
  });
  auto client = Client::connect(options());
  EXPECT_EQ(client.error(), Error::bad_request);
  EXPECT_NE(client.message().find("ttl"), std::string::npos);
}

// Garbage of several kinds instead of a welcome; then it comes to its senses.
struct Bytes {
  const char* name;
  std::string bytes;
};
void PrintTo(const Bytes& garbage, std::ostream* to) { *to << garbage.name; }

class Garbage : public testing::TestWithParam<Bytes> {};

TEST_P(Garbage, IsHungUpOnAndAskedAgain) {
  Folder folder;
  FakeServer server(folder.file("socket"));
  server.set_script([&](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_hello() || it.connections() > 2) return false;
    it.send_bytes(GetParam().bytes);
    return true;
  });
  auto client = Client::connect({.url = "unix:" + folder.file("socket"), .ttl = 1s});
  ASSERT_TRUE(client) << client.message();
  EXPECT_GE(server.connections(), 3);
}

std::string out_of_turn() {
  proto::ServerMessage message;
  message.mutable_reply()->set_request(1);
  message.mutable_reply()->mutable_granted()->set_fence(5);
  return test::frame_of(message);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Garbage,
                         testing::Values(Bytes{"http", "HTTP/1.1 400 Bad Request\r\n\r\n"},
                                         Bytes{"huge_length", {"\x7f\xff\xff\xff", 4}},
                                         Bytes{"no_message", {"\0\0\0\4\xff\xff\xff\xff", 8}},
                                         Bytes{"empty_frame", {"\0\0\0\0", 4}},
                                         Bytes{"out_of_turn", out_of_turn()},
                                         Bytes{"half_a_length", {"\0\0", 2}}),
                         test::as_printed);

TEST_F(Connection, UnknownMessagesAndAnswersToNothingAreIgnored) {
  FakeServer server(path());
  server.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_request() || !message.request().has_acquire()) return false;
    it.send_bytes(std::string("\0\0\0\4\xa2\x06\x01x", 8));  // field 100
    it.send_bytes(out_of_turn());
    return false;
  });
  auto client = Client::connect(options()).value();
  EXPECT_EQ(client.lock("a")->fence(), 100u);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Connection, ServerThatNeverAnswersIsLeft) {
  FakeServer server(path());
  server.set_silent(true);
  auto client = Client::connect({.url = "unix:" + path(), .ttl = 1s, .patience = 800ms});
  EXPECT_EQ(client.error(), Error::unavailable);
  EXPECT_NE(client.message().find("no answer"), std::string::npos) << client.message();
}

TEST_F(Connection, ErrorsOfTheServerComeThrough) {
  FakeServer server(path());
  server.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.request().has_acquire()) return false;
    proto::ServerMessage reply;
    reply.mutable_reply()->set_request(message.request().request());
    reply.mutable_reply()->set_error(static_cast<std::uint32_t>(Error::would_deadlock));
    reply.mutable_reply()->set_message("a waits for b");
    it.send(reply);
    return true;
  });
  auto client = Client::connect(options()).value();
  auto lock = client.lock("a");
  EXPECT_EQ(lock.error(), Error::would_deadlock);
  EXPECT_EQ(lock.failure().message, "a waits for b");
  EXPECT_THROW((void)lock.value(), Failed);
}

TEST_F(Connection, ServerThatStopsIsFollowedByTheNext) {
  FakeServer server(path());
  std::atomic<int> refusals = 0;
  server.set_script([&](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.request().has_acquire() || refusals++ > 0) return false;
    proto::ServerMessage reply;
    reply.mutable_reply()->set_request(message.request().request());
    reply.mutable_reply()->set_error(static_cast<std::uint32_t>(Error::shutting_down));
    it.send(reply);
    return true;
  });
  auto client = Client::connect(options()).value();
  EXPECT_TRUE(client.lock("a"));
  EXPECT_EQ(server.connections(), 2);
}

// A grant from the server of an older epoch is none.
TEST_F(Connection, OlderEpochIsNotListenedTo) {
  FakeServer server(path());
  server.set_epoch(5);
  auto client = Client::connect({.url = "unix:" + path(), .ttl = 1500ms}).value();
  auto lock = client.lock("a").value();
  server.set_epoch(4);
  server.cut_at(server.message_count(), FakeServer::Cut::after);
  (void)client.lock("cut off", {.wait = 100ms});
  EXPECT_FALSE(client.lock("b"));
  EXPECT_TRUE(eventually([&] { return !lock.is_held(); }));
  EXPECT_EQ(client.why_lost().error, Error::session_lost);
  for (const auto& request : requests_of(server)) EXPECT_FALSE(request.has_release());
}

TEST_F(Connection, GoesToTheNextAddress) {
  // TCP with nobody there, then another: both fail, and the message names one of them.
  auto client = Client::connect({.url = "baton://127.0.0.1:1,[::1]:1", .patience = 200ms});
  EXPECT_EQ(client.error(), Error::unavailable);
  EXPECT_NE(client.message().find("baton://"), std::string::npos) << client.message();
}

TEST_F(Connection, ReportsWhatItHoldsWhenAsked) {
  FakeServer server(path());
  server.set_script([](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.request().has_acquire() || message.request().acquire().names(0) != "waits")
      return false;
    proto::ServerMessage queued;
    queued.mutable_queued()->set_request(message.request().request());
    queued.mutable_queued()->set_ticket(77);
    it.send(queued);
    return true;
  });
  auto options = this->options();
  options.fast = true;
  auto client = Client::connect(options).value();
  auto held = client.lock("held", {.fast = true, .owner = Owner(5)}).value();
  auto again = client.lock("held", {.fast = true, .owner = Owner(5)}).value();
  auto shared = client.lock("shared", {.shared = true, .fast = true}).value();
  auto gone = client.lock("gone", {.fast = true}).value();
  EXPECT_TRUE(gone.release());
  client.async_lock("waits", {.fast = true}, [](const Result<Lock>&) {});
  EXPECT_TRUE(
      eventually([&] { return requests_of(server, &proto::Request::has_acquire).size() == 5; }));
  server.set_must_report(true);
  server.cut_at(server.message_count(), FakeServer::Cut::before);
  (void)client.status();
  ASSERT_TRUE(
      eventually([&] { return requests_of(server, &proto::Request::has_reclaim).size() == 1; }));
  const proto::Reclaim reclaim =
      requests_of(server, &proto::Request::has_reclaim).front().reclaim();
  ASSERT_EQ(reclaim.held_size(), 2);
  EXPECT_EQ(reclaim.held(0).name(), "held");
  EXPECT_EQ(reclaim.held(0).times(), 2u);
  EXPECT_EQ(reclaim.held(0).owner(), 5u);
  EXPECT_EQ(reclaim.held(0).fence(), 101u);
  EXPECT_EQ(reclaim.held(1).name(), "shared");
  EXPECT_EQ(reclaim.held(1).mode(), proto::SHARED);
  ASSERT_EQ(reclaim.waiting_size(), 1);
  EXPECT_EQ(reclaim.waiting(0).ticket(), 77u);
  EXPECT_EQ(reclaim.waiting(0).acquire().names(0), "waits");
  // The waiting one is asked for again, after the report and with its own number.
  ASSERT_TRUE(
      eventually([&] { return requests_of(server, &proto::Request::has_acquire).size() == 6; }));
  const auto all = requests_of(server);
  EXPECT_TRUE(all.back().has_acquire());
  EXPECT_EQ(all.back().request(), reclaim.waiting(0).request());
  EXPECT_TRUE(held.is_held());
}

// An opening whose answer was lost with the server: the session is known, and has to report.
TEST_F(Connection, RepeatedOpeningAsksWhetherToReport) {
  FakeServer server(path());
  server.set_must_report(true);
  server.cut_at(1, FakeServer::Cut::after);
  auto options = this->options();
  options.fast = true;
  auto client = Client::connect(options).value();
  EXPECT_TRUE(client.lock("a", {.fast = true}));
  const auto all = requests_of(server);
  ASSERT_GE(all.size(), 4u);
  EXPECT_TRUE(all[1].has_open_session());
  EXPECT_TRUE(all[2].has_reclaim());
  EXPECT_TRUE(all[3].has_acquire());
}

// The report says that it is let go of; so the release need not be repeated, and must not be.
TEST_F(Connection, ReleaseThatWasCutOffIsPartOfTheReport) {
  FakeServer server(path());
  auto options = this->options();
  options.fast = true;
  auto client = Client::connect(options).value();
  auto lock = client.lock("a", {.fast = true}).value();
  server.set_must_report(true);
  server.cut_at(server.message_count(), FakeServer::Cut::before);
  EXPECT_TRUE(lock.release());
  const auto reports = requests_of(server, &proto::Request::has_reclaim);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports.front().reclaim().held_size(), 0);
  EXPECT_EQ(requests_of(server, &proto::Request::has_release).size(), 1u);
}

TEST_F(Connection, ConfirmsWhatHasArrived) {
  FakeServer server(path());
  auto client = Client::connect(options()).value();
  for (int i = 0; i < 3; ++i) (void)client.lock("a")->release();
  for (const auto& request : requests_of(server, &proto::Request::has_acquire))
    EXPECT_EQ(request.confirmed(), request.request());
}

TEST_F(Connection, WatchGoesOnWhereItWas) {
  FakeServer server(path());
  std::atomic<int> watches = 0;
  server.set_script([&](FakeServer& it, const proto::ClientMessage& message) {
    if (!message.has_watch()) return false;
    proto::ServerMessage changes;
    changes.mutable_changes()->set_number(message.watch().number());
    // The second time the last one comes again, and one more.
    const std::uint64_t first = watches++ == 0 ? 8 : 9;
    for (std::uint64_t revision = first; revision < first + 2; ++revision) {
      auto& change = *changes.mutable_changes()->add_changes();
      change.set_revision(revision);
      change.set_key("k");
    }
    it.send(changes);
    return true;
  });
  auto client = Client::connect(options()).value();
  std::mutex mutex;
  std::vector<std::uint64_t> seen;
  auto watch = client.watch("",
                            [&](const FileChange& change) {
                              const std::lock_guard lock(mutex);
                              seen.push_back(change.revision);
                            },
                            {.after = 7});
  ASSERT_TRUE(watch);
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return seen.size();
  };
  ASSERT_TRUE(eventually([&] { return count() == 2; }));
  server.cut_at(server.message_count(), FakeServer::Cut::before);
  (void)client.status();
  ASSERT_TRUE(eventually([&] { return count() == 3; }));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{8, 9, 10}));
  std::vector<std::uint64_t> after;
  for (const auto& message : server.received())
    if (message.has_watch()) after.push_back(message.watch().after());
  EXPECT_EQ(after, (std::vector<std::uint64_t>{7, 9}));
}

TEST_F(Connection, BlockingCallInACallbackIsRefused) {
  FakeServer server(path());
  auto client = Client::connect(options()).value();
  std::promise<Error> error;
  client.async_lock("a", {}, [&](Result<Lock>) { error.set_value(client.lock("b").error()); });
  EXPECT_EQ(error.get_future().get(), Error::bad_request);
}

TEST_F(Connection, TicketsAreOneWord) {
  const SessionTicket ticket{42, std::string("\0\xff-x", 4), 7, 3};
  auto read = SessionTicket::parse(ticket.to_string());
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->session, 42u);
  EXPECT_EQ(read->nonce, ticket.nonce);
  EXPECT_EQ(read->next_request, 7u);
  EXPECT_EQ(read->epoch, 3u);
  for (const char* bad : {"", "baton1-", "baton1-1-00-1", "baton1-1-0-1-1", "baton1-0-00-1-1",
                          "baton1-1-00-1-1-1", "baton2-1-00-1-1", "baton1-1-zz-1-1"})
    EXPECT_EQ(SessionTicket::parse(bad).error(), Error::bad_request) << bad;
}

}  // namespace
}  // namespace baton
