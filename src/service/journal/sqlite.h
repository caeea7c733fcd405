// A journal in one SQLite file: the default on one machine.
//
// A thread of its own writes each record as one transaction into the write-ahead log, and syncs it
// before it acknowledges the record. Beside the file lie
//
//   FILE-wal    SQLite's write-ahead log, which belongs to it while the journal is in use
//   FILE.mark   how far the journal has come (mark.h)
//   FILE.lock   held as long as the journal is open; it stays
//
// If the journal has lost records, or somebody removed or replaced one of its files, the server
// refuses to open it (Refused) and says what to do. An operator who goes on all the same
// (accept_loss) keeps the records up to the first loss; positions go on after the highest known
// one.
//
// After an error of a write or a sync the journal writes nothing any more, and every append fails:
// after a failed sync nobody knows which bytes are on disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/journal/files.h"
#include "service/journal/journal.h"
#include "service/journal/mark.h"
#include "service/journal/refused.h"

namespace baton::journal {

class SqliteStore;

struct SqliteOptions {
  // Continue without lost records.
  bool accept_loss = false;
  // Called with a message about each loss.
  std::function<void(const std::string&)> warn;
  // Records that wait while others are written share one transaction.
  std::size_t most_under_way = 16;
};

class SqliteJournal final : public Journal {
 public:
  // Throws Refused.
  explicit SqliteJournal(const std::filesystem::path& path, SqliteOptions options = {});
  ~SqliteJournal() override;

  Position read(const std::function<void(Position, std::string_view)>& snapshot,
                const std::function<void(Position, std::string_view)>& record) override;
  void append(std::string record, Done done) override;
  std::size_t most_under_way() const override { return options_.most_under_way; }
  void snapshot(Position position, std::string state, Done done) override;
  void raise_floor(std::uint64_t floor) override;
  std::uint64_t floor() const override { return found_floor_; }
  // Not from within a Done.
  void close() override;
  std::string describe() const override { return "sqlite:" + path_.string(); }

 private:
  struct Append {
    std::string record;
    Done done;
    std::uint64_t floor = 0;
  };
  struct Snapshot {
    Position position = 0;
    std::string state;
    Done done;
  };
  enum class Ending : std::uint8_t { none, orderly, at_once };

  // Opening (sqlite_opening.cpp).
  void open();
  Mark look_at_mark();
  void look_at_store(const Mark& mark);
  void compare(const Mark& mark);
  void salvage(std::unique_ptr<SqliteStore> damaged, const Mark& mark);
  void set_damaged_files_aside();
  void accept_or_refuse(Refused::Reason reason, const std::string& what,
                        const std::string& remedy) const;
  void explain_errors(const std::function<void()>& work);

  bool may_begin() const { return is_read_ && ending_ == Ending::none; }
  Fault not_open() const;

  // The thread that writes.
  void write();
  bool has_work() const { return !appends_.empty() || snapshot_ || may_remove_; }
  void write_appends(std::unique_lock<std::mutex>& lock);
  void commit(const std::vector<Append>& appends);
  void work_in_background(std::unique_lock<std::mutex>& lock);
  void work_on_snapshot(std::unique_lock<std::mutex>& lock);
  void attempt(std::unique_lock<std::mutex>& lock, const std::function<void()>& work);
  // The thread that syncs the mark.
  void sync_mark();
  void stop(Ending ending);

  std::filesystem::path path_;
  SqliteOptions options_;
  std::optional<LockFile> lock_file_;
  MarkFile mark_file_;
  std::unique_ptr<SqliteStore> store_;
  Mark mark_;
  std::uint64_t found_floor_ = 0;
  bool is_read_ = false;
  bool is_snapshot_begun_ = false;  // known to the thread that writes

  // Guards what follows.
  std::mutex mutex_;
  std::condition_variable wake_writer_;
  std::condition_variable wake_syncer_;
  std::vector<Append> appends_;
  std::optional<Snapshot> snapshot_;
  std::uint64_t floor_ = 0;
  Position last_ = 0;           // durable
  Position last_snapshot_ = 0;  // or under way
  bool may_remove_ = true;
  bool is_mark_dirty_ = false;
  Ending ending_ = Ending::none;
  Fault fault_;

  std::thread writer_;
  std::thread syncer_;
};

}  // namespace baton::journal
