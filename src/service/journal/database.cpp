#include "service/journal/database.h"

#include <cstring>

namespace baton::journal {

bool SqliteError::is_damage() const {
  const int primary = code_ & 0xff;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_ERROR ||
         primary == SQLITE_SCHEMA || primary == SQLITE_MISMATCH || code_ == SQLITE_IOERR_SHORT_READ;
}

Database::Database(const std::filesystem::path& path) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const SqliteError error(code, handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code));
    sqlite3_close(handle_);
    throw error;
  }
  // Checkpoints are made between appends, not within one.
  sqlite3_wal_hook(handle_, &Database::count_frames, this);
}

Database::~Database() {
  if (handle_ == nullptr) return;
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_close_v2(handle_);
}

void Database::close() {
  const int code = sqlite3_close(handle_);
  if (code != SQLITE_OK) fail(code);
  handle_ = nullptr;
}

int Database::count_frames(void* self, sqlite3*, const char*, int frames) {
  auto& database = *static_cast<Database*>(self);
  database.frames_in_log_ = frames;
  ++database.commits_in_log_;
  return SQLITE_OK;
}

void Database::fail(int code) const {
  std::string what = sqlite3_errmsg(handle_);
  const int primary = code & 0xff;
  const int system = sqlite3_system_errno(handle_);
  const bool is_of_system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN ||
                            primary == SQLITE_FULL || primary == SQLITE_READONLY;
  if (is_of_system && system != 0) what += std::string(" (") + std::strerror(system) + ")";
  throw SqliteError(code, what);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::string Database::text(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? std::string(statement.bytes(0)) : std::string();
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? static_cast<std::int64_t>(statement.integer(0)) : 0;
}

void Database::checkpoint() {
  const int code =
      sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
  frames_in_log_ = 0;
  commits_in_log_ = 0;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement& Statement::bind(int parameter, std::uint64_t value) {
  sqlite3_bind_int64(handle_, parameter, static_cast<sqlite3_int64>(value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view bytes) {
  // A null pointer would be taken for NULL.
  const char* start = bytes.empty() ? "" : bytes.data();
  const int code = sqlite3_bind_blob64(handle_, parameter, start, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  sqlite3_bind_text(handle_, parameter, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    try {
      database_.fail(code);
    } catch (...) {
      sqlite3_reset(handle_);
      throw;
    }
  }
  sqlite3_reset(handle_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::uint64_t Statement::integer(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, column));
}

std::string_view Statement::bytes(int column) const {
  const void* start = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  return {static_cast<const char*>(start), static_cast<std::size_t>(size)};
}

Transaction::~Transaction() {
  if (is_over_) return;
  sqlite3_exec(database_.handle(), "ROLLBACK TO piece; RELEASE piece", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("RELEASE piece");
  is_over_ = true;
}

}  // namespace baton::journal
