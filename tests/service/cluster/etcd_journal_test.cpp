// The journal in etcd as the leader writes it, against the model of etcd, which takes what is under
// way at once in any order.
#include "service/cluster/etcd_journal.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "support/model_etcd.h"
#include "support/test_name.h"

namespace baton::cluster {
namespace {

// Passes everything on, and counts.
class Counting : public etcd::Etcd {
 public:
  explicit Counting(std::unique_ptr<etcd::ModelClient> inner) : inner_(std::move(inner)) {}

  void transact(etcd::Transaction transaction,
                std::function<void(const etcd::Outcome&, etcd::TransactionResult)> done) override {
    ++transactions;
    inner_->transact(std::move(transaction),
                     [this, done = std::move(done)](const etcd::Outcome& outcome,
                                                    etcd::TransactionResult result) {
                       if (outcome.ok() && !result.held) ++refused;
                       done(outcome, std::move(result));
                     });
  }
  void range(etcd::Range range,
             std::function<void(const etcd::Outcome&, etcd::RangeResult)> done) override {
    inner_->range(std::move(range), std::move(done));
  }
  void grant_lease(
      std::int64_t ttl_s,
      std::function<void(const etcd::Outcome&, etcd::LeaseId, std::int64_t)> done) override {
    inner_->grant_lease(ttl_s, std::move(done));
  }
  void renew_lease(etcd::LeaseId lease,
                   std::function<void(const etcd::Outcome&, std::int64_t)> done) override {
    inner_->renew_lease(lease, std::move(done));
  }
  void revoke_lease(etcd::LeaseId lease, std::function<void(const etcd::Outcome&)> done) override {
    inner_->revoke_lease(lease, std::move(done));
  }
  WatchId watch(etcd::KeyRange keys, etcd::Revision from,
                std::function<void(etcd::Changes)> changes) override {
    return inner_->watch(std::move(keys), from, std::move(changes));
  }
  void unwatch(WatchId watch) override { inner_->unwatch(watch); }
  void compact(etcd::Revision revision, std::function<void(const etcd::Outcome&)> done) override {
    inner_->compact(revision, std::move(done));
  }
  void members(std::function<void(std::vector<etcd::MemberStatus>)> done) override {
    inner_->members(std::move(done));
  }

  etcd::ModelClient& model() { return *inner_; }
  int transactions = 0;
  int refused = 0;

 private:
  std::unique_ptr<etcd::ModelClient> inner_;
};

class World : private ReplicaHost {
 public:
  World(std::uint64_t seed, std::size_t under_way, const etcd::ModelFaults& faults = {})
      : etcd(seed),
        client(etcd.connect(faults)),
        journal(client, *this, keys, {.name = "test", .most_under_way = under_way},
                {.deposed = [this](const std::string&) { is_deposed = true; },
                 .troubled = [](const std::string&) {},
                 .is_proven = [](std::int64_t) { return true; }}) {
    put_leader();
    journal.begin(since, 0);
    watcher->watch(keys.followed(), since + 1, [this](const etcd::Changes& changes) {
      for (const etcd::Event& event : changes.events) {
        kept.push_back(keys.position_of(event.item.key).value_or(0));
      }
    });
  }

  // As a server that comes to lead does.
  void put_leader() {
    auto other = etcd.connect();
    etcd::Transaction transaction;
    transaction.then = {etcd::Operation::put(keys.leader(), "me")};
    other->transact(std::move(transaction),
                    [this](const etcd::Outcome&, const etcd::TransactionResult& result) {
                      since = result.revision;
                    });
    advance(100'000);
  }

  void advance(std::int64_t us) {
    const std::int64_t end_us = etcd.now_us() + us;
    while (etcd.now_us() < end_us) {
      etcd.advance(10);
      while (!timers_.empty() && timers_.begin()->first <= etcd.now_us()) {
        const auto what = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        what();
      }
    }
  }

  // Keeps so many appends under way until this many are durable, in order.
  void append(journal::Position count) {
    while (durable.size() < count && etcd.now_us() < 600'000'000) {
      while (appended_ < count && appended_ - durable.size() < journal.most_under_way()) {
        const journal::Position position = ++appended_;
        journal.append("record " + std::to_string(position), [this, position](const auto& fault) {
          EXPECT_FALSE(fault);
          durable.push_back(position);
        });
      }
      advance(100);
    }
  }

  Keys keys{"test"};
  etcd::ModelEtcd etcd;
  std::unique_ptr<etcd::ModelClient> watcher = etcd.connect();
  Counting client;
  EtcdJournal journal;
  etcd::Revision since = 0;
  bool is_deposed = false;
  std::vector<journal::Position> durable;  // as the journal says
  std::vector<journal::Position> kept;     // as etcd has them, in the order in which they came

 private:
  std::int64_t clock_us() override { return etcd.now_us(); }
  void after(std::int64_t us, std::function<void()> what) override {
    timers_.emplace(etcd.now_us() + us, std::move(what));
  }
  void forget(const std::string&) override {}
  void read_snapshot(journal::Position, std::string_view) override {}
  void read_record(journal::Position, std::string_view) override {}
  void follow(const LeaderInfo*) override {}
  void lead(std::int64_t) override {}
  void give_up(const std::string&) override {}
  void warn(const std::string&) override {}

  std::multimap<std::int64_t, std::function<void()>> timers_;
  journal::Position appended_ = 0;
};

std::vector<journal::Position> first(journal::Position count) {
  std::vector<journal::Position> all;
  for (journal::Position i = 1; i <= count; ++i) all.push_back(i);
  return all;
}

class EtcdJournalOrder : public testing::TestWithParam<std::size_t> {};

TEST_P(EtcdJournalOrder, AppendsBecomeDurableInOrderWhateverOrderEtcdTakesThemIn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed, GetParam());
    world.append(200);
    world.advance(10'000);
    EXPECT_EQ(first(200), world.durable) << "seed " << seed;
    EXPECT_EQ(first(200), world.kept) << "seed " << seed;
    EXPECT_EQ(GetParam() > 1, world.client.refused > 0) << "seed " << seed;
    EXPECT_FALSE(world.is_deposed);
  }
}

TEST_P(EtcdJournalOrder, LostRequestsAndAnswersAreRepeated) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed, GetParam(),
                {.request_lost = 50, .answer_lost = 50, .request_late = 20, .timeout_us = 20'000});
    world.append(200);
    world.advance(10'000);
    EXPECT_EQ(first(200), world.durable) << "seed " << seed;
    EXPECT_EQ(first(200), world.kept) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(UnderWay, EtcdJournalOrder, testing::Values(1, 2, 4, 8),
                         test::numbered("appends_"));

TEST(EtcdJournal, AnotherLeaderEndsIt) {
  World world(1, 4);
  world.append(10);
  auto other = world.etcd.connect();
  etcd::Transaction transaction;
  transaction.then = {etcd::Operation::remove(etcd::KeyRange::one(world.keys.leader()))};
  other->transact(std::move(transaction), [](const auto&, const auto&) {});
  world.advance(100'000);
  bool is_told = false;
  for (int i = 0; i < 4; ++i) world.journal.append("late", [&](const auto&) { is_told = true; });
  world.advance(100'000);
  EXPECT_TRUE(world.is_deposed);
  EXPECT_FALSE(is_told);
  EXPECT_EQ(11U, world.kept.size());  // with the removal of the leader's key
  EXPECT_FALSE(world.journal.is_leading());
}

}  // namespace
}  // namespace baton::cluster
