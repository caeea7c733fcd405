// What every journal promises.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/journal/fixture.h"
#include "service/journal/sqlite.h"
#include "support/memory_journal.h"
#include "support/test_name.h"

namespace baton::journal {
namespace {

// Opens the same journal again and again.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::unique_ptr<Journal> open() = 0;
};

class InMemory final : public Place {
 public:
  std::unique_ptr<Journal> open() override { return std::make_unique<MemoryJournal>(store_); }

 private:
  std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
};

class InSqlite final : public Place {
 public:
  std::unique_ptr<Journal> open() override {
    return std::make_unique<SqliteJournal>(scratch_.path() / "journal.db");
  }

 private:
  Scratch scratch_;
};

using MakePlace = std::function<std::unique_ptr<Place>()>;
struct Implementation {
  std::string name;
  MakePlace make;
};
void PrintTo(const Implementation& one, std::ostream* to) { *to << one.name; }

class JournalContract : public testing::TestWithParam<Implementation> {
 protected:
  // After a crash unless the journal was closed.
  Kept open() {
    journal_.reset();
    journal_ = place_->open();
    return read_all(*journal_);
  }
  Kept restart() {
    journal_->close();
    return open();
  }

  std::unique_ptr<Place> place_ = GetParam().make();
  std::unique_ptr<Journal> journal_;
};

TEST_P(JournalContract, BeginsEmpty) {
  EXPECT_EQ(open(), Kept{});
  EXPECT_EQ(restart(), Kept{});
}

TEST_P(JournalContract, KeepsRecordsInOrder) {
  open();
  const std::string binary("\0\1\xff\n", 4);
  const std::string large(300'000, 'x');
  for (const std::string& record : {std::string("first"), binary, std::string(), large}) {
    EXPECT_FALSE(append(*journal_, record));
  }
  const Kept expected{{}, {{1, "first"}, {2, binary}, {3, ""}, {4, large}}, 4};
  EXPECT_EQ(open(), expected) << "after a crash";
  EXPECT_EQ(restart(), expected) << "after an orderly end";
}

TEST_P(JournalContract, GoesOnWhereItWas) {
  open();
  append_many(*journal_, 1, 3);
  EXPECT_EQ(restart().last, 3u);
  append_many(*journal_, 4, 5);
  const Kept kept = open();
  EXPECT_EQ(kept.last, 5u);
  EXPECT_EQ(kept.records.size(), 5u);
  EXPECT_EQ(kept.records.at(4), "record 4");
}

TEST_P(JournalContract, AcknowledgesInOrder) {
  open();
  std::vector<int> order;
  auto [all_done, all] = promised();
  for (int i = 0; i < 100; ++i) {
    journal_->append(std::to_string(i), [&order, i, done = all_done](const Fault& fault) {
      EXPECT_FALSE(fault);
      order.push_back(i);
      if (i == 99) done(fault);
    });
  }
  EXPECT_FALSE(wait_for(std::move(all)));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  const Kept kept = open();
  for (Position i = 0; i < 100; ++i) EXPECT_EQ(kept.records.at(i + 1), std::to_string(i));
}

TEST_P(JournalContract, DoneMayAppendTheNext) {
  open();
  auto [all_done, all] = promised();
  std::function<void(int)> next = [&, done = all_done](int left) {
    journal_->append(
        "again", [&, done, left](const Fault& fault) { left == 0 ? done(fault) : next(left - 1); });
  };
  next(20);
  EXPECT_FALSE(wait_for(std::move(all)));
  EXPECT_EQ(open().last, 21u);
}

TEST_P(JournalContract, CloseWaitsForWhatIsUnderWay) {
  open();
  std::atomic<int> acknowledged = 0;
  for (int i = 0; i < 20; ++i) {
    journal_->append("x", [&](const Fault& fault) { acknowledged += fault ? 0 : 1; });
  }
  journal_->close();
  EXPECT_EQ(acknowledged, 20);
  EXPECT_EQ(open().last, 20u);
}

TEST_P(JournalContract, SnapshotStandsForTheRecordsBeforeIt) {
  open();
  append_many(*journal_, 1, 10);
  EXPECT_FALSE(snapshot(*journal_, 7, "state of 7"));
  const Kept expected{
      {{7, "state of 7"}}, {{8, "record 8"}, {9, "record 9"}, {10, "record 10"}}, 10};
  EXPECT_EQ(open(), expected) << "after a crash";
  EXPECT_EQ(restart(), expected) << "after an orderly end";
}

TEST_P(JournalContract, LaterSnapshotReplacesTheEarlier) {
  open();
  append_many(*journal_, 1, 4);
  EXPECT_FALSE(snapshot(*journal_, 2, std::string(200'000, 'a')));
  EXPECT_FALSE(snapshot(*journal_, 4, std::string(100'000, 'b')));
  const Kept expected{{{4, std::string(100'000, 'b')}}, {}, 4};
  EXPECT_EQ(open(), expected);
  EXPECT_FALSE(snapshot(*journal_, 4, "of the same position"));
  EXPECT_EQ(restart().snapshot->second, "of the same position");
  append_many(*journal_, 5, 5);
  EXPECT_EQ(open().records.begin()->first, 5u);
}

TEST_P(JournalContract, SnapshotMayBeEmptyAndBeforeTheFirstRecord) {
  open();
  EXPECT_FALSE(snapshot(*journal_, 0, ""));
  append_many(*journal_, 1, 1);
  const Kept expected{{{0, ""}}, {{1, "record 1"}}, 1};
  EXPECT_EQ(open(), expected);
}

TEST_P(JournalContract, AppendsGoOnDuringASnapshot) {
  open();
  append_many(*journal_, 1, 600);
  auto [done, taken] = promised();
  journal_->snapshot(600, std::string(3'000'000, 's'), done);
  append_many(*journal_, 601, 700);
  EXPECT_FALSE(wait_for(std::move(taken)));
  append_many(*journal_, 701, 720);
  const Kept kept = open();
  EXPECT_EQ(kept.snapshot->second, std::string(3'000'000, 's'));
  EXPECT_EQ(kept.records.size(), 120u);
  EXPECT_EQ(kept.last, 720u);
}

TEST_P(JournalContract, SnapshotOfWhatIsNotThereIsAMistake) {
  open();
  append_many(*journal_, 1, 4);
  EXPECT_THROW(journal_->snapshot(5, "", [](const Fault&) {}), std::logic_error);
  EXPECT_FALSE(snapshot(*journal_, 3, ""));
  EXPECT_THROW(journal_->snapshot(2, "", [](const Fault&) {}), std::logic_error);
}

TEST_P(JournalContract, FloorIsKeptWithTheNextRecordAndNeverGoesBack) {
  open();
  EXPECT_EQ(journal_->floor(), 0u);
  journal_->raise_floor(1000);
  append_many(*journal_, 1, 1);
  journal_->raise_floor(10);
  append_many(*journal_, 2, 2);
  open();
  EXPECT_EQ(journal_->floor(), 1000u);
  append_many(*journal_, 3, 3);
  restart();
  EXPECT_EQ(journal_->floor(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(
    , JournalContract,
    testing::Values(Implementation{"memory", [] { return std::make_unique<InMemory>(); }},
                    Implementation{"sqlite", [] { return std::make_unique<InSqlite>(); }}),
    test::as_printed);

}  // namespace
}  // namespace baton::journal
