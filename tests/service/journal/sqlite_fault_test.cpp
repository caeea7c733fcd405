// Disks that are full, syncs that fail, directories that cannot be written, and other processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "service/journal/database.h"
#include "service/journal/fixture.h"
#include "service/journal/sqlite.h"

namespace baton::journal {
namespace {

using Reason = Refused::Reason;

std::optional<Refused> refusal(const std::filesystem::path& path) {
  try {
    SqliteJournal journal(path);
    read_all(journal);
    return std::nullopt;
  } catch (const Refused& refused) {
    return refused;
  }
}

// In a process of its own, since it changes what the process may do. The exit status is that of
// `work`, or 99 if it threw.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST(SqliteFaults, SecondOpenerOfTheSameProcessIsRefused) {
  const Scratch scratch;
  SqliteJournal journal(scratch.path() / "journal.db");
  const auto refused = refusal(scratch.path() / "journal.db");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason(), Reason::in_use);
  EXPECT_NE(std::string(refused->what()).find("process " + std::to_string(getpid())),
            std::string::npos)
      << refused->what();
  read_all(journal);
  EXPECT_FALSE(append(journal, "harmed by nobody"));
  journal.close();
  EXPECT_FALSE(refusal(scratch.path() / "journal.db")) << "closed is free, though not destroyed";
}

TEST(SqliteFaults, SecondProcessIsRefused) {
  const Scratch scratch;
  SqliteJournal journal(scratch.path() / "journal.db");
  EXPECT_EQ(in_child([&] {
              const auto refused = refusal(scratch.path() / "journal.db");
              return refused && refused->reason() == Reason::in_use ? 0 : 1;
            }),
            0);
}

TEST(SqliteFaults, OtherProgramsCannotComeInBetween) {
  const Scratch scratch;
  SqliteJournal journal(scratch.path() / "journal.db");
  read_all(journal);
  append_many(journal, 1, 1);
  EXPECT_EQ(in_child([&] {
              try {
                Database(scratch.path() / "journal.db").integer("SELECT count(*) FROM records");
              } catch (const SqliteError& error) {
                return error.is_busy() ? 0 : 1;
              }
              return 2;
            }),
            0);
}

TEST(SqliteFaults, DatabaseInUseByAnotherProgramIsRefused) {
  const Scratch scratch;
  const auto path = scratch.path() / "journal.db";
  ASSERT_FALSE(refusal(path));
  Database other(path);
  other.execute("PRAGMA locking_mode=EXCLUSIVE");
  other.execute("BEGIN EXCLUSIVE");
  const auto refused = refusal(path);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason(), Reason::in_use) << refused->what();
}

TEST(SqliteFaults, UnwritableDirectory) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.path(), std::filesystem::perms(0555));
  EXPECT_EQ(in_child([&] {
              if (getuid() == 0 && seteuid(65534) != 0) return 1;
              for (const char* name : {"journal.db", "new/journal.db"}) {
                const auto refused = refusal(scratch.path() / name);
                if (!refused || refused->reason() != Reason::no_access) return 2;
                if (!strstr(refused->what(), "Permission denied")) return 3;
              }
              return 0;
            }),
            0);
  std::filesystem::permissions(scratch.path(), std::filesystem::perms(0755));
}

TEST(SqliteFaults, PathThatCannotBeAFile) {
  const Scratch scratch;
  write_file(scratch.path() / "file", "");
  for (const char* name : {".", "file/journal.db"}) {
    const auto refused = refusal(scratch.path() / name);
    ASSERT_TRUE(refused) << name;
    EXPECT_EQ(refused->reason(), Reason::no_access) << refused->what();
  }
}

