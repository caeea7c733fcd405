// The numbers of requests, which answers they confirm, and what becomes of them on a new connection.
#include "service/client/requests.h"

#include <gtest/gtest.h>

#include "service/client/holds.h"
#include "service/client/parts.h"

namespace baton::client {
namespace {

using test::acquire_of;
using test::asked_for;
using test::make_calls;
using test::sent;

proto::Request put() {
  proto::Request request;
  request.mutable_put()->set_key("key");
  return request;
}

class RequestsTest : public testing::Test {
 protected:
  const proto::Request& add(proto::Request request, std::shared_ptr<HeldLock> hold = {}) {
    return requests_.add(std::move(request), note(), std::move(hold), now_).request();
  }
  Replied note() {
    return [this](const Result<proto::Reply>& reply) { told_.push_back(reply.error()); };
  }
  std::vector<std::uint64_t> numbers_sent() {
    std::vector<std::uint64_t> all;
    for (const auto& message : sent(out_)) all.push_back(message.request().request());
    return all;
  }

  Requests requests_{2};
  Holds holds_{false};
  Outbox out_;
  Micros now_ = 1'000'000;
  std::vector<Error> told_;
};

TEST_F(RequestsTest, ConfirmationGoesInOrder) {
  EXPECT_EQ(add(put()).confirmed(), 2u);
  EXPECT_EQ(add(put()).confirmed(), 2u);
  EXPECT_EQ(add(put()).confirmed(), 2u);
  requests_.take(3);
  EXPECT_EQ(add(put()).confirmed(), 2u) << "the first is unanswered";
  requests_.take(2);
  EXPECT_EQ(add(put()).confirmed(), 4u) << "now the first two are not";
  for (const std::uint64_t id : {4, 5, 6}) requests_.take(id);
  EXPECT_EQ(add(put()).confirmed(), 7u);
  EXPECT_EQ(requests_.next(), 8u);
}

TEST_F(RequestsTest, WhatIsUnansweredIsRepeatedUnderItsNumber) {
  for (int i = 0; i < 3; ++i) add(put());
  requests_.take(2);
  for (int connection = 0; connection < 2; ++connection) {
    requests_.repeat(false, out_);
    const auto messages = sent(out_);
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].request().request(), 3u);
    EXPECT_EQ(messages[0].request().confirmed(), 3u);
    EXPECT_EQ(messages[1].request().request(), 4u);
    EXPECT_EQ(messages[1].request().confirmed(), 3u);
  }
  EXPECT_FALSE(requests_.contains(2));
}

TEST_F(RequestsTest, AnswersComeOnce) {
  add(put());
  requests_.take(2);
  EXPECT_DEATH(requests_.take(2), "this is a bug.*a request was answered twice");
}

// 2 releases, 3 acknowledges, 4 downgrades, 5 waits in line, 6 upgrades, 7 is of another kind.
TEST_F(RequestsTest, AReportAnswersWhatLetsGo) {
  const auto held = asked_for(acquire_of({"held"}));
  holds_.answered(held, acquire_of({"held"}), test::granted(9));
  proto::Request release;
  release.mutable_release();
  add(release);
  proto::Request acknowledge;
  acknowledge.mutable_acknowledge();
  requests_.add(std::move(acknowledge), {}, {}, now_);
  proto::Request downgrade;
  downgrade.mutable_downgrade();
  add(downgrade, held);
  add(acquire_of({"waits"}), asked_for(acquire_of({"waits"})));
  proto::Queued queued;
  queued.set_request(5);
  queued.set_ticket(77);
  requests_.hear(queued);
  proto::Request upgrade;
  upgrade.mutable_upgrade();
  add(upgrade, held);
  add(put());

  requests_.report(holds_, now_, out_);
  const auto messages = sent(out_);
  ASSERT_EQ(messages.size(), 1u);
  const proto::Request& report = messages[0].request();
  EXPECT_EQ(report.request(), 8u);
  EXPECT_EQ(report.confirmed(), 5u);
  ASSERT_EQ(report.reclaim().held_size(), 1);
  EXPECT_EQ(report.reclaim().held(0).mode(), proto::SHARED) << "as after the downgrade";
  ASSERT_EQ(report.reclaim().waiting_size(), 1);
  EXPECT_EQ(report.reclaim().waiting(0).request(), 5u);
  EXPECT_EQ(report.reclaim().waiting(0).ticket(), 77u);

  requests_.repeat(true, out_);
  EXPECT_EQ(numbers_sent(), (std::vector<std::uint64_t>{5, 7, 9})) << "the upgrade is made anew";
  Pending answered = requests_.take(8);
  out_.answer(answered.done, proto::Reply());
  make_calls(out_);
  EXPECT_EQ(told_, (std::vector<Error>{Error::none, Error::none}))
      << "of the release and the downgrade; nobody waits for the acknowledgement";
}

