// What Baton relies on, shown of the model and of a real etcd by the same tests.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "service/etcd/world.h"

namespace baton::etcd {
namespace {

using What = Compare::What;
using Is = Compare::Is;
using Kind = Outcome::Kind;

constexpr std::int64_t second_us = 1'000'000;
constexpr std::size_t kibibyte = 1024;

const std::string no_end(1, '\0');

class Contract : public ::testing::TestWithParam<int> {
 protected:
  Contract() {
    const bool is_real = GetParam() == 0;
    if (is_real) {
      world_ = std::make_unique<RealWorld>();
    } else {
      world_ = std::make_unique<ModelWorld>(GetParam());
    }
    etcd_ = world_->connect();
    waiting_ = std::make_unique<Waiting>(*world_, *etcd_);
    base_ = etcd().range({KeyRange::one("none")}).result.revision;
  }
  Waiting& etcd() { return *waiting_; }

  Etcd::WatchId watch(const KeyRange& keys, Revision from, Told& told) {
    return etcd_->watch(keys, from, told.hear());
  }
  bool until(const std::function<bool()>& condition) { return world_->until(condition); }

  std::unique_ptr<World> world_;
  std::unique_ptr<Etcd> etcd_;
  std::unique_ptr<Waiting> waiting_;
  Revision base_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Of, Contract, ::testing::Range(0, 4), [](const auto& which) {
  return which.param == 0 ? "etcd" : "model" + std::to_string(which.param);
});

Compare absent(const std::string& key) { return {key, What::create_revision, Is::equal, 0}; }

std::string keys_of(const std::vector<KeyValue>& items) {
  std::string result;
  for (const KeyValue& item : items) result += item.key + " ";
  return result;
}

TEST_P(Contract, APutIsReadBackWithItsRevisions) {
  const auto put = etcd().put("a", "1");
  ASSERT_TRUE(put.outcome.ok()) << put.outcome.message;
  EXPECT_TRUE(put.result.held);
  EXPECT_EQ(put.result.revision, base_ + 1);
  const auto item = etcd().get("a");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->value, "1");
  EXPECT_EQ(item->create_revision, base_ + 1);
  EXPECT_EQ(item->mod_revision, base_ + 1);
  EXPECT_EQ(item->lease, 0);
}

TEST_P(Contract, TheCreateRevisionLastsWhileTheKeyIsThere) {
  etcd().put("a", "1");
  etcd().put("a", "2");
  EXPECT_EQ(etcd().get("a")->create_revision, base_ + 1);
  EXPECT_EQ(etcd().get("a")->mod_revision, base_ + 2);
  etcd().remove(KeyRange::one("a"));
  EXPECT_FALSE(etcd().get("a"));
  etcd().put("a", "3");
  EXPECT_EQ(etcd().get("a")->create_revision, base_ + 4);
}

TEST_P(Contract, CreateIfAbsentSucceedsOnce) {
  const Transaction create = {
      {absent("leader")},
      {Operation::put("leader", "me")},
      {Operation::range(KeyRange::one("leader"))},
  };
  const auto first = etcd().transact(create);
  EXPECT_TRUE(first.result.held);
  EXPECT_EQ(first.result.revision, base_ + 1);
  const auto second = etcd().transact(create);
  ASSERT_TRUE(second.outcome.ok());
  EXPECT_FALSE(second.result.held);
  EXPECT_EQ(second.result.revision, base_ + 1);
  ASSERT_EQ(second.result.found.size(), 1U);
  ASSERT_EQ(second.result.found[0].size(), 1U);
  EXPECT_EQ(second.result.found[0][0].value, "me");
}

TEST_P(Contract, AllComparisonsMustHold) {
  etcd().put("a", "1");
  etcd().put("a", "2");
  const Revision created = base_ + 1;
  const Revision changed = base_ + 2;
  const auto held = [&](std::vector<Compare> compares) {
    return etcd().transact({std::move(compares), {}, {}}).result.held;
  };
  const Compare right_creation{"a", What::create_revision, Is::equal, created};
  const Compare right_change{"a", What::mod_revision, Is::equal, changed};
  EXPECT_TRUE(held({}));
  EXPECT_TRUE(held({right_creation}));
  EXPECT_TRUE(held({right_creation, right_change, absent("b")}));
  EXPECT_FALSE(held({right_creation, right_change, absent("a")}));
  EXPECT_FALSE(held({{"a", What::create_revision, Is::equal, changed}}));
  EXPECT_FALSE(held({{"a", What::mod_revision, Is::equal, created}}));
  EXPECT_TRUE(held({{"a", What::create_revision, Is::greater, 0}}));
  EXPECT_FALSE(held({{"b", What::create_revision, Is::greater, 0}}));
  EXPECT_TRUE(held({{"a", What::mod_revision, Is::greater, changed - 1}}));
  EXPECT_FALSE(held({{"a", What::mod_revision, Is::greater, changed}}));
}

TEST_P(Contract, OperationsSeeWhatThoseBeforeThemDidAndShareARevision) {
  etcd().put("p/old", "0");
  const auto done = etcd().transact({{absent("p/a")},
                                     {
                                         Operation::range(KeyRange::prefix("p/")),
                                         Operation::put("p/a", "1"),
                                         Operation::remove(KeyRange::one("p/old")),
                                         Operation::put("p/b", "2"),
                                         Operation::range(KeyRange::prefix("p/")),
                                     },
                                     {}});
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  EXPECT_TRUE(done.result.held);
  EXPECT_EQ(done.result.revision, base_ + 2);
  ASSERT_EQ(done.result.found.size(), 5U);
  EXPECT_EQ(keys_of(done.result.found[0]), "p/old ");
  EXPECT_TRUE(done.result.found[1].empty());
  EXPECT_EQ(keys_of(done.result.found[4]), "p/a p/b ");
  EXPECT_EQ(done.result.found[4][0].mod_revision, base_ + 2);
  EXPECT_EQ(done.result.found[4][1].create_revision, base_ + 2);
}

TEST_P(Contract, WhatChangesNothingHasNoRevisionOfItsOwn) {
  etcd().put("a", "1");
  EXPECT_EQ(etcd().remove(KeyRange::one("b")).result.revision, base_ + 1);
  EXPECT_EQ(etcd().transact({{absent("a")}, {Operation::put("a", "2")}, {}}).result.revision,
            base_ + 1);
  EXPECT_EQ(etcd().put("a", "1").result.revision, base_ + 2) << "the same value is a change";
}

TEST_P(Contract, TheTermStaysWhileEtcdKeepsItsLeader) {
  const std::uint64_t term = etcd().put("a", "1").result.term;
  EXPECT_GT(term, 0U);
  EXPECT_EQ(etcd().put("a", "2").result.term, term);
}

TEST_P(Contract, WhatEtcdRefusesIsNotDone) {
  const auto refused = [&](Transaction transaction) {
    const auto done = etcd().transact(std::move(transaction));
    EXPECT_NE(done.outcome.message, "");
    return done.outcome.kind == Kind::refused;
  };
  EXPECT_TRUE(refused({{}, {Operation::put("a", "1"), Operation::put("a", "2")}, {}}));
  EXPECT_TRUE(
      refused({{}, {Operation::put("a/1", "1"), Operation::remove(KeyRange::prefix("a/"))}, {}}));
  EXPECT_TRUE(refused({{}, {Operation::put("", "1")}, {}}));
  EXPECT_TRUE(refused({{absent("")}, {Operation::put("a", "1")}, {}}));
  EXPECT_TRUE(refused({{}, {Operation::put("a", "1", 12345)}, {}})) << "no such lease";
  EXPECT_FALSE(
      etcd().transact({{absent("b")}, {}, {Operation::put("a", "1", 12345)}}).outcome.kind ==
      Kind::refused)
      << "the lease of a branch that is not taken";
  Transaction many;
  for (int i = 0; i < 129; ++i) many.then.push_back(Operation::put(std::to_string(i), ""));
  EXPECT_TRUE(refused(many));
  EXPECT_EQ(etcd().range({KeyRange::prefix("")}).result.revision, base_);
  many.then.pop_back();
  EXPECT_TRUE(etcd().transact(many).outcome.ok());
}

TEST_P(Contract, RangesAreByKey) {
  for (const std::string key : {"b", "a", "c", "aa", "ab", "b\xff"}) etcd().put(key, "v" + key);
  const auto found = [&](Range range) {
    return keys_of(etcd().range(std::move(range)).result.items);
  };
  EXPECT_EQ(found({KeyRange::one("a")}), "a ");
  EXPECT_EQ(found({KeyRange::prefix("a")}), "a aa ab ");
  EXPECT_EQ(found({KeyRange::prefix("")}), "a aa ab b b\xff c ");
  EXPECT_EQ(found({KeyRange::prefix("b\xff")}), "b\xff ");
  EXPECT_EQ(found({{"aa", "b"}}), "aa ab ");
  EXPECT_EQ(found({{"ab", no_end}}), "ab b b\xff c ");
  EXPECT_EQ(found({KeyRange::one("none")}), "");
  const auto cut = etcd().range({KeyRange::prefix(""), 2}).result;
  EXPECT_EQ(keys_of(cut.items), "a aa ");
  EXPECT_TRUE(cut.more);
  const auto exact = etcd().range({KeyRange::prefix("a"), 3}).result;
  EXPECT_EQ(keys_of(exact.items), "a aa ab ");
  EXPECT_FALSE(exact.more);
  const auto keys = etcd().range({KeyRange::one("a"), 0, 0, true}).result;
  ASSERT_EQ(keys.items.size(), 1U);
  EXPECT_EQ(keys.items[0].value, "");
  EXPECT_GT(keys.items[0].mod_revision, 0);
}

TEST_P(Contract, OldRevisionsCanBeRead) {
  etcd().put("a", "1");
  etcd().put("a", "2");
  etcd().remove(KeyRange::one("a"));
  etcd().put("a", "3");
  const auto value = [&](Revision at) {
    const auto items = etcd().range({KeyRange::one("a"), 0, at}).result.items;
    return items.empty() ? "none" : items.front().value;
  };
  EXPECT_EQ(value(base_), "none");
  EXPECT_EQ(value(base_ + 1), "1");
  EXPECT_EQ(value(base_ + 2), "2");
  EXPECT_EQ(value(base_ + 3), "none");
  EXPECT_EQ(value(base_ + 4), "3");
  EXPECT_EQ(etcd().range({KeyRange::one("a"), 0, base_ + 1}).result.revision, base_ + 4);
  EXPECT_EQ(etcd().range({KeyRange::one("a"), 0, base_ + 5}).outcome.kind, Kind::refused);
}

TEST_P(Contract, WhatIsCompactedIsNotGuessed) {
  for (const std::string value : {"1", "2", "3"}) etcd().put("a", value);
  ASSERT_TRUE(etcd().compact(base_ + 2).ok());
  EXPECT_EQ(etcd().range({KeyRange::one("a"), 0, base_ + 1}).outcome.kind, Kind::compacted);
  EXPECT_EQ(etcd().range({KeyRange::one("a"), 0, base_ + 2}).result.items.at(0).value, "2");
  EXPECT_EQ(etcd().get("a")->value, "3");
  EXPECT_EQ(etcd().compact(base_ + 2).kind, Kind::compacted);
  EXPECT_EQ(etcd().compact(base_ + 9).kind, Kind::refused);
  Told early;
  Told kept;
  watch(KeyRange::one("a"), base_ + 1, early);
  watch(KeyRange::one("a"), base_ + 2, kept);
  ASSERT_TRUE(until([&] { return early.end && kept.events.size() == 2; }));
  EXPECT_EQ(early.end->kind, Kind::compacted);
  EXPECT_TRUE(early.events.empty());
  EXPECT_EQ(kept.text(base_), "+a=2@2 +a=3@3");
}

// etcd 3.4 forgets a removal at the very revision up to which it is compacted.
TEST_P(Contract, ARemovalAtTheCompactedRevisionIsNotTold) {
  etcd().put("a", "1");
  etcd().remove(KeyRange::one("a"));
  etcd().put("a", "2");
  ASSERT_TRUE(etcd().compact(base_ + 2).ok());
  // etcd takes its time to remove what is compacted.
  const std::string rest = "+a=2@3";
  std::deque<Told> told;
  for (int tries = 0; tries < 200; ++tries) {
    watch(KeyRange::one("a"), base_ + 2, told.emplace_back());
    ASSERT_TRUE(until([&] { return told.back().text(base_).ends_with(rest); }));
    if (told.back().text(base_) == rest) return;
    world_->pass(20'000);
  }
  FAIL() << told.back().text(base_);
}

TEST_P(Contract, AWatchTellsThePastAndThenThePresentInOrder) {
  etcd().put("p/a", "1");
  etcd().put("other", "x");
  etcd().transact({{}, {Operation::put("p/b", "2"), Operation::put("p/a", "3")}, {}});
  Told told;
  watch(KeyRange::prefix("p/"), base_ + 1, told);
  ASSERT_TRUE(until([&] { return told.events.size() == 3; }));
  etcd().remove(KeyRange::prefix("p/"));
  etcd().put("p/c", "4");
  ASSERT_TRUE(until([&] { return told.events.size() == 6; }));
  EXPECT_EQ(told.text(base_), "+p/a=1@1 +p/b=2@3 +p/a=3@3 -p/a@4 -p/b@4 +p/c=4@5");
  EXPECT_EQ(told.events[2].item.create_revision, base_ + 1);
  EXPECT_EQ(told.events[3].item.value, "");
}

TEST_P(Contract, AWatchBeginsWhereItIsToldTo) {
  for (const std::string value : {"1", "2", "3"}) etcd().put("a", value);
  Told later;
  Told future;
  watch(KeyRange::one("a"), base_ + 3, later);
  watch(KeyRange::one("a"), base_ + 5, future);
  ASSERT_TRUE(until([&] { return later.events.size() == 1; }));
  etcd().put("a", "4");
  etcd().put("a", "5");
  ASSERT_TRUE(until([&] { return later.events.size() == 3 && future.events.size() == 1; }));
  EXPECT_EQ(later.text(base_), "+a=3@3 +a=4@4 +a=5@5");
  EXPECT_EQ(future.text(base_), "+a=5@5");
}

TEST_P(Contract, AWatchThatIsEndedTellsNothingMore) {
  Told first;
  Told second;
  const auto id = watch(KeyRange::one("a"), base_ + 1, first);
  watch(KeyRange::one("a"), base_ + 1, second);
  etcd().put("a", "1");
  ASSERT_TRUE(until([&] { return first.events.size() == 1 && second.events.size() == 1; }));
  etcd_->unwatch(id);
  etcd_->unwatch(id);
  etcd().put("a", "2");
  ASSERT_TRUE(until([&] { return second.events.size() == 2; }));
  EXPECT_EQ(first.events.size(), 1U);
  EXPECT_FALSE(first.end);
}

TEST_P(Contract, ALeaseTakesItsKeysAlongAtOnceWhenItEnds) {
  const auto granted = etcd().grant(1);
  ASSERT_TRUE(granted.outcome.ok());
  EXPECT_NE(granted.lease, 0);
  EXPECT_GE(granted.ttl_s, 2) << "etcd's least";
  Told told;
  watch(KeyRange::prefix("l/"), base_ + 1, told);
  const std::int64_t before_us = world_->now_us();
  ASSERT_GT(etcd().renew(granted.lease).ttl_s, 0);
  ASSERT_TRUE(etcd().put("l/b", "1", granted.lease).outcome.ok());
  ASSERT_TRUE(etcd().put("l/a", "2", granted.lease).outcome.ok());
  ASSERT_TRUE(etcd().put("l/c", "3").outcome.ok());
  EXPECT_EQ(etcd().get("l/a")->lease, granted.lease);
  ASSERT_TRUE(until([&] { return told.events.size() == 5; }));
  EXPECT_GE(world_->now_us() - before_us, granted.ttl_s * second_us) << "before its time";
  EXPECT_EQ(told.text(base_), "+l/b=1@1 +l/a=2@2 +l/c=3@3 -l/a@4 -l/b@4");
  EXPECT_FALSE(etcd().get("l/a"));
  EXPECT_TRUE(etcd().get("l/c"));
  const auto renewed = etcd().renew(granted.lease);
  EXPECT_TRUE(renewed.outcome.ok());
  EXPECT_EQ(renewed.ttl_s, 0) << "there is no such lease";
  EXPECT_EQ(etcd().put("l/d", "4", granted.lease).outcome.kind, Kind::refused);
}

// On a machine that stands still a renewal may come too late; never may a lease end that was
// renewed in time.
TEST_P(Contract, ALeaseLastsWhileItIsRenewed) {
  const auto granted = etcd().grant(2);
  ASSERT_TRUE(etcd().put("a", "1", granted.lease).outcome.ok());
  const std::int64_t began_us = world_->now_us();
  std::int64_t renewed_us = began_us;
  while (world_->now_us() - began_us < 2 * granted.ttl_s * second_us) {
    world_->pass(second_us / 5);
    const std::int64_t before_us = world_->now_us();
    const auto renewed = etcd().renew(granted.lease);
    ASSERT_TRUE(renewed.outcome.ok());
    if (renewed.ttl_s == 0) {
      ASSERT_GE(world_->now_us() - renewed_us, granted.ttl_s * second_us);
      GTEST_SKIP() << "this machine was too slow to renew a lease in time";
    }
    EXPECT_EQ(renewed.ttl_s, granted.ttl_s);
    renewed_us = before_us;
  }
  EXPECT_TRUE(etcd().get("a"));
}

TEST_P(Contract, ARevokedLeaseTakesItsKeysAlong) {
  const auto granted = etcd().grant(60);
  EXPECT_EQ(granted.ttl_s, 60);
  etcd().put("a", "1", granted.lease);
  etcd().put("b", "1", granted.lease);
  etcd().put("b", "2");
  EXPECT_TRUE(etcd().revoke(granted.lease).ok());
  EXPECT_FALSE(etcd().get("a"));
  EXPECT_TRUE(etcd().get("b")) << "the last put took it from the lease";
  EXPECT_EQ(etcd().revoke(granted.lease).kind, Kind::refused);
  EXPECT_EQ(etcd().renew(granted.lease).ttl_s, 0);
  EXPECT_EQ(etcd().grant(10'000'000'000).outcome.kind, Kind::refused);
}

TEST_P(Contract, LargeValuesAreKeptAndTooLargeOnesRefused) {
  const std::string large(1024 * kibibyte, 'x');
  ASSERT_TRUE(etcd().put("large", large).outcome.ok());
  EXPECT_EQ(etcd().get("large")->value, large);
  // Beyond etcd's limit, and beyond what its server receives at all.
  for (const std::size_t size : {1600 * kibibyte, 3000 * kibibyte}) {
    const auto put = etcd().put("larger", std::string(size, 'y'));
    EXPECT_EQ(put.outcome.kind, Kind::refused) << put.outcome.message;
  }
  EXPECT_FALSE(etcd().get("larger"));
}

// etcd tells a long history in pieces; one revision stays together all the same (see Told).
TEST_P(Contract, AWatchOfMuchTellsOneRevisionAtOnce) {
  const std::string large(450 * kibibyte, 'x');
  constexpr int count = 8;
  for (int i = 0; i < count; ++i) {
    const auto put = etcd().transact(
        {{},
         {Operation::put("a", large), Operation::put("b", large), Operation::put("c", large)},
         {}});
    ASSERT_TRUE(put.outcome.ok());
  }
  Told told;
  watch(KeyRange::prefix(""), base_ + 1, told);
  ASSERT_TRUE(until([&] { return told.events.size() == 3 * count; }));
  EXPECT_EQ(told.revision, base_ + count);
  for (const std::size_t size : told.sizes) EXPECT_EQ(size % 3, 0U);
}

TEST_P(Contract, ManyTransactionsUnderWayEachHappenOnceAndAreToldInTheirOrder) {
  constexpr int count = 300;
  Told told;
  watch(KeyRange::prefix("n/"), base_ + 1, told);
  std::map<Revision, std::string> answered;
  for (int i = 0; i < count; ++i) {
    const std::string key = "n/" + std::to_string(i);
    etcd_->transact({{absent(key)}, {Operation::put(key, "")}, {}},
                    [&, key](const Outcome& outcome, TransactionResult result) {
                      EXPECT_TRUE(outcome.ok()) << outcome.message;
                      EXPECT_TRUE(result.held);
                      EXPECT_TRUE(answered.emplace(result.revision, key).second);
                    });
    EXPECT_TRUE(answered.empty()) << "called back from within";
  }
  ASSERT_TRUE(until([&] { return answered.size() == count && told.events.size() == count; }));
  EXPECT_EQ(answered.begin()->first, base_ + 1);
  EXPECT_EQ(answered.rbegin()->first, base_ + count);
  auto expected = answered.begin();
  for (const Event& event : told.events) {
    EXPECT_EQ(event.item.mod_revision, expected->first);
    EXPECT_EQ(event.item.key, expected->second);
    ++expected;
  }
}

TEST_P(Contract, OneClientReadsWhatAnotherHasWritten) {
  const std::unique_ptr<Etcd> second = world_->connect();
  Waiting other(*world_, *second);
  for (int i = 0; i < 20; ++i) {
    const std::string value = std::to_string(i);
    ASSERT_TRUE(etcd().put("a", value).outcome.ok());
    EXPECT_EQ(other.get("a")->value, value);
  }
}

TEST_P(Contract, NobodyIsCalledBackAfterTheEnd) {
  int called = 0;
  for (int i = 0; i < 10; ++i) {
    etcd_->transact({{}, {Operation::put("k" + std::to_string(i), "")}, {}},
                    [&](const Outcome&, TransactionResult) { ++called; });
  }
  etcd_->watch(KeyRange::prefix(""), base_ + 1, [&](const Changes&) { ++called; });
  etcd_->renew_lease(5, [&](const Outcome&, std::int64_t) { ++called; });
  etcd_->members([&](const std::vector<MemberStatus>&) { ++called; });
  etcd_.reset();
  const std::unique_ptr<Etcd> next = world_->connect();
  Waiting other(*world_, *next);
  for (int i = 0; i < 20; ++i) other.put("a", "");
  EXPECT_EQ(called, 0);
}

TEST_P(Contract, MembersSayHowTheyAre) {
  const std::vector<MemberStatus> members = etcd().members();
  ASSERT_EQ(members.size(), 1U);
  EXPECT_TRUE(members[0].is_healthy) << members[0].problem;
  EXPECT_TRUE(members[0].leads);
  EXPECT_EQ(members[0].version.substr(0, 2), "3.");
  EXPECT_EQ(members[0].problem, "");
}

}  // namespace
}  // namespace baton::etcd
