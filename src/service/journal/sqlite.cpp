#include "service/journal/sqlite.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "service/journal/sqlite_store.h"

namespace baton::journal {

namespace {

// A sync of the mark delays the appends of the same moment a little.
constexpr std::chrono::milliseconds between_syncs_of_mark{10};

}  // namespace

SqliteJournal::SqliteJournal(const std::filesystem::path& path, SqliteOptions options)
    : path_(std::filesystem::absolute(path).lexically_normal()),
      options_(std::move(options)),
      mark_file_(path_.string() + ".mark") {
  explain_errors([&] { open(); });
}

SqliteJournal::~SqliteJournal() { stop(Ending::at_once); }

Position SqliteJournal::read(const std::function<void(Position, std::string_view)>& snapshot,
                             const std::function<void(Position, std::string_view)>& record) {
  if (is_read_) throw std::logic_error("a journal is read once");
  explain_errors([&] {
    store_->read(snapshot, record);
    store_->prepare();
    mark_file_.begin(mark_);
  });
  is_read_ = true;
  last_ = mark_.position;
  last_snapshot_ = store_->replaced();
  writer_ = std::thread([this] { write(); });
  syncer_ = std::thread([this] { sync_mark(); });
  return last_;
}

void SqliteJournal::append(std::string record, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (may_begin()) {
      appends_.push_back({std::move(record), std::move(done), floor_});
      wake_writer_.notify_one();
      return;
    }
  }
  done(not_open());
}

void SqliteJournal::snapshot(Position position, std::string state, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_) throw std::logic_error("a snapshot is already under way");
    if (position > last_ || position < last_snapshot_) {
      throw std::logic_error("a snapshot of records that are not there");
    }
    if (may_begin()) {
      last_snapshot_ = position;
      snapshot_ = {position, std::move(state), std::move(done)};
      wake_writer_.notify_one();
      return;
    }
  }
  done(not_open());
}

Fault SqliteJournal::not_open() const {
  return {Fault::Kind::failed, describe() + ": it is not read yet, or closed"};
}

void SqliteJournal::raise_floor(std::uint64_t floor) {
  const std::lock_guard lock(mutex_);
  floor_ = std::max(floor_, floor);
}

void SqliteJournal::close() {
  stop(Ending::orderly);
  if (store_ && is_read_ && !fault_) {
    try {
      mark_file_.sync();
      store_->close();
    } catch (const std::exception&) {
      // Nothing is lost by this error: SQLite reads the log at the next opening.
    }
  }
  store_.reset();
  lock_file_.reset();
}

void SqliteJournal::stop(Ending ending) {
  {
    const std::lock_guard lock(mutex_);
    ending_ = std::max(ending_, ending);
    wake_writer_.notify_one();
    wake_syncer_.notify_one();
  }
  if (writer_.joinable()) writer_.join();
  if (syncer_.joinable()) syncer_.join();
}

void SqliteJournal::write() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_writer_.wait(lock, [&] { return ending_ != Ending::none || has_work(); });
    if (!appends_.empty() && ending_ != Ending::at_once) write_appends(lock);
    if (ending_ != Ending::at_once) work_in_background(lock);
    if (ending_ == Ending::at_once) return;
    if (ending_ == Ending::orderly && appends_.empty() && !snapshot_) return;
  }
}

void SqliteJournal::write_appends(std::unique_lock<std::mutex>& lock) {
  const std::vector<Append> group = std::exchange(appends_, {});
  attempt(lock, [&] { commit(group); });
  if (ending_ == Ending::at_once) return;
  if (!fault_) {
    last_ = mark_.position;
    if (!is_mark_dirty_) wake_syncer_.notify_one();
    is_mark_dirty_ = true;
  }
  const Fault fault = fault_;
  lock.unlock();
  for (const Append& append : group) append.done(fault);
  lock.lock();
}

void SqliteJournal::commit(const std::vector<Append>& appends) {
  Transaction transaction = store_->begin();
  Position position = mark_.position;
  for (const Append& append : appends) store_->append(++position, append.record);
  transaction.commit();
  mark_.position = position;
  const std::uint64_t floor = appends.back().floor;
  const bool is_floor_raised = floor > mark_.floor;
  mark_.floor = std::max(mark_.floor, floor);
  mark_file_.write(mark_);
  if (is_floor_raised) mark_file_.sync();
}

// Writes or removes one piece of a snapshot, so that the next append waits for one piece at most.
void SqliteJournal::work_in_background(std::unique_lock<std::mutex>& lock) {
  if (snapshot_) {
    work_on_snapshot(lock);
  } else if (may_remove_) {
    bool is_more = false;
    attempt(lock, [&] { is_more = store_->remove_some(); });
    may_remove_ = is_more;
  }
  attempt(lock, [&] {
    if (store_->needs_checkpoint()) store_->checkpoint();
  });
}

void SqliteJournal::work_on_snapshot(std::unique_lock<std::mutex>& lock) {
  Snapshot& snapshot = *snapshot_;
  bool is_complete = false;
  attempt(lock, [&] {
    if (!is_snapshot_begun_) store_->begin_snapshot(snapshot.position, std::move(snapshot.state));
    is_snapshot_begun_ = true;
    is_complete = !store_->write_some();
  });
  if (!is_complete && !fault_) return;
  const Done done = std::move(snapshot.done);
  const Fault fault = fault_;
  snapshot_.reset();
  is_snapshot_begun_ = false;
  may_remove_ = !fault;
  if (ending_ == Ending::at_once) return;
  lock.unlock();
  done(fault);
  lock.lock();
}

// Runs the work, unless an earlier write has failed.
void SqliteJournal::attempt(std::unique_lock<std::mutex>& lock, const std::function<void()>& work) {
  if (fault_) return;
  lock.unlock();
  std::string problem;
  try {
    work();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  lock.lock();
  if (!problem.empty() && !fault_) fault_ = {Fault::Kind::failed, describe() + ": " + problem};
}

void SqliteJournal::sync_mark() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_syncer_.wait(lock, [&] { return ending_ != Ending::none || is_mark_dirty_; });
    if (ending_ != Ending::none) return;
    is_mark_dirty_ = false;
    attempt(lock, [&] { mark_file_.sync(); });
    wake_syncer_.wait_for(lock, between_syncs_of_mark, [&] { return ending_ != Ending::none; });
  }
}

}  // namespace baton::journal
