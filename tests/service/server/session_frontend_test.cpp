// The client protocol without sockets, in virtual time, with a journal that the test can hold up.
#include "service/server/session_frontend.h"

#include <gtest/gtest.h>

#include "service/server/engine_fixture.h"
#include "service/state/versions.h"

namespace baton::server {
namespace {

class FakeClient final : public ClientPort {
 public:
  void send(const proto::ServerMessage& message) override { told.push_back(message); }
  void hang_up(Error error, const std::string&) override { goodbye = error; }

  std::vector<proto::ServerMessage> told;
  std::optional<Error> goodbye;
};

class SessionFrontendTest : public testing::Test {
 protected:
  SessionFrontendTest() { begin(); }
  ~SessionFrontendTest() override {
    for (FakeClient* client : {&a, &b}) frontend->leave(*client);
  }

  void begin(EngineOptions options = {}, journal::MemoryFaults faults = {}) {
    for (FakeClient* client : {&a, &b}) client->told.clear();
    life = std::make_unique<Life>(store, std::move(options), std::move(faults));
    frontend = std::make_unique<SessionFrontend>(*life->engine, life->host, FrontendOptions{});
    life->host.on_deliver = [this](service::Effects& effects) { frontend->deliver(effects); };
    life->start();
    frontend->open();
    for (FakeClient* client : {&a, &b}) frontend->arrive(*client);
  }

