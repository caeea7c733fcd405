// Opens a SqliteJournal: compares the database with the mark. If they do not fit, it refuses to
// open the journal, or repairs it if the operator accepts the loss.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <random>
#include <system_error>

#include "service/journal/sqlite.h"
#include "service/journal/sqlite_store.h"

namespace baton::journal {

namespace {

using Reason = Refused::Reason;

constexpr const char* accepting =
    "or start once with --accept-loss: the server then continues without the lost records. It "
    "forgets the locks granted and the files written in them; only their fencing tokens keep old "
    "holders out";

std::string random_id() {
  std::random_device device;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", device());
  return id;
}

// Every SQLite file begins with these words.
bool is_sqlite(const std::filesystem::path& path) {
  constexpr std::string_view expected = "SQLite format 3";
  std::string start(expected.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == expected;
}

bool is_sound(SqliteStore& store) {
  try {
    store.read([](Position, std::string_view) {}, [](Position, std::string_view) {});
    return true;
  } catch (const Damage&) {
    return false;
  } catch (const SqliteError& error) {
    if (!error.is_damage()) throw;
    return false;
  }
}

}  // namespace

void SqliteJournal::explain_errors(const std::function<void()>& work) {
  const auto refuse = [&](Reason reason, const std::string& what) {
    throw Refused(reason, fmt::format("journal {}: {}", path_.string(), what));
  };
  const auto refuse_damaged = [&](std::string what) {
    // Reading shows only where the damage was noticed. SQLite's own check may tell more.
    const std::string finding = store_ ? store_->examine() : "";
    if (!finding.empty() && finding != what) what += " (SQLite finds: " + finding + ")";
    refuse(Reason::damaged,
           fmt::format("the file is damaged: {}. Put back an undamaged copy of it and of its -wal "
                       "file; {}",
                       what, accepting));
  };
  try {
    work();
  } catch (const Refused& error) {
    refuse(error.reason(), error.what());
  } catch (const Damage& error) {
    refuse_damaged(error.what());
  } catch (const SqliteError& error) {
    if (error.is_damage()) refuse_damaged(error.what());
    if (error.is_busy()) {
      refuse(Reason::in_use, "another program has the database open: end it first");
    }
    refuse(Reason::no_access, fmt::format("{}. Free space and access rights of {} may be the cause",
                                          error.what(), path_.parent_path().string()));
  } catch (const std::system_error& error) {
    refuse(Reason::no_access, fmt::format("{}. The server must be able to write in {}",
                                          error.what(), path_.parent_path().string()));
  }
}

void SqliteJournal::accept_or_refuse(Reason reason, const std::string& what,
                                     const std::string& remedy) const {
  if (!options_.accept_loss) {
    throw Refused(reason, fmt::format("{}. {}; {}", what, remedy, accepting));
  }
  if (options_.warn) {
    options_.warn(fmt::format(
        "journal {}: {}; --accept-loss was given, so the server continues without what is lost",
        path_.string(), what));
  }
}

void SqliteJournal::open() {
  if (std::filesystem::is_directory(path_)) {
    throw Refused(Reason::no_access, "it is a directory: name a file, such as journal.db in it");
  }
  make_directories(path_.parent_path());
  lock_file_.emplace(path_.string() + ".lock");
  Mark mark;
  if (std::filesystem::exists(path_) || mark_file_.exists()) {
    mark = look_at_mark();
  } else {
    // The mark comes first: so a database without a mark has always lost it.
    mark.journal = random_id();
    mark_file_.begin(mark);
  }
  look_at_store(mark);
  compare(mark);
  mark_ = {store_->id(), store_->last(), mark.floor};
  found_floor_ = mark.floor;
}

Mark SqliteJournal::look_at_mark() {
  if (!mark_file_.exists()) {
    if (std::filesystem::file_size(path_) > 0 && !is_sqlite(path_)) {
      throw Refused(Reason::not_a_journal, "the file is not a journal of Baton: name another file");
    }
    accept_or_refuse(Reason::no_mark,
                     fmt::format("its mark is missing ({}), so nobody can tell whether the "
                                 "database is complete",
                                 mark_file_.path().string()),
                     "Put the mark back if you have moved the database");
    return {};
  }
  std::optional<Mark> mark = mark_file_.read();
  if (mark) return *mark;
  accept_or_refuse(Reason::bad_mark,
                   fmt::format("its mark cannot be read ({}), so nobody can tell whether the "
                               "database is complete",
                               mark_file_.path().string()),
                   "Put back an undamaged copy of the mark");
  return {};
}

void SqliteJournal::look_at_store(const Mark& mark) {
  try {
    store_ = SqliteStore::open(path_);
  } catch (const SqliteError& error) {
    if (!options_.accept_loss || !error.is_damage()) throw;
    salvage(nullptr, mark);
  } catch (const Damage&) {
    if (!options_.accept_loss) throw;
    salvage(nullptr, mark);
  }
  if (!store_) {
    if (mark.position > 0) {
      accept_or_refuse(Reason::missing,
                       fmt::format("the database is missing or empty, but its mark ({}) says that "
                                   "it had {} records",
                                   mark_file_.path().string(), mark.position),
                       "Put the database and its -wal file back");
    }
    store_ = SqliteStore::create(path_, mark.journal.empty() ? random_id() : mark.journal);
  } else if (options_.accept_loss && !is_sound(*store_)) {
    salvage(std::move(store_), mark);
  }
}

void SqliteJournal::compare(const Mark& mark) {
  if (!mark.journal.empty() && mark.journal != store_->id()) {
    accept_or_refuse(
        Reason::foreign,
        fmt::format("its mark ({}) belongs to another journal: one of the two files was replaced",
                    mark_file_.path().string()),
        "Put back the file that belongs to the other");
  }
  if (store_->last() >= mark.position) return;
  const SqliteStore::Gap gap{store_->last() + 1, mark.position};
  accept_or_refuse(Reason::shorter,
                   fmt::format("the database ends with record {}, but its mark ({}) says that {} "
                               "were kept: the last {} are lost. Its -wal file was deleted or cut "
                               "short, or it was replaced by an older copy",
                               store_->last(), mark_file_.path().string(), mark.position,
                               mark.position - store_->last()),
                   "Put back the latest copy of the database together with its -wal file");
  store_->add_gap(gap);
}

void SqliteJournal::salvage(std::unique_ptr<SqliteStore> damaged, const Mark& mark) {
  const std::filesystem::path salvaged = path_.string() + ".salvaged";
  const std::string known_id = damaged ? damaged->id() : mark.journal;
  std::unique_ptr<SqliteStore> store =
      SqliteStore::create(salvaged, known_id.empty() ? random_id() : known_id);
  const Position sound = damaged ? store->copy_sound(*damaged) : 0;
  const Position last = std::max(mark.position, damaged ? damaged->last() : 0);
  if (last > sound) store->add_gap({sound + 1, last});
  store->close();
  damaged.reset();
  set_damaged_files_aside();
  std::filesystem::rename(salvaged, path_);
  sync_directory(path_.parent_path());
  store_ = SqliteStore::open(path_);
  if (options_.warn) {
    options_.warn(
        fmt::format("journal {}: the file is damaged; of {} records the server keeps the first {} "
                    "and moves the damaged file aside",
                    path_.string(), last, sound));
  }
}

// Renames the damaged files instead of removing them, so that an operator can look into them.
void SqliteJournal::set_damaged_files_aside() {
  const std::string aside = fmt::format("{}.damaged-{}", path_.string(), std::time(nullptr));
  for (const char* suffix : {"-wal", ""}) {
    const std::filesystem::path file = path_.string() + suffix;
    if (std::filesystem::exists(file)) std::filesystem::rename(file, aside + suffix);
  }
}

}  // namespace baton::journal
