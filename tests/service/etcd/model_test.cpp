// What the model does to its clients, and what it never does, whatever the seed.
#include "support/model_etcd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "service/etcd/world.h"
#include "support/test_name.h"

namespace baton::etcd {
namespace {

using What = Compare::What;
using Is = Compare::Is;
using Kind = Outcome::Kind;

constexpr std::int64_t second_us = 1'000'000;

// An answer, when it comes.
struct Answer {
  std::optional<Outcome> outcome;
  TransactionResult result;
  std::function<void(const Outcome&, TransactionResult)> hear() {
    return [this](const Outcome& heard, TransactionResult what) {
      EXPECT_FALSE(outcome) << "answered twice";
      outcome = heard;
      result = std::move(what);
    };
  }
};

Transaction put(const std::string& key, const std::string& value, LeaseId lease = 0) {
  return {{}, {Operation::put(key, value, lease)}, {}};
}

bool is_there(const ModelEtcd& etcd, const std::string& key) {
  RangeResult result;
  EXPECT_TRUE(etcd.store().range({KeyRange::one(key)}, result).ok());
  return !result.items.empty();
}

class Model : public ::testing::TestWithParam<int> {
 protected:
  ModelEtcd etcd_{static_cast<std::uint64_t>(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Seed, Model, ::testing::Range(1, 4), test::numbered("seed_"));

TEST_P(Model, ALostRequestIsUnknownAndNotDone) {
  ModelFaults faults;
  faults.request_lost = 1000;
  const auto client = etcd_.connect(faults);
  Answer answer;
  client->transact(put("a", "1"), answer.hear());
  etcd_.advance(10 * second_us);
  EXPECT_EQ(answer.outcome->kind, Kind::unknown);
  EXPECT_FALSE(is_there(etcd_, "a"));
}

TEST_P(Model, ALostAnswerIsUnknownThoughDone) {
  ModelFaults faults;
  faults.answer_lost = 1000;
  const auto client = etcd_.connect(faults);
  Answer answer;
  client->transact(put("a", "1"), answer.hear());
  etcd_.advance(10 * second_us);
  EXPECT_EQ(answer.outcome->kind, Kind::unknown);
  EXPECT_TRUE(is_there(etcd_, "a"));
}

TEST_P(Model, ALateRequestIsDoneAfterItWasGivenUp) {
  ModelFaults faults;
  faults.request_late = 1000;
  const auto client = etcd_.connect(faults);
  int done_afterwards = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string key = std::to_string(i);
    client->transact(put(key, "1"), [&, key](const Outcome& outcome, const TransactionResult&) {
      done_afterwards += outcome.kind == Kind::unknown && !is_there(etcd_, key);
    });
  }
  etcd_.advance(20 * second_us);
  EXPECT_GT(done_afterwards, 0);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(is_there(etcd_, std::to_string(i)));
}

TEST_P(Model, RequestsInFlightOvertakeEachOther) {
  const auto client = etcd_.connect();
  std::vector<Revision> revisions(20);
  for (std::size_t i = 0; i < revisions.size(); ++i) {
    client->transact(put(std::to_string(i), ""),
                     [&, i](const Outcome&, const TransactionResult& result) {
                       revisions[i] = result.revision;
                     });
  }
  etcd_.advance(second_us);
  EXPECT_FALSE(std::is_sorted(revisions.begin(), revisions.end()));
  std::sort(revisions.begin(), revisions.end());
  for (std::size_t i = 0; i < revisions.size(); ++i) {
    EXPECT_EQ(revisions[i], static_cast<Revision>(i) + 2);
  }
}

TEST_P(Model, NothingComesThroughAPartition) {
  const auto inside = etcd_.connect();
  const auto outside = etcd_.connect();
  Told told;
  inside->watch(KeyRange::prefix(""), 2, told.hear());
  etcd_.advance(second_us);
  inside->set_partitioned(true);
  Answer lost;
  Answer done;
  inside->transact(put("inside", ""), lost.hear());
  outside->transact(put("outside", ""), done.hear());
  etcd_.advance(10 * second_us);
  EXPECT_EQ(lost.outcome->kind, Kind::unknown);
  EXPECT_TRUE(done.outcome->ok());
  EXPECT_FALSE(is_there(etcd_, "inside"));
  EXPECT_TRUE(told.events.empty());
  inside->set_partitioned(false);
  etcd_.advance(second_us);
  ASSERT_FALSE(told.events.empty());
  EXPECT_EQ(told.events[0].item.key, "outside");
}

TEST_P(Model, TheTermRisesWithEachLeader) {
  const auto client = etcd_.connect();
  Answer before;
  client->transact(put("a", ""), before.hear());
  etcd_.advance(second_us);
  etcd_.change_leader();
  Answer after;
  client->transact(put("a", ""), after.hear());
  etcd_.advance(second_us);
  EXPECT_GT(after.result.term, before.result.term);
}

TEST_P(Model, WithoutAQuorumNothingHappens) {
  const auto client = etcd_.connect();
  Answer granted;
  LeaseId lease = 0;
  client->grant_lease(2, [&](const Outcome&, LeaseId id, std::int64_t) { lease = id; });
  etcd_.advance(second_us / 100);
  client->transact(put("leased", "", lease), granted.hear());
  etcd_.advance(second_us / 100);
  ASSERT_TRUE(granted.outcome->ok());
  etcd_.set_quorum(false);
  Answer answers[10];
  for (int i = 0; i < 10; ++i) client->transact(put(std::to_string(i), ""), answers[i].hear());
  const Revision before = etcd_.store().revision();
  etcd_.advance(100 * second_us);
  EXPECT_EQ(etcd_.store().revision(), before) << "not even leases end";
  for (const Answer& answer : answers) EXPECT_EQ(answer.outcome->kind, Kind::unknown);
  etcd_.set_quorum(true);
  // What waited may be done now. Leases have all their time anew.
  std::int64_t ttl_s = 0;
  client->renew_lease(lease, [&](const Outcome&, std::int64_t got) { ttl_s = got; });
  etcd_.advance(second_us);
  EXPECT_TRUE(is_there(etcd_, "leased"));
  EXPECT_EQ(ttl_s, 2);
  etcd_.advance(4 * second_us);
  EXPECT_FALSE(is_there(etcd_, "leased"));
}

TEST_P(Model, FullTakesNothingMoreButLetsGo) {
  const auto client = etcd_.connect();
  Answer first;
  client->transact(put("a", "1"), first.hear());
  etcd_.advance(second_us);
  etcd_.set_full(true);
  Answer second;
  Answer other_branch;
  Answer removal;
  Outcome grant;
  client->transact(put("b", "1"), second.hear());
  client->transact({{}, {}, {Operation::put("b", "1")}}, other_branch.hear());
  client->transact({{}, {Operation::remove(KeyRange::one("a"))}, {}}, removal.hear());
  client->grant_lease(5, [&](const Outcome& outcome, LeaseId, std::int64_t) { grant = outcome; });
  etcd_.advance(second_us);
  EXPECT_EQ(second.outcome->kind, Kind::full);
  EXPECT_EQ(other_branch.outcome->kind, Kind::full);
  EXPECT_TRUE(removal.outcome->ok());
  EXPECT_EQ(grant.kind, Kind::full);
  EXPECT_FALSE(is_there(etcd_, "b"));
}

TEST_P(Model, ALeaseEndsAfterItsTimeAndNotMuchLater) {
  const auto client = etcd_.connect();
  LeaseId lease = 0;
  client->grant_lease(3, [&](const Outcome&, LeaseId id, std::int64_t) { lease = id; });
  etcd_.advance(10'000);
  Answer answer;
  client->transact(put("a", "", lease), answer.hear());
  etcd_.advance(2 * second_us);
  const std::int64_t renewed_us = etcd_.now_us();
  client->renew_lease(lease, [](const Outcome&, std::int64_t) {});
  while (is_there(etcd_, "a")) etcd_.advance(1000);
  EXPECT_GE(etcd_.now_us() - renewed_us, 3 * second_us);
  EXPECT_LE(etcd_.now_us() - renewed_us, 5 * second_us);
}

TEST_P(Model, ARenewalThatComesTooLateSavesNothing) {
  const auto client = etcd_.connect();
  LeaseId lease = 0;
  client->grant_lease(2, [&](const Outcome&, LeaseId id, std::int64_t) { lease = id; });
  etcd_.advance(2 * second_us + 5000);
  std::optional<std::int64_t> ttl_s;
  client->renew_lease(lease, [&](const Outcome&, std::int64_t got) { ttl_s = got; });
  etcd_.advance(3 * second_us);
  EXPECT_EQ(ttl_s, 0);
}

TEST_P(Model, AWatchLosesNothingToCuts) {
  ModelFaults faults;
  faults.watch_cut = 300;
  faults.most_watch_lag_us = 50'000;
  const auto watcher = etcd_.connect(faults);
  const auto writer = etcd_.connect();
  Told told;
  watcher->watch(KeyRange::prefix("k"), 2, told.hear());
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) {
    writer->transact({{}, {Operation::put("k1", ""), Operation::put("k2", "")}, {}},
                     [](const Outcome&, const TransactionResult&) {});
    etcd_.advance(5000);
  }
  etcd_.advance(100 * second_us);
  ASSERT_EQ(told.events.size(), 2U * count);
  for (std::size_t i = 0; i < told.events.size(); ++i) {
    EXPECT_EQ(told.events[i].item.mod_revision, 2 + static_cast<Revision>(i / 2));
  }
  EXPECT_GT(told.sizes.size(), 1U);
}

TEST_P(Model, AWatchThatLagsBehindACompactionSaysSo) {
  const auto watcher = etcd_.connect();
  const auto writer = etcd_.connect();
  Told told;
  watcher->watch(KeyRange::one("k"), 2, told.hear());
  etcd_.advance(second_us);
  watcher->set_partitioned(true);
  for (int i = 0; i < 5; ++i) writer->transact(put("k", ""), [](const auto&, const auto&) {});
  etcd_.advance(second_us);
  writer->compact(5, [](const Outcome& outcome) { EXPECT_TRUE(outcome.ok()); });
  etcd_.advance(second_us);
  watcher->set_partitioned(false);
  etcd_.advance(second_us);
  ASSERT_TRUE(told.end);
  EXPECT_EQ(told.end->kind, Kind::compacted);
}

TEST(ModelOfEtcd, EndsALeaseEarlyOnlyWhenTold) {
  ModelEtcd etcd(1);
  const auto client = etcd.connect();
  LeaseId lease = 0;
  client->grant_lease(60, [&](const Outcome&, LeaseId id, std::int64_t) { lease = id; });
  etcd.advance(second_us);
  Answer answer;
  client->transact(put("a", "", lease), answer.hear());
  etcd.advance(second_us);
  etcd.end_lease_early(lease);
  EXPECT_FALSE(is_there(etcd, "a"));
}

// A counter that several clients raise by compare and put, under all faults at once. Each raise
// leaves a mark of its own, so that an unknown outcome can be found out by reading: one that was
// not done until then may still be, if nobody else raises the counter before.
class Raiser {
 public:
  Raiser(ModelEtcd& etcd, std::string name, const ModelFaults& faults)
      : client(etcd.connect(faults)), name_(std::move(name)) {}