TEST_F(RequestsTest, AReportThatIsNotAskedForAgainHasArrived) {
  proto::Request release;
  release.mutable_release();
  add(release);
  requests_.report(holds_, now_, out_);
  EXPECT_EQ(numbers_sent(), std::vector<std::uint64_t>{3});
  requests_.repeat(false, out_);
  EXPECT_TRUE(numbers_sent().empty());
  EXPECT_TRUE(requests_.empty());
  make_calls(out_);
  EXPECT_EQ(told_, std::vector<Error>{Error::none});
}

// ... and the next server is told by another report.
TEST_F(RequestsTest, AReportThatIsAskedForAgainIsMadeAnew) {
  proto::Request release;
  release.mutable_release();
  add(release);
  requests_.report(holds_, now_, out_);
  requests_.repeat(true, out_);
  requests_.report(holds_, now_, out_);
  requests_.repeat(true, out_);
  EXPECT_EQ(numbers_sent(), (std::vector<std::uint64_t>{3, 4}));
  Pending answered = requests_.take(4);
  out_.answer(answered.done, proto::Reply());
  make_calls(out_);
  EXPECT_EQ(told_, std::vector<Error>{Error::none});
}

TEST_F(RequestsTest, OnlyAWaitWithADeadlineIsGivenUp) {
  proto::Request waits = acquire_of({"a"});
  waits.mutable_acquire()->set_wait(500'000);
  add(waits, asked_for(waits));
  add(acquire_of({"b"}), asked_for(acquire_of({"b"})));
  add(put());
  EXPECT_TRUE(requests_.give_up_overdue(now_ + 1'499'999, out_).empty());
  EXPECT_EQ(requests_.give_up_overdue(now_ + 1'500'000, out_), std::vector<std::uint64_t>{2});
  EXPECT_TRUE(requests_.give_up_overdue(now_ + 9'000'000, out_).empty());
  make_calls(out_);
  EXPECT_EQ(told_, std::vector<Error>{Error::timed_out});
  EXPECT_FALSE(requests_.take(2).done) << "whoever hears that it was granted must release it";
}

TEST_F(RequestsTest, FailsWhatIsTooOld) {
  add(put());
  now_ += 10;
  add(put());
  requests_.fail_older(now_ - 10, {Error::unavailable, {}}, out_);
  EXPECT_FALSE(requests_.contains(2));
  EXPECT_EQ(requests_.oldest(), now_);
  requests_.fail_all({Error::session_lost, {}}, out_);
  EXPECT_TRUE(requests_.empty());
  make_calls(out_);
  EXPECT_EQ(told_, (std::vector<Error>{Error::unavailable, Error::session_lost}));
}

// --- Reads --------------------------------------------------------------------------------------

proto::Answer part(std::uint64_t revision, const std::string& file, bool more) {
  proto::Answer answer;
  answer.set_number(1);
  answer.set_revision(revision);
  answer.add_files()->set_key(file);
  answer.set_more(more);
  return answer;
}

TEST(ReadsTest, PartsComeTogetherUnderTheFirstRevision) {
  Reads reads;
  Outbox out;
  std::vector<proto::Answer> answers;
  reads.add(
      {}, [&](const Result<proto::Answer>& answer) { answers.push_back(*answer); }, 1);
  proto::Answer first = part(5, "a", true);
  reads.hear(first, out);
  // The connection breaks: the whole is asked for again.
  reads.repeat(out);
  EXPECT_EQ(sent(out).at(0).read().number(), 1u);
  for (auto [revision, file] : {std::pair(6, "a"), std::pair(7, "b"), std::pair(8, "c")}) {
    proto::Answer next = part(static_cast<std::uint64_t>(revision), file, revision != 8);
    reads.hear(next, out);
  }
  make_calls(out);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].revision(), 6u);
  EXPECT_EQ(answers[0].files_size(), 3);
  EXPECT_TRUE(reads.empty());
}

}  // namespace
}  // namespace baton::client
