// A thin cover over SQLite's handles: closed by themselves, errors thrown.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace baton::journal {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& what) : std::runtime_error(what), code_(code) {}

  // The file's content is at fault, not access to it.
  bool is_damage() const;
  bool is_busy() const { return (code_ & 0xff) == SQLITE_BUSY; }

 private:
  int code_;
};

// One connection, used by one thread at a time.
class Database {
 public:
  explicit Database(const std::filesystem::path& path);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  // Leaves the write-ahead log as it is, as a crash would.
  ~Database();

  // Moves the log into the database and removes it.
  void close();
  void execute(const std::string& sql);
  // Of a statement that gives one row; empty without a row.
  std::string text(const std::string& sql);
  std::int64_t integer(const std::string& sql);
  // Since the log was last begun anew.
  int frames_in_log() const { return frames_in_log_; }
  int commits_in_log() const { return commits_in_log_; }
  // Moves what is in the log into the database, synced; the log is then used from its start.
  void checkpoint();

  sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail(int code) const;

 private:
  static int count_frames(void* self, sqlite3*, const char*, int frames);

  sqlite3* handle_ = nullptr;
  int frames_in_log_ = 0;
  int commits_in_log_ = 0;
};

// A prepared statement. Parameters and columns are counted as SQLite does: from 1, and from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  Statement& bind(int parameter, std::uint64_t value);
  // Not copied: must live until the statement has run.
  Statement& bind(int parameter, std::string_view bytes);
  Statement& bind_text(int parameter, std::string_view text);

  // To the next row, if there is one. After the last, the statement can be run again.
  bool step();
  void run();
  void reset() { sqlite3_reset(handle_); }

  std::uint64_t integer(int column) const;
  // Valid until the next step.
  std::string_view bytes(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

// Ends a statement that may not have come to its end.
class Resetting {
 public:
  explicit Resetting(Statement& statement) : statement_(statement) {}
  Resetting(const Resetting&) = delete;
  Resetting& operator=(const Resetting&) = delete;
  ~Resetting() { statement_.reset(); }

 private:
  Statement& statement_;
};

// Takes everything back unless it is committed. One may be part of another.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.execute("SAVEPOINT piece");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  Database& database_;
  bool is_over_ = false;
};

}  // namespace baton::journal
