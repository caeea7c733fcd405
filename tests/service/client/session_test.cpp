// How a client opens and resumes its session, which servers it believes, and what it makes of
// silence: in a time that the test tells.
#include "service/client/session.h"

#include <gtest/gtest.h>

#include "service/client/parts.h"

namespace baton::client {
namespace {

using test::sent;
using Event = Session::Event;

std::string next_nonce() {
  static int count = 0;
  return "nonce " + std::to_string(++count);
}

constexpr Micros second = 1'000'000;

// With a TTL of ten seconds the lease lasts 9.8, and jeopardy comes after half of that.
class SessionTest : public testing::Test {
 protected:
  Event welcome(std::uint64_t epoch) {
    proto::Welcome message;
    message.set_protocol(protocol_version);
    message.set_epoch(epoch);
    return session_.hear(message, now_, out_);
  }
  Event opened() {
    proto::Reply reply;
    reply.set_request(opening_request);
    reply.mutable_opened()->set_session(42);
    reply.mutable_opened()->set_ttl(10 * second);
    return session_.hear(reply, now_, out_);
  }
  Event resumed(Error error = Error::none, bool must_report = false) {
    proto::Resumed message;
    message.set_session(42);
    message.set_ttl(10 * second);
    message.set_error(static_cast<std::uint32_t>(error));
    message.set_must_report(must_report);
    return session_.hear(message, now_, out_);
  }
  Event alive(std::uint64_t number, std::uint64_t epoch = 5) {
    proto::Alive message;
    message.set_number(number);
    message.set_epoch(epoch);
    return session_.hear(message, now_, out_);
  }
  Event wake(bool holding) { return session_.wake(now_, holding, out_); }
  std::optional<std::string> hung_up() { return std::exchange(out_.hang_up, std::nullopt); }
  void reconnect() {
    session_.disconnected();
    out_ = {};
  }
  // Of epoch 5; the first keepalive is under way.
  void enter() {
    ASSERT_EQ(welcome(5), Event::none);
    ASSERT_EQ(opened(), Event::admitted);
    ASSERT_EQ(session_.begin(now_, out_), Event::none);
    sent(out_);
  }