// Appends until one fails. All later ones must fail too. Returns how many were acknowledged.
int append_until_full(const std::filesystem::path& path) {
  SqliteJournal journal(path);
  int acknowledged = static_cast<int>(read_all(journal).last);
  while (acknowledged < 10'000 && !append(journal, std::string(5000, 'x'))) ++acknowledged;
  for (int i = 0; i < 3; ++i) {
    if (append(journal, "").kind != Fault::Kind::failed) return -1;
  }
  if (snapshot(journal, 1, "").kind != Fault::Kind::failed) return -1;
  journal.close();
  return acknowledged;
}

TEST(SqliteFaults, FullDisk) {
  const Scratch scratch;
  const std::string disk = scratch.path() / "disk";
  const std::string path = disk + "/journal.db";
  mkdir(disk.c_str(), 0700);
  const int status = in_child([&] {
    if (unshare(CLONE_NEWNS) != 0) return 77;
    mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=3m") != 0) return 77;
    const int acknowledged = append_until_full(path);
    if (acknowledged < 100 || acknowledged > 2000) return 1;
    if (mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT, "size=30m") != 0) return 2;
    SqliteJournal journal(path);
    const Position last = read_all(journal).last;
    if (last < static_cast<Position>(acknowledged)) return 3;
    return append(journal, "there is room again") ? 4 : 0;
  });
  if (status == 77) GTEST_SKIP() << "no small disk can be mounted here";
  EXPECT_EQ(status, 0);
}

TEST(SqliteFaults, FileThatMayNotGrow) {
  const Scratch scratch;
  EXPECT_EQ(in_child([&] {
              const auto path = scratch.path() / "journal.db";
              rlimit limit{};
              getrlimit(RLIMIT_FSIZE, &limit);
              const rlim_t before = limit.rlim_cur;
              limit.rlim_cur = 1 << 20;
              signal(SIGXFSZ, SIG_IGN);
              setrlimit(RLIMIT_FSIZE, &limit);
              const int acknowledged = append_until_full(path);
              if (acknowledged < 50 || acknowledged > 2000) return 1;
              limit.rlim_cur = before;
              setrlimit(RLIMIT_FSIZE, &limit);
              SqliteJournal journal(path);
              if (read_all(journal).last < static_cast<Position>(acknowledged)) return 2;
              return append(journal, "it may grow again") ? 3 : 0;
            }),
            0);
}

// SQLite's own access to files, with syncs that are counted, and fail when told to.
class FailingSyncs {
 public:
  FailingSyncs() {
    self = this;
    base_ = sqlite3_vfs_find(nullptr);
    vfs_ = *base_;
    vfs_.zName = "failing-syncs";
    vfs_.xOpen = &FailingSyncs::open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FailingSyncs() {
    sqlite3_vfs_register(base_, 1);
    sqlite3_vfs_unregister(&vfs_);
    self = nullptr;
  }

  std::atomic<bool> fails = false;
  std::atomic<int> of_log = 0;
  std::atomic<int> of_database = 0;

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    const int code = self->base_->xOpen(self->base_, name, file, flags, out);
    if (code != SQLITE_OK) return code;
    if ((flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)) == 0) return code;
    const bool is_log = (flags & SQLITE_OPEN_WAL) != 0;
    sqlite3_io_methods& methods = is_log ? self->log_methods_ : self->database_methods_;
    methods = *file->pMethods;
    self->original_ = file->pMethods->xSync;
    methods.xSync = is_log ? &FailingSyncs::sync_log : &FailingSyncs::sync_database;
    file->pMethods = &methods;
    return code;
  }
  static int sync_log(sqlite3_file* file, int flags) {
    ++self->of_log;
    return self->fails ? SQLITE_IOERR_FSYNC : self->original_(file, flags);
  }
  static int sync_database(sqlite3_file* file, int flags) {
    ++self->of_database;
    return self->fails ? SQLITE_IOERR_FSYNC : self->original_(file, flags);
  }

  static FailingSyncs* self;
  sqlite3_vfs* base_ = nullptr;
  sqlite3_vfs vfs_{};
  sqlite3_io_methods log_methods_{};
  sqlite3_io_methods database_methods_{};
  int (*original_)(sqlite3_file*, int) = nullptr;
};

FailingSyncs* FailingSyncs::self = nullptr;

