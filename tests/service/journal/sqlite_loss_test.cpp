// What happens to a journal's files while nobody looks: SQLite alone would take most of it for
// sound.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "service/journal/database.h"
#include "service/journal/fixture.h"
#include "service/journal/sqlite.h"

namespace baton::journal {
namespace {

namespace fs = std::filesystem;
using Reason = Refused::Reason;

class SqliteLoss : public testing::Test {
 protected:
  // Appends up to `last` and crashes, so that the newest records are in the log; or ends orderly.
  void append_up_to(Position last, bool crash = true) {
    SqliteJournal journal(path_);
    append_many(journal, read_all(journal).last + 1, last);
    if (!crash) journal.close();
  }
  Kept read() {
    SqliteJournal journal(path_);
    return read_all(journal);
  }
  // Why it cannot be opened or read; the message must name the file and say how to go on.
  std::optional<Reason> refusal() {
    try {
      read();
      return std::nullopt;
    } catch (const Refused& refused) {
      message_ = refused.what();
      EXPECT_NE(message_.find(path_.string()), std::string::npos) << message_;
      return refused.reason();
    }
  }
  Kept accept() {
    const auto warn = [&](const std::string& text) { warnings_ += text; };
    SqliteJournal journal(path_, {.accept_loss = true, .warn = warn});
    return read_all(journal);
  }
  // Refused, and named; accepted, everything up to `sound` is there, and positions go on after
  // `last`; from then on all is well.
  void expect_loss(Reason reason, Position sound, Position last) {
    EXPECT_EQ(refusal(), reason) << message_;
    EXPECT_NE(message_.find("--accept-loss"), std::string::npos) << message_;
    EXPECT_EQ(refusal(), reason) << "the second time";
    expect_accepted(sound, last);
  }
  void expect_accepted(Position sound, Position last) {
    const Kept kept = accept();
    EXPECT_NE(warnings_, "");
    EXPECT_EQ(kept.last, last);
    EXPECT_EQ(kept.records.size(), sound);
    for (const auto& [position, bytes] : kept.records) {
      EXPECT_LE(position, sound);
      EXPECT_EQ(bytes, "record " + std::to_string(position));
    }
    EXPECT_EQ(read(), kept) << "once accepted, it is opened without complaint";
    append_up_to(last + 2);
    const Kept later = read();
    EXPECT_EQ(later.last, last + 2);
    EXPECT_EQ(later.records.size(), sound + 2);
  }
  void copy(const std::string& from, const std::string& to) {
    fs::copy_file(scratch_.path() / from, scratch_.path() / to,
                  fs::copy_options::overwrite_existing);
  }
  fs::path wal() const { return path_.string() + "-wal"; }
  fs::path mark() const { return path_.string() + ".mark"; }