  Session session_{{}, nullptr, next_nonce};
  Outbox out_;
  Micros now_ = 1000 * second;
};

TEST_F(SessionTest, IsOpenedAndThenKeptAlive) {
  session_.greet(out_);
  EXPECT_TRUE(sent(out_).at(0).has_hello());
  EXPECT_TRUE(session_.is_away());
  EXPECT_EQ(welcome(5), Event::none);
  EXPECT_TRUE(session_.is_opening());
  const proto::Request request = sent(out_).at(0).request();
  EXPECT_EQ(request.request(), opening_request);
  EXPECT_EQ(request.open_session().ttl(), 10 * second);
  EXPECT_EQ(opened(), Event::admitted);
  EXPECT_FALSE(session_.must_report());
  EXPECT_FALSE(session_.is_ready());
  EXPECT_EQ(session_.begin(now_, out_), Event::none);
  EXPECT_TRUE(session_.is_ready());
  EXPECT_TRUE(sent(out_).at(0).has_keep_alive());
  EXPECT_EQ(session_.ticket(7).session, 42u);
  EXPECT_EQ(session_.ticket(7).epoch, 5u);
  EXPECT_EQ(session_.ticket(7).nonce, request.open_session().nonce());
}

TEST_F(SessionTest, RequestsThatAreHeardTooEarlyStopTheProgram) {
  EXPECT_DEATH(session_.begin(now_, out_), "an answer came before the session was entered");
}

// The answer was lost with its connection. The session that it opened has been there since then.
TEST_F(SessionTest, ARepeatedOpeningFindsItsSessionAndAsksWhetherToReport) {
  welcome(5);
  const std::string nonce = sent(out_).at(0).request().open_session().nonce();
  const Micros first = now_;
  reconnect();
  now_ += 2 * second;
  welcome(5);
  EXPECT_EQ(sent(out_).at(0).request().open_session().nonce(), nonce);
  EXPECT_EQ(opened(), Event::none);
  EXPECT_EQ(sent(out_).at(0).resume().session(), 42u);
  EXPECT_EQ(session_.lease_end(), first + 9'800'000);
  EXPECT_EQ(resumed(Error::none, true), Event::admitted);
  EXPECT_TRUE(session_.must_report());
}

TEST_F(SessionTest, AnOpeningOfLongAgoIsForgotten) {
  welcome(5);
  const std::string nonce = sent(out_).at(0).request().open_session().nonce();
  reconnect();
  now_ += 2'600'000;  // more than a quarter of the TTL
  welcome(5);
  EXPECT_NE(sent(out_).at(0).request().open_session().nonce(), nonce);
  EXPECT_EQ(opened(), Event::admitted);
}

TEST_F(SessionTest, OfARefusedOpeningOnlyWhatAnotherServerMayDoIsTriedAgain) {
  for (const Error error : {Error::not_leader, Error::shutting_down, Error::bad_request}) {
    welcome(5);
    proto::Reply reply;
    reply.set_request(opening_request);
    reply.set_error(static_cast<std::uint32_t>(error));
    reply.set_message("no");
    const bool is_final = error == Error::bad_request;
    EXPECT_EQ(session_.hear(reply, now_, out_), is_final ? Event::refused : Event::none);
    EXPECT_EQ(hung_up(), "it opens no session: no");
    reconnect();
  }
  EXPECT_EQ(session_.why().error, Error::bad_request);
  EXPECT_FALSE(session_.is_lost());
}

// --- Whom it believes ---------------------------------------------------------------------------

TEST_F(SessionTest, AServerOfAnOlderEpochIsLeft) {
  enter();
  reconnect();
  EXPECT_EQ(welcome(4), Event::none);
  EXPECT_EQ(hung_up(), "it is out of date");
  EXPECT_TRUE(session_.is_away());
  EXPECT_TRUE(sent(out_).empty());
  EXPECT_EQ(welcome(5), Event::none);
  EXPECT_FALSE(hung_up());
  EXPECT_TRUE(sent(out_).at(0).has_resume());
  reconnect();
  EXPECT_EQ(welcome(6), Event::none);
  EXPECT_EQ(session_.ticket(1).epoch, 6u);
}

TEST_F(SessionTest, AnAnswerOfAnOlderEpochDoesNotKeepAlive) {
  enter();
  const Micros end = session_.lease_end();
  now_ += 3 * second;
  EXPECT_EQ(wake(true), Event::none);
  EXPECT_EQ(alive(2, 4), Event::none);
  EXPECT_EQ(session_.lease_end(), end);
}

TEST_F(SessionTest, ATicketRemembersItsEpoch) {
  const SessionTicket ticket{42, "nonce", 7, 5};
  session_ = Session({}, &ticket, next_nonce);
  welcome(4);
  EXPECT_EQ(hung_up(), "it is out of date");
}

TEST_F(SessionTest, WhoMayReadWhatIsStaleListensToOlderEpochsAndToFollowers) {
  session_ = Session({.session = false, .stale = true}, nullptr, next_nonce);
  EXPECT_EQ(welcome(5), Event::admitted);
  reconnect();
  proto::Welcome follower;
  follower.set_protocol(protocol_version);
  follower.set_epoch(4);
  follower.set_following(true);
  EXPECT_EQ(session_.hear(follower, now_, out_), Event::admitted);
  EXPECT_EQ(session_.begin(now_, out_), Event::none);
  EXPECT_TRUE(session_.is_ready());
  EXPECT_TRUE(session_.has_lease(now_));
  EXPECT_TRUE(sent(out_).empty()) << "there is no session to be kept alive";
}

TEST_F(SessionTest, AFollowerIsLeftForItsLeader) {
  proto::Welcome message;
  message.set_protocol(protocol_version);
  message.set_following(true);
  EXPECT_EQ(session_.hear(message, now_, out_), Event::follows);
  EXPECT_EQ(hung_up(), "no server leads at this moment");
  message.set_leader("baton://host:1");
  EXPECT_EQ(session_.hear(message, now_, out_), Event::follows);
  EXPECT_EQ(hung_up(), "another server leads");
}

TEST_F(SessionTest, AnotherProtocolIsRefused) {
  proto::Welcome message;
  message.set_protocol(2);
  EXPECT_EQ(session_.hear(message, now_, out_), Event::refused);
  EXPECT_EQ(session_.why().error, Error::version);
  EXPECT_TRUE(hung_up());
}

// --- The lease ----------------------------------------------------------------------------------

// Nobody here knows how long the session of a ticket has been left alone.
TEST_F(SessionTest, WhoAttachesHasNoLeaseBeforeASignOfLifeIsAnswered) {
  const SessionTicket ticket{42, "nonce", 7, 5};
  session_ = Session({}, &ticket, next_nonce);
  EXPECT_EQ(welcome(6), Event::none);
  EXPECT_EQ(sent(out_).at(0).resume().nonce(), "nonce");
  EXPECT_EQ(resumed(), Event::admitted);
  EXPECT_EQ(session_.begin(now_, out_), Event::none);
  EXPECT_FALSE(session_.has_lease(now_));
  EXPECT_EQ(sent(out_).at(0).keep_alive().number(), 1u);
  const Micros sent_at = now_;
  now_ += second;
  EXPECT_EQ(alive(1, 6), Event::safe);
  EXPECT_TRUE(session_.has_lease(now_));
  EXPECT_EQ(session_.lease_end(), sent_at + 9'800'000);
}

TEST_F(SessionTest, WhoHoldsSomethingIsInJeopardyAndThenLost) {
  enter();
  now_ += 5 * second;
  EXPECT_EQ(wake(true), Event::jeopardy);
  now_ += 5 * second;
  EXPECT_EQ(wake(true), Event::lost);
  EXPECT_EQ(wake(true), Event::none);
  EXPECT_EQ(session_.lose({Error::session_lost, "again"}), Event::none);
  EXPECT_EQ(session_.why().message, "no server has answered for as long as the lease lasts");
  EXPECT_FALSE(session_.next_wake());
}

TEST_F(SessionTest, WhoHoldsNothingIsInDoubt) {
  enter();
  now_ += 10 * second;
  EXPECT_EQ(wake(false), Event::jeopardy);
  EXPECT_FALSE(session_.has_lease(now_));
  EXPECT_FALSE(session_.is_lost());
  EXPECT_EQ(session_.doubt_since(), now_);
  now_ += second;
  EXPECT_EQ(wake(false), Event::none);
  EXPECT_EQ(session_.doubt_since(), now_ - second);
}

TEST_F(SessionTest, DoubtEndsWhenAServerAnswers) {
  enter();
  now_ += 10 * second;
  wake(false);
  EXPECT_NE(session_.doubt_since(), 0);
  const auto messages = sent(out_);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(alive(messages[0].keep_alive().number()), Event::safe);
  wake(false);
  EXPECT_EQ(session_.doubt_since(), 0);
}

// The lease runs from when what is answered was sent, and an answer stands for all before it.
TEST_F(SessionTest, AnswersCountFromWhenTheirKeepAliveWasSent) {
  enter();
  const Micros first = now_;
  now_ += 3 * second;
  wake(false);
  const Micros next = now_;
  EXPECT_EQ(sent(out_).at(0).keep_alive().number(), 2u);
  now_ += 100'000;
  EXPECT_EQ(alive(9), Event::none);
  EXPECT_EQ(session_.lease_end(), first + 9'800'000) << "nobody has sent that";
  EXPECT_EQ(alive(2), Event::none);
  EXPECT_EQ(session_.lease_end(), next + 9'800'000);
  EXPECT_EQ(alive(1), Event::none);
  EXPECT_EQ(session_.lease_end(), next + 9'800'000);
  EXPECT_FALSE(session_.is_silent(now_ + 9 * second, false, false)) << "none is unanswered";
}

TEST_F(SessionTest, AResumptionThatFailsIsALossOnlyIfTheSessionIsGone) {
  enter();
  reconnect();
  welcome(5);
  EXPECT_EQ(resumed(Error::unavailable), Event::none);
  EXPECT_TRUE(hung_up());
  reconnect();
  welcome(5);
  EXPECT_EQ(resumed(Error::session_lost), Event::lost);
  EXPECT_TRUE(session_.is_lost());
  EXPECT_TRUE(session_.is_away()) << "nothing is said any more";
}

// --- Silence ------------------------------------------------------------------------------------

TEST_F(SessionTest, ASilentServerIsLeftSoonerByWhoWaitsAndHasOthers) {
  enter();
  const auto is_silent_after = [&](Micros time, bool has_others, bool is_waiting) {
    return session_.is_silent(now_ + time, has_others, is_waiting);
  };
  EXPECT_FALSE(is_silent_after(3'200'000, false, true));
  EXPECT_TRUE(is_silent_after(3'300'000, false, true)) << "a third of the lease";
  EXPECT_FALSE(is_silent_after(3'200'000, true, false));
  EXPECT_FALSE(is_silent_after(700'000, true, true));
  EXPECT_TRUE(is_silent_after(800'000, true, true));
  EXPECT_EQ(session_.probe(now_, out_), Event::none);
  EXPECT_TRUE(sent(out_).empty()) << "one is under way";
  alive(1);
  EXPECT_FALSE(is_silent_after(9 * second, true, true));
  session_.probe(now_, out_);
  EXPECT_EQ(sent(out_).size(), 1u);
}

TEST_F(SessionTest, AServerThatOnlyGreetsIsLeft) {
  welcome(5);
  EXPECT_FALSE(session_.is_silent(now_ + 60 * second, false, false)) << "nobody else may answer";
  EXPECT_FALSE(session_.is_silent(now_ + 9 * second, true, false));
  EXPECT_TRUE(session_.is_silent(now_ + 10 * second, true, false));
  opened();
  session_.begin(now_, out_);
  reconnect();
  welcome(5);
  EXPECT_FALSE(session_.is_silent(now_ + 3 * second, false, false));
  EXPECT_TRUE(session_.is_silent(now_ + 3'400'000, false, false))
      << "a resumption is answered at once";
}

}  // namespace
}  // namespace baton::client