TEST(SqliteFaults, EveryAppendIsSyncedOnce) {
  const Scratch scratch;
  FailingSyncs syncs;
  SqliteJournal journal(scratch.path() / "journal.db");
  read_all(journal);
  append_many(journal, 1, 1);  // which begins the log, and syncs its head
  const int before = syncs.of_log;
  append_many(journal, 2, 51);
  EXPECT_EQ(syncs.of_log - before, 50);
}

TEST(SqliteFaults, WhatWasReadIsSyncedBeforeAnybodyReliesOnIt) {
  const Scratch scratch;
  {
    SqliteJournal journal(scratch.path() / "journal.db");
    read_all(journal);
    append_many(journal, 1, 3);
  }
  FailingSyncs syncs;
  SqliteJournal journal(scratch.path() / "journal.db");
  read_all(journal);
  EXPECT_GT(syncs.of_database, 0);
}

TEST(SqliteFaults, FailedSyncFailsTheAppendAndAllAfterIt) {
  const Scratch scratch;
  FailingSyncs syncs;
  {
    SqliteJournal journal(scratch.path() / "journal.db");
    read_all(journal);
    append_many(journal, 1, 3);
    syncs.fails = true;
    const Fault fault = append(journal, "lost or not, nobody knows");
    EXPECT_EQ(fault.kind, Fault::Kind::failed);
    EXPECT_NE(fault.what.find("journal.db"), std::string::npos) << fault.what;
    syncs.fails = false;
    EXPECT_EQ(append(journal, "never").kind, Fault::Kind::failed);
    EXPECT_EQ(snapshot(journal, 2, "never").kind, Fault::Kind::failed);
    journal.close();
  }
  SqliteJournal journal(scratch.path() / "journal.db");
  const Kept kept = read_all(journal);
  EXPECT_GE(kept.last, 3u);
  for (const auto& [position, bytes] : kept.records) EXPECT_NE(bytes, "never");
}

TEST(SqliteFaults, FailedSyncOfASnapshotFailsTheJournal) {
  const Scratch scratch;
  FailingSyncs syncs;
  SqliteJournal journal(scratch.path() / "journal.db");
  read_all(journal);
  append_many(journal, 1, 3);
  syncs.fails = true;
  EXPECT_EQ(snapshot(journal, 3, std::string(200'000, 's')).kind, Fault::Kind::failed);
  syncs.fails = false;
  EXPECT_EQ(append(journal, "never").kind, Fault::Kind::failed);
}

TEST(SqliteFaults, FailedSyncWhileReadingRefusesTheJournal) {
  const Scratch scratch;
  {
    SqliteJournal journal(scratch.path() / "journal.db");
    read_all(journal);
    append_many(journal, 1, 3);
  }
  FailingSyncs syncs;
  syncs.fails = true;
  const auto refused = refusal(scratch.path() / "journal.db");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason(), Reason::no_access) << refused->what();
}

TEST(SqliteFaults, DestroyedJournalDoesNotFinishItsWork) {
  const Scratch scratch;
  std::atomic<int> acknowledged = 0;
  std::promise<void> destroying;
  std::shared_future<void> is_destroying = destroying.get_future().share();
  {
    SqliteJournal journal(scratch.path() / "journal.db");
    read_all(journal);
    for (int i = 0; i < 5000; ++i) {
      journal.append("x", [&](const Fault&) {
        is_destroying.wait();
        // The first gives the destructor time to begin.
        if (acknowledged++ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
      });
    }
    destroying.set_value();
  }
  EXPECT_LT(acknowledged, 5000);
  SqliteJournal journal(scratch.path() / "journal.db");
  EXPECT_GE(read_all(journal).last, static_cast<Position>(acknowledged));
}

TEST(SqliteFaults, MistakesInTheOrderOfCallsAreToldOf) {
  const Scratch scratch;
  SqliteJournal journal(scratch.path() / "journal.db");
  EXPECT_EQ(append(journal, "before it is read").kind, Fault::Kind::failed);
  read_all(journal);
  EXPECT_THROW(read_all(journal), std::logic_error);
  append_many(journal, 1, 1);
  journal.close();
  journal.close();
  EXPECT_EQ(append(journal, "after it is closed").kind, Fault::Kind::failed);
}

}  // namespace
}  // namespace baton::journal