  void say(FakeClient& client, const proto::ClientMessage& message) {
    frontend->wake();
    frontend->receive(client, message.SerializeAsString());
    life->settle();
  }
  void greet(FakeClient& client) {
    proto::ClientMessage message;
    message.mutable_hello()->set_protocol(service::protocol_version);
    say(client, message);
  }
  void open(FakeClient& client, const std::string& nonce, std::int64_t ttl_us = 10 * second_us) {
    greet(client);
    proto::ClientMessage message;
    message.mutable_request()->set_request(next++);
    auto& open = *message.mutable_request()->mutable_open_session();
    open.set_nonce(nonce);
    open.set_ttl(ttl_us);
    say(client, message);
  }
  proto::ClientMessage acquire(const std::string& name) {
    proto::ClientMessage message;
    message.mutable_request()->set_request(next++);
    message.mutable_request()->mutable_acquire()->add_names(name);
    return message;
  }
  proto::ClientMessage put(const std::string& key, const std::string& value) {
    proto::ClientMessage message;
    message.mutable_request()->set_request(next++);
    message.mutable_request()->mutable_put()->set_key(key);
    message.mutable_request()->mutable_put()->set_value(value);
    return message;
  }
  proto::ClientMessage break_by_force(const std::string& name) {
    proto::ClientMessage message;
    message.mutable_request()->set_request(next++);
    message.mutable_request()->mutable_break_()->set_name(name);
    message.mutable_request()->mutable_break_()->set_force(true);
    return message;
  }
  proto::ClientMessage resume(service::SessionId session, const std::string& nonce) {
    proto::ClientMessage message;
    message.mutable_resume()->set_session(session.value);
    message.mutable_resume()->set_nonce(nonce);
    return message;
  }
  proto::ClientMessage keep_alive() {
    proto::ClientMessage message;
    message.mutable_keep_alive()->set_number(next++);
    return message;
  }
  // In small steps, as a server that runs does.
  void pass(std::int64_t time_us) {
    for (; time_us > 0; time_us -= 100'000) {
      life->host.clock += std::min<std::int64_t>(time_us, 100'000);
      frontend->wake();
      frontend->expire();
      life->settle();
    }
  }
  bool is_alive(const FakeClient& client) const {
    return life->engine->state().session(client.session()).has_value();
  }

  std::shared_ptr<journal::MemoryStore> store = std::make_shared<journal::MemoryStore>();
  std::unique_ptr<Life> life;
  std::unique_ptr<SessionFrontend> frontend;
  FakeClient a;
  FakeClient b;
  std::uint64_t next = 1;
};

TEST_F(SessionFrontendTest, ASessionLivesForAsLongAsItsLeaseFromTheLastKeepAlive) {
  open(a, "a");
  pass(9 * second_us);
  say(a, keep_alive());
  EXPECT_TRUE(a.told.back().has_alive());
  EXPECT_EQ(a.told.back().alive().ttl(), 10 * second_us);
  pass(10 * second_us);
  EXPECT_TRUE(is_alive(a)) << "to the last moment";
  pass(200'000);
  EXPECT_FALSE(is_alive(a));
  EXPECT_TRUE(a.told.back().has_session_over());
}

TEST_F(SessionFrontendTest, AnExpiryIsToldOnlyWhenItIsDurable) {
  open(a, "a");
  open(b, "b");
  say(a, acquire("x"));
  say(b, acquire("x"));
  life->is_slow = true;
  for (int i = 0; i < 11; ++i) {
    say(b, keep_alive());
    pass(second_us);
  }
  EXPECT_FALSE(is_alive(a));
  EXPECT_FALSE(a.told.back().has_session_over());
  const std::size_t told = a.told.size();
  say(a, keep_alive());
  EXPECT_EQ(a.told.size(), told) << "neither alive nor gone";
  EXPECT_FALSE(b.told.back().has_reply());
  life->finish_appends();
  EXPECT_TRUE(a.told.back().has_session_over());
  ASSERT_TRUE(b.told.back().has_reply());
  EXPECT_GT(b.told.back().reply().granted().fence(), 0U);
}

TEST_F(SessionFrontendTest, AGapInTheServersOwnRunningIsGivenToAll) {
  open(a, "a");
  pass(5 * second_us);
  life->host.clock += 60 * second_us;
  frontend->wake();
  frontend->expire();
  life->settle();
  EXPECT_TRUE(is_alive(a));
  pass(4 * second_us);
  EXPECT_TRUE(is_alive(a));
  pass(2 * second_us);
  EXPECT_FALSE(is_alive(a));
}

TEST_F(SessionFrontendTest, ASuccessorCountsEveryLeaseAnew) {
  open(a, "a");
  const auto session = a.session();
  pass(9 * second_us);
  for (FakeClient* client : {&a, &b}) frontend->leave(*client);
  begin();
  pass(9 * second_us);
  EXPECT_TRUE(life->engine->state().session(session));
  pass(2 * second_us);
  EXPECT_FALSE(life->engine->state().session(session));
}

TEST_F(SessionFrontendTest, ARepeatedOpeningFindsItsSession) {
  open(a, "a");
  const auto session = a.session();
  EXPECT_NE(session, service::no_session);
  open(b, "a");
  EXPECT_EQ(b.session(), session);
  EXPECT_EQ(a.goodbye, Error::session_lost) << "the newer connection speaks for it";
}

TEST_F(SessionFrontendTest, ReadsTellOnlyWhatIsDurable) {
  open(a, "a");
  greet(b);
  life->is_slow = true;
  say(a, put("key", "value"));
  proto::ClientMessage read;
  read.mutable_read()->mutable_files()->set_key("key");
  say(b, read);
  EXPECT_TRUE(b.told.back().has_welcome()) << "no answer yet";
  life->finish_appends();
  ASSERT_TRUE(b.told.back().has_answer());
  EXPECT_EQ(b.told.back().answer().files(0).value(), "value");
}

TEST_F(SessionFrontendTest, WatchesTellOnlyWhatIsDurableAndNothingTwice) {
  open(a, "a");
  greet(b);
  life->is_slow = true;
  say(a, put("key", "1"));
  proto::ClientMessage watch;
  watch.mutable_watch()->set_number(1);
  say(b, watch);
  say(a, put("key", "2"));
  EXPECT_TRUE(b.told.back().has_welcome());
  life->finish_appends();
  say(a, put("key", "3"));
  std::string values;
  for (const auto& message : b.told) {
    for (const auto& change : message.changes().changes()) values += change.value();
  }
  EXPECT_EQ(values, "123");
  proto::ClientMessage unwatch;
  unwatch.mutable_unwatch()->set_number(1);
  say(b, unwatch);
  const std::size_t told = b.told.size();
  say(a, put("key", "4"));
  EXPECT_EQ(b.told.size(), told);
}

TEST_F(SessionFrontendTest, WatchesThatWaitForTheJournalAreCountedToo) {
  open(a, "a");
  greet(b);
  life->is_slow = true;
  say(a, put("key", "1"));
  proto::ClientMessage watch;
  for (std::uint64_t i = 0; i <= FrontendOptions{}.watches_per_client; ++i) {
    watch.mutable_watch()->set_number(i);
    say(b, watch);
  }
  life->finish_appends();
  EXPECT_EQ(b.goodbye, Error::too_many);
}

TEST_F(SessionFrontendTest, ALongListComesInParts) {
  open(a, "a");
  for (int i = 0; i < 60; ++i) say(a, put("key" + std::to_string(i), std::string(60'000, 'x')));
  a.told.clear();
  proto::ClientMessage read;
  read.mutable_read()->set_number(9);
  read.mutable_read()->mutable_files();
  say(a, read);
  EXPECT_GT(a.told.size(), 2U);
  int files = 0;
  for (const auto& part : a.told) {
    EXPECT_EQ(part.answer().number(), 9U);
    EXPECT_EQ(part.answer().more(), &part != &a.told.back());
    EXPECT_LT(part.ByteSizeLong(), 2'000'000U);
    files += part.answer().files_size();
  }
  EXPECT_EQ(files, 60);
}

TEST_F(SessionFrontendTest, WithoutASessionOneMayWriteAndBreakButNotHold) {
  open(a, "a");
  say(a, acquire("x"));
  greet(b);
  say(b, acquire("y"));
  EXPECT_EQ(static_cast<Error>(b.told.back().reply().error()), Error::bad_request);
  say(b, put("key", "value"));
  EXPECT_EQ(b.told.back().reply().error(), 0U);
  auto tied = put("other", "value");
  tied.mutable_request()->mutable_put()->set_tied(true);
  say(b, tied);
  EXPECT_EQ(static_cast<Error>(b.told.back().reply().error()), Error::bad_request);
  proto::ClientMessage breaking;
  breaking.mutable_request()->set_request(next++);
  breaking.mutable_request()->mutable_break_()->set_name("x");
  say(b, breaking);
  EXPECT_EQ(b.told.back().reply().error(), 0U);
  EXPECT_TRUE(a.told.back().has_hold_over());
}

// With and without a snapshot in between.
TEST_F(SessionFrontendTest, WhatTheJournalCannotKeepIsRefused) {
  for (FakeClient* client : {&a, &b}) frontend->leave(*client);
  begin({}, {.most_record_bytes = 1000});
  open(a, "a");
  say(a, put("key", std::string(1000, 'x')));
  const proto::Reply refused = a.told.back().reply();
  EXPECT_EQ(static_cast<Error>(refused.error()), Error::too_large);
  EXPECT_EQ(refused.message(), "a request may have at most 1000 bytes here");
  say(a, put("key", std::string(900, 'x')));
  EXPECT_EQ(a.told.back().reply().error(), 0U);
  for (const auto& [position, record] : store->records) EXPECT_LT(record.size(), 1100U);
}

TEST_F(SessionFrontendTest, WhoWasAwayWhenItsHoldEndedIsToldByTheNextServer) {
  for (const std::size_t commands_per_snapshot : {1000, 1}) {
    const std::string nonce = std::to_string(commands_per_snapshot);
    open(a, nonce);
    say(a, acquire("x"));
    const auto session = a.session();
    const auto fence = a.told.back().reply().granted().fence();
    ASSERT_GT(fence, 0U);
    frontend->leave(a);
    open(b, "operator" + nonce);
    say(b, break_by_force("x"));
    frontend->leave(b);
    begin({.commands_per_snapshot = commands_per_snapshot});
    frontend->leave(a);
    frontend->leave(b);
    begin();

    greet(a);
    say(a, resume(session, nonce));
    ASSERT_TRUE(a.told.back().has_hold_over());
    EXPECT_EQ(a.told[a.told.size() - 2].resumed().reminders(), 1U);
    EXPECT_EQ(a.told.back().hold_over().name(), "x");
    EXPECT_EQ(a.told.back().hold_over().fence(), fence);
    EXPECT_EQ(a.told.back().hold_over().reason(), "it was broken by an operator, by force");
    proto::ClientMessage known;
    known.mutable_request()->set_request(next++);
    known.mutable_request()->mutable_acknowledge()->set_name("x");
    known.mutable_request()->mutable_acknowledge()->set_fence(fence);
    say(a, known);
    say(a, resume(session, nonce));
    EXPECT_TRUE(a.told.back().has_resumed()) << "once it knows it is not told again";
    EXPECT_EQ(a.told.back().resumed().reminders(), 0U);
  }
}

// With and without a snapshot before and after the hold ends.
TEST_F(SessionFrontendTest, AGrantThatWasTakenAwayIsNotToldAgainByTheNextServer) {
  for (const std::size_t first : {1000, 1})
    for (const std::size_t second : {1000, 1}) {
      const std::string nonce = std::to_string(first) + "," + std::to_string(second);
      for (FakeClient* client : {&a, &b}) frontend->leave(*client);
      begin({.commands_per_snapshot = first});
      open(a, nonce);
      const proto::ClientMessage asked = acquire("x");
      say(a, asked);
      ASSERT_GT(a.told.back().reply().granted().fence(), 0U);
      const auto session = a.session();
      for (FakeClient* client : {&a, &b}) frontend->leave(*client);
      begin({.commands_per_snapshot = second});
      greet(b);
      say(b, break_by_force("x"));
      for (FakeClient* client : {&a, &b}) frontend->leave(*client);
      begin();
      greet(a);
      say(a, resume(session, nonce));
      say(a, asked);
      const proto::Reply& reply = a.told.back().reply();
      EXPECT_EQ(reply.request(), asked.request().request());
      EXPECT_EQ(static_cast<Error>(reply.error()), Error::lock_lost) << nonce;
      EXPECT_EQ(reply.message(), "'x': it was broken by an operator, by force");
    }
}

TEST_F(SessionFrontendTest, ASessionThatWasBrokenCannotBeResumedAtTheNextServer) {
  open(a, "a");
  say(a, acquire("x"));
  const auto session = a.session();
  frontend->leave(a);
  greet(b);
  proto::ClientMessage breaking;
  breaking.mutable_request()->set_request(next++);
  breaking.mutable_request()->mutable_break_session()->set_session(session.value);
  say(b, breaking);
  frontend->leave(b);
  begin();
  greet(a);
  say(a, resume(session, "a"));
  EXPECT_EQ(static_cast<Error>(a.told.back().resumed().error()), Error::session_lost);
  pass(11 * second_us);
  life->engine->tick();
  EXPECT_FALSE(life->engine->state().session(session)) << "its locks go to others";
}

TEST_F(SessionFrontendTest, AnEndIsToldToWhoComesBackOnlyWhenItIsDurable) {
  open(a, "a");
  say(a, acquire("x"));
  const auto session = a.session();
  frontend->leave(a);
  greet(b);
  life->is_slow = true;
  say(b, break_by_force("x"));
  frontend->arrive(a);
  say(a, resume(session, "a"));
  EXPECT_TRUE(a.told.back().has_resumed());
  life->finish_appends();
  EXPECT_TRUE(a.told.back().has_hold_over());
}

TEST_F(SessionFrontendTest, ARequestCannotSpeakForAnotherSession) {
  open(a, "a");
  open(b, "b");
  auto message = acquire("x");
  message.mutable_request()->set_session(a.session().value);
  say(b, message);
  const auto lock = life->engine->state().lock(service::Namespace::lock, "x");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.front().party.session, b.session());
}

TEST_F(SessionFrontendTest, WhenItClosesRequestsAreRefused) {
  open(a, "a");
  frontend->close();
  say(a, acquire("x"));
  EXPECT_EQ(static_cast<Error>(a.told.back().reply().error()), Error::shutting_down);
  EXPECT_FALSE(life->engine->state().lock(service::Namespace::lock, "x"));
  greet(b);
  EXPECT_EQ(b.goodbye, Error::shutting_down);
}

}  // namespace
}  // namespace baton::server