  void go() { read(); }

  std::unique_ptr<ModelClient> client;
  int raised = 0;   // known to have been done
  int unknown = 0;  // outcomes
  int refuted = 0;  // unknown ones that were found to have been done

 private:
  void read() {
    const Transaction both = {
        {},
        {Operation::range(KeyRange::one("count")),
         Operation::range(KeyRange::one("by/" + std::to_string(number_) + name_))},
        {}};
    client->transact(both, [this](const Outcome& outcome, const TransactionResult& result) {
      if (!outcome.ok()) return read();
      const auto& count = result.found[0];
      const bool was_done = !result.found[1].empty();
      if (is_pending_ && was_done) {
        ++raised;
        ++refuted;
      }
      is_pending_ = false;
      if (number_ < 40) raise(count.empty() ? 0 : count[0].mod_revision);
    });
  }
  void raise(Revision revision) {
    const std::string mark = "by/" + std::to_string(++number_) + name_;
    is_pending_ = true;
    client->transact({{{"count", What::mod_revision, Is::equal, revision}},
                      {Operation::put("count", ""), Operation::put(mark, "")},
                      {}},
                     [this](const Outcome& outcome, const TransactionResult& result) {
                       const bool is_unknown = outcome.kind == Kind::unknown;
                       unknown += is_unknown;
                       is_pending_ = is_unknown;
                       raised += outcome.ok() && result.held;
                       read();
                     });
  }

