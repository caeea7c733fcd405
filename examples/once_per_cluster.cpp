// A job that every machine starts and that is done once: once_per_cluster URL DATABASE DAY
//
// Whoever gets the lock looks whether the day's report has been written, and writes it if not. The
// lock alone keeps two from working at the same time, as long as nobody is paused for longer than
// its lease. The fence is for that case: the database is written only under a pass, and whoever
// comes back late, with an older token than the one that the fence has seen, is refused.
#include <baton/client.h>
#include <baton/fence.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

using namespace std::chrono_literals;

// The resource: reports, one for each day.
class Reports {
 public:
  explicit Reports(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(path.c_str(), &opened);
    database_.reset(opened);
    if (code != SQLITE_OK) throw std::runtime_error("cannot open " + path);
    run("CREATE TABLE IF NOT EXISTS reports(day TEXT PRIMARY KEY, fence INTEGER)");
  }

  bool has(const std::string& day) { return run("SELECT 1 FROM reports WHERE day=?1", day) > 0; }
  void add(const std::string& day, std::uint64_t fence) {
    run("INSERT INTO reports VALUES(?1," + std::to_string(fence) + ")", day);
  }

 private:
  // How many rows it gave.
  int run(const std::string& text, const std::string& first = {}) {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &made, nullptr);
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(made,
                                                                               sqlite3_finalize);
    if (sqlite3_bind_parameter_count(made) > 0) {
      sqlite3_bind_text(made, 1, first.c_str(), -1, SQLITE_TRANSIENT);
    }
    int rows = 0;
    int code = sqlite3_step(made);
    for (; code == SQLITE_ROW; code = sqlite3_step(made)) ++rows;
    if (code != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database_.get()));
    return rows;
  }

  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_{nullptr, sqlite3_close};
};

void report(const std::string& url, const std::string& path, const std::string& day) {
  auto client = baton::Client::connect({.url = url, .label = "daily report"}).value();
  const auto lock = client.lock("daily-report", {.wait = 1min}).value();

  // In a file of its own: a pass keeps all writers of that file out, and the reports are written
  // while it lives.
  auto fence = baton::Fence::in_sqlite(path + ".fence", "reports").value();
  const auto pass = fence.enter(lock.fence()).value();
  Reports reports(path);
  if (reports.has(day)) {
    std::printf("the report of %s is there already\n", day.c_str());
  } else {
    reports.add(day, lock.fence());
    std::printf("wrote the report of %s under fence %llu\n", day.c_str(),
                static_cast<unsigned long long>(lock.fence()));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: once_per_cluster URL DATABASE DAY\n");
    return 2;
  }
  try {
    report(words[1], words[2], words[3]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "once_per_cluster: %s\n", problem.what());
    return 1;
  }
  return 0;
}
