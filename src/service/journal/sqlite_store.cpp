#include "service/journal/sqlite_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "service/journal/checksum.h"
#include "service/journal/files.h"
#include "service/journal/refused.h"

namespace baton::journal {

namespace {

constexpr int journal_format = 1;
constexpr int application_id = 0x42744a6c;  // "BtJl", for file(1)

constexpr const char* tables = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE records (position INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE snapshots (position INTEGER PRIMARY KEY, first_chunk INTEGER NOT NULL,
  chunks INTEGER NOT NULL, size INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE chunks (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE gaps (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, accepted INTEGER NOT NULL);
)";

}  // namespace

SqliteStore::Statements::Statements(Database& database)
    : append(database, "INSERT INTO records (position, checksum, bytes) VALUES (?, ?, ?)"),
      add_chunk(database, "INSERT INTO chunks (id, bytes) VALUES (?, ?)"),
      first_records(database,
                    "SELECT position, length(bytes) FROM records WHERE position <= ? "
                    "ORDER BY position LIMIT ?"),
      remove_records(database, "DELETE FROM records WHERE position <= ?"),
      first_chunks(database,
                   "SELECT id, length(bytes) FROM chunks WHERE id >= ? AND id < ? ORDER BY id"),
      remove_chunks(database, "DELETE FROM chunks WHERE id >= ? AND id <= ?") {}

SqliteStore::SqliteStore(const std::filesystem::path& path) : database_(path) {
  // Exclusive, and that before the first access: then no other process can come in between, and
  // there is no shared memory beside the file.
  database_.execute("PRAGMA locking_mode=EXCLUSIVE");
  database_.execute("PRAGMA synchronous=FULL");
  database_.execute(fmt::format("PRAGMA journal_size_limit={}", log_bytes_to_keep));
  database_.execute("PRAGMA trusted_schema=OFF");
}

std::unique_ptr<SqliteStore> SqliteStore::create(const std::filesystem::path& path,
                                                 const std::string& id) {
  const std::filesystem::path fresh = path.string() + ".new";
  remove(path);
  remove(fresh);
  open_file(fresh);
  {
    SqliteStore store(fresh);
    store.create_tables(id);
  }
  sync_file(open_file(fresh), fresh);
  std::filesystem::rename(fresh, path);
  sync_directory(path.parent_path());
  return open(path);
}

std::unique_ptr<SqliteStore> SqliteStore::open(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  std::unique_ptr<SqliteStore> store(new SqliteStore(path));
  if (!store->has_tables()) return nullptr;
  store->load();
  return store;
}

void SqliteStore::remove(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(path.string() + suffix);
  }
}

bool SqliteStore::has_tables() {
  return database_.integer("SELECT count(*) FROM sqlite_schema") > 0;
}

// Does not sync: create() syncs the whole file once.
void SqliteStore::create_tables(const std::string& id) {
  database_.execute("PRAGMA synchronous=OFF");
  use_log();
  Transaction transaction(database_);
  database_.execute(fmt::format("PRAGMA application_id={}", application_id));
  database_.execute(tables);
  database_.execute(
      fmt::format("INSERT INTO meta VALUES ('format', {}), ('id', '{}'), ('created', {})",
                  journal_format, id, std::time(nullptr)));
  transaction.commit();
  database_.close();
}

void SqliteStore::use_log() {
  if (database_.text("PRAGMA journal_mode=WAL") != "wal") {
    throw SqliteError(SQLITE_CANTOPEN, "the file system does not allow a write-ahead log");
  }
}

void SqliteStore::prepare() {
  use_log();
  database_.checkpoint();
}

// Overwriting a log syncs faster than growing it, so the log is written back and begun anew soon.
// No client waits for large commits (fast grade); these gain more from being written back less
// often.
bool SqliteStore::needs_checkpoint() const {
  const int frames = database_.frames_in_log();
  const bool are_large = frames >= frames_of_large_commit * database_.commits_in_log();
  return frames >= (are_large ? longest_log_frames : long_log_frames);
}

void SqliteStore::load() {
  check_format();
  statements_ = std::make_unique<Statements>(database_);
  id_ = database_.text("SELECT value FROM meta WHERE key='id'");
  last_ = static_cast<Position>(database_.integer("SELECT max(position) FROM records"));
  Statement snapshots(database_,
                      "SELECT position, first_chunk, chunks, size, checksum FROM snapshots");
  while (snapshots.step()) {
    kept_ = {snapshots.integer(0), snapshots.integer(1), snapshots.integer(2), snapshots.integer(3),
             snapshots.integer(4)};
    last_ = std::max(last_, kept_->position);
  }
  Statement gaps(database_, "SELECT first, last FROM gaps ORDER BY first");
  while (gaps.step()) {
    gaps_.push_back({gaps.integer(0), gaps.integer(1)});
    last_ = std::max(last_, gaps_.back().last);
  }
}

void SqliteStore::check_format() {
  if (database_.integer("PRAGMA application_id") != application_id) {
    throw Refused(Refused::Reason::not_a_journal,
                  "it is an SQLite database, but not a journal of Baton: name another file");
  }
  const std::int64_t format = database_.integer("SELECT value FROM meta WHERE key='format'");
  if (format > journal_format) {
    throw Refused(Refused::Reason::newer,
                  fmt::format("it has format {}, and this version of Baton knows up to {}: use a "
                              "version that is as new as the journal",
                              format, journal_format));
  }
  if (format < 1) throw Damage("its format is not stated");
}

void SqliteStore::read(const Visit& snapshot, const Visit& record) {
  if (kept_) snapshot(kept_->position, read_snapshot());
  Position next = kept_ ? kept_->position + 1 : 1;
  Statement records(database_,
                    "SELECT position, checksum, bytes FROM records WHERE position >= ? "
                    "ORDER BY position");
  records.bind(1, next);
  while (records.step()) {
    const Position position = records.integer(0);
    const std::string_view bytes = records.bytes(2);
    if (position != next && !is_gap(next, position - 1)) {
      throw Damage(fmt::format("record {} is missing", next));
    }
    if (records.integer(1) != checksum(position, bytes)) {
      throw Damage(fmt::format("record {} does not match its checksum", position));
    }
    record(position, bytes);
    next = position + 1;
  }
  if (next <= last_ && !is_gap(next, last_))
    throw Damage(fmt::format("record {} is missing", next));
}

std::string SqliteStore::read_snapshot() {
  std::string state;
  state.reserve(kept_->size);
  Statement chunks(database_, "SELECT bytes FROM chunks WHERE id >= ? AND id < ? ORDER BY id");
  chunks.bind(1, kept_->first_chunk).bind(2, kept_->first_chunk + kept_->chunks);
  while (chunks.step()) state += chunks.bytes(0);
  if (state.size() != kept_->size || checksum(kept_->position, state) != kept_->checksum) {
    throw Damage(fmt::format("the snapshot of records up to {} does not match its checksum",
                             kept_->position));
  }
  return state;
}

// Gaps may lie side by side.
bool SqliteStore::is_gap(Position first, Position last) const {
  for (const Gap& gap : gaps_) {
    if (gap.first <= first && first <= gap.last) first = gap.last + 1;
  }
  return first > last;
}

std::string SqliteStore::examine() {
  try {
    const std::string finding = database_.text("PRAGMA quick_check(1)");
    return finding == "ok" ? "" : finding;
  } catch (const SqliteError& error) {
    return error.what();
  }
}

void SqliteStore::append(Position position, std::string_view record) {
  statements_->append.bind(1, position).bind(2, std::uint64_t{checksum(position, record)});
  statements_->append.bind(3, record).run();
  last_ = position;
}

void SqliteStore::add_gap(const Gap& gap) {
  Statement statement(database_, "INSERT OR REPLACE INTO gaps VALUES (?, ?, ?)");
  statement.bind(1, gap.first).bind(2, gap.last);
  statement.bind(3, static_cast<std::uint64_t>(std::time(nullptr))).run();
  gaps_.push_back(gap);
  std::sort(gaps_.begin(), gaps_.end(),
            [](const Gap& a, const Gap& b) { return a.first < b.first; });
  last_ = std::max(last_, gap.last);
}

Position SqliteStore::copy_sound(SqliteStore& from) {
  Transaction transaction(database_);
  const auto copy_snapshot = [&](Position position, std::string_view state) {
    begin_snapshot(position, std::string(state));
    while (write_some()) {
    }
    last_ = position;
  };
  const auto copy_record = [&](Position position, std::string_view bytes) {
    append(position, bytes);
  };
  try {
    from.read(copy_snapshot, copy_record);
  } catch (const Damage&) {
  } catch (const SqliteError& error) {
    if (!error.is_damage()) throw;
  }
  const Position sound = last_;
  for (const Gap& gap : from.gaps_) {
    if (gap.last <= sound) add_gap(gap);
  }
  transaction.commit();
  return sound;
}

void SqliteStore::begin_snapshot(Position position, std::string state) {
  const auto last_chunk = database_.integer("SELECT max(id) FROM chunks");
  written_ = {position, std::move(state), static_cast<std::uint64_t>(last_chunk) + 1, 0, 0};
}

bool SqliteStore::write_some() {
  Written& now = *written_;
  if (now.written < now.state.size()) {
    const std::string_view piece = std::string_view(now.state).substr(now.written, chunk_bytes);
    statements_->add_chunk.bind(1, now.first_chunk + now.chunks).bind(2, piece).run();
    now.written += piece.size();
    ++now.chunks;
    return true;
  }
  const Kept kept{now.position, now.first_chunk, now.chunks, now.state.size(),
                  checksum(now.position, now.state)};
  Transaction transaction(database_);
  database_.execute("DELETE FROM snapshots");
  Statement insert(database_, "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)");
  insert.bind(1, kept.position).bind(2, kept.first_chunk).bind(3, kept.chunks);
  insert.bind(4, kept.size).bind(5, kept.checksum).run();
  transaction.commit();
  kept_ = kept;
  written_.reset();
  return false;
}

bool SqliteStore::remove_some() { return remove_replaced_records() || remove_unused_chunks(); }

bool SqliteStore::remove_replaced_records() {
  if (!kept_) return false;
  Position upto = 0;
  std::uint64_t bytes = 0;
  {
    Statement& records = statements_->first_records;
    const Resetting resetting(records);
    records.bind(1, kept_->position).bind(2, records_per_removal);
    while (bytes < bytes_per_removal && records.step()) {
      upto = records.integer(0);
      bytes += records.integer(1);
    }
  }
  if (upto == 0) return false;
  statements_->remove_records.bind(1, upto).run();
  return true;
}

// Removes the pieces of older snapshots, and the pieces of an incomplete one that a crash has left.
bool SqliteStore::remove_unused_chunks() {
  constexpr auto end = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t kept_first = kept_ ? kept_->first_chunk : 0;
  const std::uint64_t kept_end = kept_ ? kept_first + kept_->chunks : 0;
  return remove_chunks(0, kept_first) || remove_chunks(kept_end, end);
}

bool SqliteStore::remove_chunks(std::uint64_t first, std::uint64_t end) {
  std::optional<std::uint64_t> upto;
  std::uint64_t bytes = 0;
  {
    Statement& chunks = statements_->first_chunks;
    const Resetting resetting(chunks);
    chunks.bind(1, first).bind(2, end);
    while (bytes < bytes_per_removal && chunks.step()) {
      upto = chunks.integer(0);
      bytes += chunks.integer(1);
    }
  }
  if (!upto) return false;
  statements_->remove_chunks.bind(1, first).bind(2, *upto).run();
  return true;
}

void SqliteStore::close() {
  statements_.reset();
  database_.close();
}

}  // namespace baton::journal
