// A fence in a table of a SQLite database.
//
// The token is committed, with full synchronisation, before anybody is let in under it; then a
// second transaction that changes nothing keeps all other writers of the database out for as long
// as the pass lives, if the token is still the highest by then.
#include <sqlite3.h>

#include <limits>
#include <mutex>
#include <utility>

#include "service/client/fence_store.h"

namespace baton::client {

namespace {

// How long to wait for another's pass to end, at a time.
constexpr int patience_ms = 60'000;

class Database {
 public:
  Database(Database&& other) noexcept : it_(std::exchange(other.it_, nullptr)) {}
  Database& operator=(Database&&) = delete;
  ~Database() { sqlite3_close_v2(it_); }

  static Result<Database> open(const std::string& path) {
    sqlite3* it = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &it,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(it);
    if (code != SQLITE_OK) return database.trouble(path);
    sqlite3_busy_timeout(it, patience_ms);
    for (const char* text :
         {"PRAGMA synchronous=FULL",
          "CREATE TABLE IF NOT EXISTS baton_fence(resource TEXT PRIMARY KEY NOT NULL, "
          "token INTEGER NOT NULL) WITHOUT ROWID"}) {
      if (!database.run(text)) return database.trouble(path);
    }
    return database;
  }

  bool run(const char* text) {
    return sqlite3_exec(it_, text, nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  // 0 if there is none, -1 if it cannot be read.
  std::int64_t token(const std::string& resource) {
    Statement statement(it_, "SELECT token FROM baton_fence WHERE resource=?1");
    if (!statement.bind(resource)) return -1;
    const int code = sqlite3_step(statement.it);
    if (code == SQLITE_ROW) return sqlite3_column_int64(statement.it, 0);
    return code == SQLITE_DONE ? 0 : -1;
  }

  bool set_token(const std::string& resource, std::int64_t token) {
    Statement statement(it_, "INSERT OR REPLACE INTO baton_fence VALUES(?1,?2)");
    return statement.bind(resource) && sqlite3_bind_int64(statement.it, 2, token) == SQLITE_OK &&
           sqlite3_step(statement.it) == SQLITE_DONE;
  }

  Failure trouble(const std::string& path) const {
    return {Error::internal, "the fence in " + path + ": " +
                                 (it_ != nullptr ? sqlite3_errmsg(it_) : "out of memory")};
  }

 private:
  struct Statement {
    Statement(sqlite3* database, const char* text) {
      sqlite3_prepare_v2(database, text, -1, &it, nullptr);
    }
    ~Statement() { sqlite3_finalize(it); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    bool bind(const std::string& text) const {
      return it != nullptr && sqlite3_bind_text(it, 1, text.data(), static_cast<int>(text.size()),
                                                SQLITE_TRANSIENT) == SQLITE_OK;
    }
    sqlite3_stmt* it = nullptr;
  };

  explicit Database(sqlite3* it) : it_(it) {}
  sqlite3* it_;
};

// Its transaction ends with its connection.
struct SqliteInside : Fence::Pass::Inside {
  explicit SqliteInside(Database locked) : database(std::move(locked)) {}
  Database database;
};

class SqliteStore : public Fence::Store {
 public:
  SqliteStore(std::string path, std::string resource)
      : path_(std::move(path)), resource_(std::move(resource)) {}

  Result<std::unique_ptr<Fence::Pass::Inside>> enter(std::uint64_t token) override {
    if (token > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return Failure{Error::bad_request, "a token that large does not fit into SQLite"};
    // Each time anew, so that threads of one process exclude each other as well.
    auto opened = Database::open(path_);
    if (!opened) return opened.failure();
    Database& database = *opened;
    const auto wanted = static_cast<std::int64_t>(token);
    if (!database.run("BEGIN IMMEDIATE")) return database.trouble(path_);
    const std::int64_t before = database.token(resource_);
    if (before < 0) return database.trouble(path_);
    if (wanted < before) return stale(token, static_cast<std::uint64_t>(before));
    if (wanted > before && !database.set_token(resource_, wanted)) return database.trouble(path_);
    if (!database.run("COMMIT") || !database.run("BEGIN IMMEDIATE")) return database.trouble(path_);
    const std::int64_t now = database.token(resource_);
    if (now < 0) return database.trouble(path_);
    if (wanted < now) return stale(token, static_cast<std::uint64_t>(now));
    return std::unique_ptr<Fence::Pass::Inside>(new SqliteInside(std::move(database)));
  }

  Result<std::uint64_t> highest() override {
    auto database = Database::open(path_);
    if (!database) return database.failure();
    const std::int64_t token = database->token(resource_);
    if (token < 0) return database->trouble(path_);
    return static_cast<std::uint64_t>(token);
  }

 private:
  std::string path_;
  std::string resource_;
};

}  // namespace

Result<std::shared_ptr<Fence::Store>> fence_in_sqlite(const std::string& path,
                                                      const std::string& resource) {
  auto store = std::make_shared<SqliteStore>(path, resource);
  auto highest = store->highest();
  if (!highest) return highest.failure();
  return std::shared_ptr<Fence::Store>(std::move(store));
}

}  // namespace baton::client
