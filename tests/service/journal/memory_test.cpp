// The faults that a memory journal can be given.
#include "support/memory_journal.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/journal/fixture.h"

namespace baton::journal {
namespace {

// What was heard of each append: "ok", "failed", "deposed"; nothing for those that were not told.
struct Heard {
  std::vector<std::string> words;
  Journal::Done next() {
    const std::size_t i = words.size();
    words.emplace_back("");
    return [this, i](const Fault& fault) {
      words[i] = !fault ? "ok" : fault.kind == Fault::Kind::deposed ? "deposed" : "failed";
    };
  }
};
using Words = std::vector<std::string>;

struct MemoryJournalFaults : testing::Test {
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
  Heard heard;

  void append_three(const std::function<Fate(Position)>& fate) {
    MemoryJournal journal(store, {.append = fate});
    for (const char* record : {"a", "b", "c"}) journal.append(record, heard.next());
  }
  std::string kept() const {
    MemoryJournal journal(store);
    std::string all;
    for (const auto& [position, bytes] : read_all(journal).records) all += bytes;
    return all;
  }
};

// The second has this fate, the others are to be kept.
std::function<Fate(Position)> second(Fate fate) {
  return [fate](Position position) { return position == 2 ? fate : Fate::keep; };
}

TEST_F(MemoryJournalFaults, LostWithoutAcknowledgement) {
  append_three(second(Fate::lose));
  EXPECT_EQ(heard.words, (Words{"ok", "", ""}));
  EXPECT_EQ(kept(), "a");
}

TEST_F(MemoryJournalFaults, KeptButNotAcknowledged) {
  append_three(second(Fate::keep_silently));
  EXPECT_EQ(heard.words, (Words{"ok", "", ""}));
  EXPECT_EQ(kept(), "ab");
}

TEST_F(MemoryJournalFaults, FailedAndSoIsEverythingAfter) {
  append_three(second(Fate::fail));
  EXPECT_EQ(heard.words, (Words{"ok", "failed", "failed"}));
  EXPECT_EQ(kept(), "a");
}

TEST_F(MemoryJournalFaults, FailedYetKept) {
  append_three(second(Fate::fail_but_keep));
  EXPECT_EQ(heard.words, (Words{"ok", "failed", "failed"}));
  EXPECT_EQ(kept(), "ab");
}

TEST_F(MemoryJournalFaults, SlowAppendsAreDoneInOrderWhenTheTestSaysSo) {
  std::vector<std::function<void()>> waiting;
  MemoryJournal journal(
      store, {.later = [&](std::function<void()> step) { waiting.push_back(std::move(step)); }});
  for (const char* record : {"a", "b", "c"}) journal.append(record, heard.next());
  EXPECT_EQ(heard.words, (Words{"", "", ""}));
  EXPECT_EQ(store->last, 0u);
  waiting[2]();
  EXPECT_EQ(heard.words, (Words{"ok", "", ""}));
  EXPECT_EQ(store->records.back().bytes, "a");
  waiting[0]();
  EXPECT_EQ(heard.words, (Words{"ok", "ok", ""}));
  journal.close();
  EXPECT_EQ(heard.words, (Words{"ok", "ok", "ok"}));
}

TEST_F(MemoryJournalFaults, SlowSnapshotDoesNotHoldUpAppends) {
  std::vector<std::function<void()>> waiting;
  MemoryJournal journal(
      store, {.later = [&](std::function<void()> step) { waiting.push_back(std::move(step)); }});
  journal.append("a", heard.next());
  waiting[0]();
  journal.snapshot(1, "state", heard.next());
  journal.append("b", heard.next());
  waiting[2]();
  EXPECT_EQ(heard.words, (Words{"ok", "", "ok"}));
  EXPECT_FALSE(store->snapshot);
  waiting[1]();
  EXPECT_EQ(store->snapshot->bytes, "state");
  EXPECT_EQ(store->records.size(), 1u);
}

TEST_F(MemoryJournalFaults, WhatIsUnderWayInACrashIsLostAndHarmless) {
  std::vector<std::function<void()>> waiting;
  {
    MemoryJournal journal(
        store, {.later = [&](std::function<void()> step) { waiting.push_back(std::move(step)); }});
    journal.append("a", heard.next());
  }
  waiting[0]();
  EXPECT_EQ(heard.words, (Words{""}));
  EXPECT_EQ(kept(), "");
}

TEST_F(MemoryJournalFaults, FailedSnapshotLeavesTheRecords) {
  MemoryJournal journal(store, {.snapshot = [](Position) { return Fate::fail; }});
  journal.append("a", heard.next());
  journal.snapshot(1, "state", heard.next());
  journal.append("b", heard.next());
  EXPECT_EQ(heard.words, (Words{"ok", "failed", "failed"}));
  EXPECT_EQ(kept(), "a");
}

TEST_F(MemoryJournalFaults, NewJournalOfTheSameStoreDeposesTheOld) {
  MemoryJournal old(store);
  old.append("a", heard.next());
  MemoryJournal fresh(store);
  old.append("b", heard.next());
  fresh.append("c", heard.next());
  EXPECT_EQ(heard.words, (Words{"ok", "deposed", "ok"}));
  EXPECT_EQ(kept(), "ac");
}

}  // namespace
}  // namespace baton::journal
