// The tables of a SqliteJournal, in one SQLite file. One thread at a time.
//
//   meta       format, the journal's random id, when it was created
//   records    position, checksum, bytes
//   snapshots  at most one, complete: position, its pieces, size, checksum
//   chunks     the pieces of snapshots, also of one that is not complete yet
//   gaps       positions whose records are lost, after an operator accepted the loss
//
// The journal writes a snapshot in pieces, and removes the records that it replaces in pieces. Each
// piece is one transaction, so that appends get their turn in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/journal/database.h"
#include "service/journal/journal.h"

namespace baton::journal {

// The content contradicts itself or its checksums.
class Damage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SqliteStore {
 public:
  using Visit = std::function<void(Position, std::string_view)>;

  struct Gap {
    Position first = 0;
    Position last = 0;
  };

  // A new one in a new file (0600). Durable when it returns.
  static std::unique_ptr<SqliteStore> create(const std::filesystem::path& path,
                                             const std::string& id);
  // Nothing if the file is missing or empty. Throws Refused, SqliteError or Damage. Nothing is
  // written.
  static std::unique_ptr<SqliteStore> open(const std::filesystem::path& path);
  // With the files that SQLite keeps beside it.
  static void remove(const std::filesystem::path& path);

  const std::string& id() const { return id_; }
  // Of the last record, whether it is still there, replaced by a snapshot, or lost.
  Position last() const { return last_; }
  // Up to where a snapshot stands for the records; 0 without one.
  Position replaced() const { return kept_ ? kept_->position : 0; }

  // The snapshot, if there is one, then the records after it. Throws Damage or SqliteError at the
  // first that is not as it was written.
  void read(const Visit& snapshot, const Visit& record);
  // Says in SQLite's words what is wrong with the file; empty if nothing is.
  std::string examine();

  // All changes until the commit are one transaction.
  Transaction begin() { return Transaction(database_); }
  void append(Position position, std::string_view record);
  void add_gap(const Gap& gap);
  // Everything of a damaged store up to the damage. Returns the last position that is sound.
  Position copy_sound(SqliteStore& from);

  void begin_snapshot(Position position, std::string state);
  // Writes one piece. True if there are more; if not, the snapshot is complete.
  bool write_some();
  // Removes one piece of the records and snapshots that are no longer needed. True if there may be
  // more. Not to be called between begin_snapshot and its last piece.
  bool remove_some();

  // Syncs the file. Call it before the first append, and before a client learns of the records that
  // were read: the process that wrote them may have died between the write and the sync.
  void prepare();
  // When the write-ahead log has become long.
  void checkpoint() { database_.checkpoint(); }
  bool needs_checkpoint() const;

  // Moves everything into the one file. Not to be used afterwards.
  void close();

 private:
  static constexpr int long_log_frames = 1000;
  static constexpr int longest_log_frames = 4000;
  static constexpr int frames_of_large_commit = 8;
  static constexpr std::uint64_t log_bytes_to_keep = 16 << 20;
  static constexpr std::size_t chunk_bytes = 64 << 10;
  static constexpr std::uint64_t records_per_removal = 256;
  static constexpr std::uint64_t bytes_per_removal = 256 << 10;

  // The complete snapshot: where it is.
  struct Kept {
    Position position = 0;
    std::uint64_t first_chunk = 0;
    std::uint64_t chunks = 0;
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
  };
  // The one that is being written.
  struct Written {
    Position position = 0;
    std::string state;
    std::uint64_t first_chunk = 0;
    std::uint64_t chunks = 0;
    std::size_t written = 0;
  };
  struct Statements {
    explicit Statements(Database& database);
    Statement append;
    Statement add_chunk;
    Statement first_records;
    Statement remove_records;
    Statement first_chunks;
    Statement remove_chunks;
  };

  explicit SqliteStore(const std::filesystem::path& path);
  bool has_tables();
  void use_log();
  void create_tables(const std::string& id);
  void load();
  void check_format();
  std::string read_snapshot();
  bool is_gap(Position first, Position last) const;
  bool remove_replaced_records();
  bool remove_unused_chunks();
  bool remove_chunks(std::uint64_t first, std::uint64_t end);

  Database database_;
  std::unique_ptr<Statements> statements_;
  std::string id_;
  Position last_ = 0;
  std::optional<Kept> kept_;
  std::optional<Written> written_;
  std::vector<Gap> gaps_;
};

}  // namespace baton::journal