  Scratch scratch_;
  fs::path path_ = scratch_.path() / "journal.db";
  std::string message_;
  std::string warnings_;
};

TEST_F(SqliteLoss, NothingIsLostByACrash) {
  append_up_to(20);
  ASSERT_TRUE(fs::exists(wal()));
  EXPECT_EQ(read().records.size(), 20u);
}

TEST_F(SqliteLoss, OrderlyEndLeavesOneFile) {
  append_up_to(20, false);
  EXPECT_FALSE(fs::exists(wal()));
  EXPECT_EQ(read().records.size(), 20u);
}

TEST_F(SqliteLoss, DeletedLog) {
  append_up_to(10, false);
  append_up_to(20);
  fs::remove(wal());
  expect_loss(Reason::shorter, 10, 20);
}

TEST_F(SqliteLoss, RefusalChangesNothing) {
  append_up_to(10, false);
  append_up_to(20);
  fs::rename(wal(), scratch_.path() / "kept");
  EXPECT_EQ(refusal(), Reason::shorter);
  fs::rename(scratch_.path() / "kept", wal());
  EXPECT_EQ(read().records.size(), 20u);
}

TEST_F(SqliteLoss, LogTruncatedAnywhere) {
  append_up_to(12);
  const std::string whole = content(wal());
  copy("journal.db", "db");
  copy("journal.db.mark", "mark");
  const std::size_t step = std::max<std::size_t>(1, whole.size() / 60);
  for (std::size_t size = 0; size < whole.size(); size += step) {
    SCOPED_TRACE(testing::Message() << "cut to " << size << " of " << whole.size());
    copy("db", "journal.db");
    copy("mark", "journal.db.mark");
    write_file(wal(), whole.substr(0, size));
    ASSERT_EQ(refusal(), Reason::shorter);
  }
  copy("db", "journal.db");
  copy("mark", "journal.db.mark");
  write_file(wal(), whole);
  EXPECT_EQ(read().records.size(), 12u);
}

TEST_F(SqliteLoss, LogDamagedAnywhere) {
  append_up_to(12);
  const std::string whole = content(wal());
  copy("journal.db", "db");
  copy("journal.db.mark", "mark");
  const std::size_t step = std::max<std::size_t>(1, whole.size() / 40);
  for (std::size_t at = 0; at < whole.size(); at += step) {
    SCOPED_TRACE(testing::Message() << "at " << at << " of " << whole.size());
    copy("db", "journal.db");
    copy("mark", "journal.db.mark");
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    write_file(wal(), damaged);
    // A damaged log ends where the damage begins; some bytes of it say nothing.
    const std::optional<Reason> reason = refusal();
    if (!reason) {
      copy("db", "journal.db");
      copy("mark", "journal.db.mark");
      write_file(wal(), damaged);
      EXPECT_EQ(read().records.size(), 12u);
    } else {
      EXPECT_EQ(reason, Reason::shorter);
    }
  }
}

TEST_F(SqliteLoss, OlderCopyOfDatabaseAndLog) {
  append_up_to(10);
  copy("journal.db", "older");
  copy("journal.db-wal", "older-wal");
  append_up_to(30);
  copy("older", "journal.db");
  copy("older-wal", "journal.db-wal");
  expect_loss(Reason::shorter, 10, 30);
}

TEST_F(SqliteLoss, OlderCopyAfterAnOrderlyEnd) {
  append_up_to(10, false);
  copy("journal.db", "older");
  append_up_to(11, false);
  copy("older", "journal.db");
  expect_loss(Reason::shorter, 10, 11);
}

TEST_F(SqliteLoss, OlderDatabaseUnderANewerLog) {
  append_up_to(3, false);
  copy("journal.db", "older");
  append_up_to(3000, false);
  append_up_to(3010);
  copy("older", "journal.db");
  const std::optional<Reason> reason = refusal();
  EXPECT_TRUE(reason == Reason::damaged || reason == Reason::shorter) << message_;
  EXPECT_EQ(accept().last, 3010u);
  EXPECT_EQ(refusal(), std::nullopt);
}

TEST_F(SqliteLoss, DeletedDatabase) {
  append_up_to(10, false);
  fs::remove(path_);
  expect_loss(Reason::missing, 0, 10);
}

TEST_F(SqliteLoss, EmptiedDatabase) {
  append_up_to(10, false);
  fs::resize_file(path_, 0);
  expect_loss(Reason::missing, 0, 10);
}

TEST_F(SqliteLoss, CrashBeforeTheDatabaseWasCreatedIsNoLoss) {
  append_up_to(0);
  fs::remove(path_);
  fs::remove(wal());
  EXPECT_EQ(read(), Kept{});
}

TEST_F(SqliteLoss, TruncatedDatabase) {
  append_up_to(2000, false);
  const auto size = fs::file_size(path_);
  ASSERT_GT(size, 40'000u);
  fs::resize_file(path_, size / 2);
  EXPECT_EQ(refusal(), Reason::damaged) << message_;
  const Kept kept = accept();
  EXPECT_EQ(kept.last, 2000u);
  EXPECT_EQ(refusal(), std::nullopt);
}

TEST_F(SqliteLoss, GarbageInTheDatabase) {
  append_up_to(2000, false);
  const std::string whole = content(path_);
  const std::string whole_mark = content(mark());
  int damaged_times = 0;
  for (std::size_t at = 0; at + 64 < whole.size(); at += whole.size() / 23) {
    SCOPED_TRACE(testing::Message() << "at " << at << " of " << whole.size());
    std::string damaged = whole;
    for (std::size_t i = at; i < at + 64; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0xa5);
    write_file(path_, damaged);
    write_file(mark(), whole_mark);
    const std::optional<Reason> reason = refusal();
    if (!reason) {
      EXPECT_EQ(read().records.size(), 2000u) << "then it was a byte that says nothing";
      continue;
    }
    ++damaged_times;
    EXPECT_EQ(reason, Reason::damaged) << message_;
    const Kept kept = accept();
    EXPECT_EQ(kept.last, 2000u);
    Position next = 1;
    for (const auto& [position, bytes] : kept.records) {
      EXPECT_EQ(position, next++) << "what is kept is whole up to the damage";
      EXPECT_EQ(bytes, "record " + std::to_string(position));
    }
    EXPECT_EQ(refusal(), std::nullopt);
  }
  EXPECT_GT(damaged_times, 10);
}

TEST_F(SqliteLoss, DamagedFileIsSetAside) {
  append_up_to(3, false);
  write_file(path_, "this was a journal once");
  expect_loss(Reason::damaged, 0, 3);
  bool is_there = false;
  for (const fs::directory_entry& file : fs::directory_iterator(scratch_.path())) {
    if (file.path().string().find(".damaged-") == std::string::npos) continue;
    is_there = is_there || content(file.path()) == "this was a journal once";
  }
  EXPECT_TRUE(is_there);
}

TEST_F(SqliteLoss, RecordChangedBehindTheJournal) {
  append_up_to(10, false);
  Database(path_).execute("UPDATE records SET bytes = x'00' WHERE position = 6");
  expect_loss(Reason::damaged, 5, 10);
}

TEST_F(SqliteLoss, RecordsExchanged) {
  append_up_to(10, false);
  Database(path_).execute(
      "UPDATE records SET position = 99 WHERE position = 3;"
      "UPDATE records SET position = 3 WHERE position = 4;"
      "UPDATE records SET position = 4 WHERE position = 99");
  expect_loss(Reason::damaged, 2, 10);
}

TEST_F(SqliteLoss, RecordRemovedFromTheMiddle) {
  append_up_to(10, false);
  Database(path_).execute("DELETE FROM records WHERE position = 6");
  expect_loss(Reason::damaged, 5, 10);
}

TEST_F(SqliteLoss, RecordRemovedBeforeAnAcceptedLoss) {
  append_up_to(10, false);
  append_up_to(20);
  fs::remove(wal());
  EXPECT_EQ(accept().last, 20u);
  Database(path_).execute("DELETE FROM records WHERE position = 10");
  EXPECT_EQ(refusal(), Reason::damaged) << message_;
  EXPECT_EQ(accept().last, 20u);
  append_up_to(21, false);
  Database(path_).execute("DELETE FROM records WHERE position = 8");
  EXPECT_EQ(refusal(), Reason::damaged) << message_;
  EXPECT_EQ(accept().last, 21u);
}

TEST_F(SqliteLoss, DamageAndNoMark) {
  append_up_to(10, false);
  Database(path_).execute("UPDATE records SET bytes = x'00' WHERE position = 6");
  fs::remove(mark());
  expect_loss(Reason::no_mark, 5, 10);
}

TEST_F(SqliteLoss, DamageAfterAnAcceptedLoss) {
  append_up_to(10, false);
  append_up_to(20);
  fs::remove(wal());
  EXPECT_EQ(accept().last, 20u);
  append_up_to(23, false);
  Database(path_).execute("UPDATE records SET bytes = x'00' WHERE position = 23");
  EXPECT_EQ(refusal(), Reason::damaged);
  EXPECT_EQ(accept().records.size(), 12u);
  EXPECT_EQ(read().last, 23u);
}

TEST_F(SqliteLoss, DamagedSnapshot) {
  append_up_to(10);
  {
    SqliteJournal journal(path_);
    read_all(journal);
    EXPECT_FALSE(snapshot(journal, 8, std::string(100'000, 's')));
    journal.close();
  }
  Database(path_).execute("UPDATE chunks SET bytes = zeroblob(length(bytes))");
  expect_loss(Reason::damaged, 0, 10);
}

TEST_F(SqliteLoss, SnapshotSurvivesDamageAfterIt) {
  append_up_to(10);
  {
    SqliteJournal journal(path_);
    read_all(journal);
    EXPECT_FALSE(snapshot(journal, 4, std::string(100'000, 's')));
    journal.close();
  }
  Database(path_).execute("UPDATE records SET bytes = x'00' WHERE position = 7");
  EXPECT_EQ(refusal(), Reason::damaged);
  const Kept kept = accept();
  EXPECT_EQ(kept.snapshot->second, std::string(100'000, 's'));
  EXPECT_EQ(kept.records.size(), 2u);
  EXPECT_EQ(kept.last, 10u);
}

TEST_F(SqliteLoss, MissingMark) {
  append_up_to(10);
  fs::remove(mark());
  expect_loss(Reason::no_mark, 10, 10);
}

TEST_F(SqliteLoss, UnreadableMark) {
  append_up_to(10);
  for (const std::string& text : {std::string("garbage"), std::string(), std::string(200, '\0')}) {
    write_file(mark(), text);
    EXPECT_EQ(refusal(), Reason::bad_mark) << message_;
  }
  expect_loss(Reason::bad_mark, 10, 10);
}

TEST_F(SqliteLoss, MarkThatSaysLessThanItDid) {
  append_up_to(10);
  std::string text = content(mark());
  text.replace(text.find("10 floor"), 2, "09");
  write_file(mark(), text);
  EXPECT_EQ(refusal(), Reason::bad_mark) << message_;
}

TEST_F(SqliteLoss, MarkOfAnotherJournal) {
  append_up_to(10);
  {
    SqliteJournal other(scratch_.path() / "other.db");
    read_all(other);
    append_many(other, 1, 15);
  }
  copy("other.db.mark", "journal.db.mark");
  expect_loss(Reason::foreign, 10, 15);
}

TEST_F(SqliteLoss, FloorOutlivesTheDatabase) {
  {
    SqliteJournal journal(path_);
    read_all(journal);
    journal.raise_floor(12345);
    append_many(journal, 1, 1);
  }
  fs::remove(path_);
  fs::remove(wal());
  accept();
  SqliteJournal journal(path_);
  EXPECT_EQ(journal.floor(), 12345u);
}

TEST_F(SqliteLoss, NewerFormat) {
  append_up_to(10, false);
  Database(path_).execute("UPDATE meta SET value = 2 WHERE key = 'format'");
  EXPECT_EQ(refusal(), Reason::newer);
  EXPECT_THROW(accept(), Refused) << "that is no loss to be accepted";
}

TEST_F(SqliteLoss, NewerMark) {
  append_up_to(10, false);
  std::string text = content(mark());
  text.replace(text.find("0001"), 4, "0002");
  write_file(mark(), text);
  EXPECT_EQ(refusal(), Reason::newer);
  EXPECT_THROW(accept(), Refused);
}

TEST_F(SqliteLoss, DatabaseOfSomethingElse) {
  append_up_to(0, false);
  fs::remove(path_);
  write_file(path_, "");
  Database(path_).execute("CREATE TABLE other (a)");
  EXPECT_EQ(refusal(), Reason::not_a_journal);
  EXPECT_THROW(accept(), Refused);
}

TEST_F(SqliteLoss, FileOfSomethingElse) {
  write_file(path_, "Dear diary");
  EXPECT_EQ(refusal(), Reason::not_a_journal);
  EXPECT_THROW(accept(), Refused);
  EXPECT_EQ(content(path_), "Dear diary");
}

TEST_F(SqliteLoss, DatabaseThatWasSetToAnotherModeIsSetBack) {
  append_up_to(3, false);
  EXPECT_EQ(Database(path_).text("PRAGMA journal_mode=DELETE"), "delete");
  append_up_to(6);
  EXPECT_TRUE(fs::exists(wal()));
  EXPECT_EQ(read().records.size(), 6u);
}

TEST_F(SqliteLoss, RemovalGoesOnAfterACrash) {
  append_up_to(1000, false);
  {
    SqliteJournal journal(path_);
    read_all(journal);
    EXPECT_FALSE(snapshot(journal, 950, "state"));
    journal.close();
  }
  // As if it had been cut short.
  Database(path_).execute(
      "WITH RECURSIVE old(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM old WHERE i < 950) "
      "INSERT OR IGNORE INTO records SELECT i, 0, zeroblob(1000) FROM old");
  {
    SqliteJournal journal(path_);
    EXPECT_EQ(read_all(journal).records.size(), 50u);
    // Every append is followed by a piece of the removal.
    append_many(journal, 1001, 1020);
    journal.close();
  }
  Database database(path_);
  EXPECT_EQ(database.integer("SELECT min(position) FROM records"), 951);
  EXPECT_EQ(database.integer("SELECT count(*) FROM records"), 70);
}

TEST_F(SqliteLoss, UnfinishedSnapshotLeavesNothingBehind) {
  append_up_to(10, false);
  Database(path_).execute("INSERT INTO chunks (id, bytes) VALUES (1, x'00'), (2, x'00')");
  {
    SqliteJournal journal(path_);
    EXPECT_FALSE(read_all(journal).snapshot);
    append_many(journal, 11, 12);
    EXPECT_FALSE(snapshot(journal, 12, std::string(200'000, 'n')));
    append_many(journal, 13, 20);
    journal.close();
  }
  EXPECT_EQ(Database(path_).integer("SELECT sum(length(bytes)) FROM chunks"), 200'000);
  EXPECT_EQ(read().snapshot->second, std::string(200'000, 'n'));
}

TEST_F(SqliteLoss, LogDoesNotGrowForEver) {
  SqliteJournal journal(path_);
  read_all(journal);
  std::uintmax_t largest = 0;
  for (int i = 0; i < 800; ++i) {
    ASSERT_FALSE(append(journal, std::string(60'000, 'x')));
    largest = std::max(largest, fs::file_size(wal()));
  }
  EXPECT_LT(largest, 18u << 20);
}

TEST_F(SqliteLoss, FilesAreForTheOwnerAlone) {
  path_ = scratch_.path() / "new" / "deep" / "journal.db";
  append_up_to(1);
  const auto rights = [](const fs::path& path) {
    return static_cast<unsigned>(fs::status(path).permissions());
  };
  EXPECT_EQ(rights(scratch_.path() / "new"), 0700u);
  EXPECT_EQ(rights(scratch_.path() / "new" / "deep"), 0700u);
  for (const char* suffix : {"", "-wal", ".mark", ".lock"}) {
    EXPECT_EQ(rights(path_.string() + suffix), 0600u) << suffix;
  }
}

}  // namespace
}  // namespace baton::journal