  std::string name_;
  bool is_pending_ = false;  // the outcome of the latest is unknown
  int number_ = 0;
};

std::string run_raisers(std::uint64_t seed, int& found_out) {
  ModelEtcd etcd(seed);
  ModelFaults faults;
  faults.request_lost = 30;
  faults.answer_lost = 30;
  faults.request_late = 30;
  faults.most_lateness_us = 4 * second_us;
  faults.timeout_us = second_us / 10;
  faults.watch_cut = 50;
  Told told;
  const auto watcher = etcd.connect(faults);
  watcher->watch(KeyRange::one("count"), 2, told.hear());
  Raiser raisers[] = {{etcd, "a", faults}, {etcd, "b", faults}, {etcd, "c", faults}};
  for (Raiser& raiser : raisers) raiser.go();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 400; ++i) {
    etcd.advance(2000);
    if (random() % 10 == 0) raisers[random() % 3].client->set_partitioned(random() % 2 == 0);
    if (random() % 20 == 0) etcd.set_quorum(random() % 2 == 0);
    if (random() % 20 == 0) etcd.change_leader();
  }
  etcd.set_quorum(true);
  for (Raiser& raiser : raisers) raiser.client->set_partitioned(false);
  etcd.advance(100 * second_us);
  int raised = 0;
  int unknown = 0;
  int refuted = 0;
  for (Raiser& raiser : raisers) {
    raised += raiser.raised;
    unknown += raiser.unknown;
    refuted += raiser.refuted;
  }
  EXPECT_GT(raised, 0) << seed;
  EXPECT_GT(unknown, 0) << seed;
  // Each revision is one raise: none is counted twice, and those that are not known to have been
  // done are among the unknown ones.
  const auto done = static_cast<int>(etcd.store().revision() - 1);
  EXPECT_LE(raised, done) << seed;
  EXPECT_GE(raised + unknown, done) << seed;
  EXPECT_EQ(told.events.size(), static_cast<std::size_t>(done)) << seed;
  found_out += refuted;
  return std::to_string(raised) + " " + std::to_string(unknown) + " " + std::to_string(done);
}

TEST(ModelOfEtcd, KeepsCompareAndPutRightUnderAllFaults) {
  int found_out = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) run_raisers(seed, found_out);
  EXPECT_GT(found_out, 0) << "unknown outcomes that were done";
}

TEST(ModelOfEtcd, IsAFunctionOfTheSeed) {
  int found_out = 0;
  EXPECT_EQ(run_raisers(7, found_out), run_raisers(7, found_out));
  std::set<std::string> runs;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) runs.insert(run_raisers(seed, found_out));
  EXPECT_GT(runs.size(), 5U);
}

}  // namespace
}  // namespace baton::etcd
