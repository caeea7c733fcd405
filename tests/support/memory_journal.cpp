#include "support/memory_journal.h"

#include <algorithm>

namespace baton::journal {

MemoryJournal::MemoryJournal(std::shared_ptr<MemoryStore> store, MemoryFaults faults)
    : work_(std::make_shared<Work>()), found_floor_(store->floor) {
  work_->reign = ++store->reign;
  work_->store = std::move(store);
  work_->faults = std::move(faults);
}

Position MemoryJournal::read(const std::function<void(Position, std::string_view)>& snapshot,
                             const std::function<void(Position, std::string_view)>& record) {
  const MemoryStore& store = *work_->store;
  if (store.snapshot) snapshot(store.snapshot->position, store.snapshot->bytes);
  for (const MemoryStore::Record& kept : store.records) record(kept.position, kept.bytes);
  return store.last;
}

void MemoryJournal::append(std::string record, Done done) {
  work_->appends.push_back({{0, std::move(record)}, floor_, std::move(done)});
  defer(&Work::append_next);
}

std::size_t MemoryJournal::most_under_way() const { return work_->faults.most_under_way; }
std::size_t MemoryJournal::most_record_bytes() const { return work_->faults.most_record_bytes; }

void MemoryJournal::snapshot(Position position, std::string state, Done done) {
  if (work_->snapshot) throw std::logic_error("a snapshot is already under way");
  const MemoryStore& store = *work_->store;
  if (position > store.last || (store.snapshot && position < store.snapshot->position)) {
    throw std::logic_error("a snapshot of records that are not there");
  }
  work_->snapshot = {{position, std::move(state)}, 0, std::move(done)};
  defer(&Work::write_snapshot);
}

void MemoryJournal::raise_floor(std::uint64_t floor) { floor_ = std::max(floor_, floor); }

void MemoryJournal::close() {
  while (!work_->appends.empty()) work_->append_next();
  work_->write_snapshot();
}

void MemoryJournal::defer(void (Work::*step)()) {
  if (!work_->faults.later) {
    ((*work_).*step)();
    return;
  }
  work_->faults.later([weak = std::weak_ptr(work_), step] {
    if (const std::shared_ptr<Work> work = weak.lock()) ((*work).*step)();
  });
}

void MemoryJournal::Work::append_next() {
  if (appends.empty()) return;
  Step step = std::move(appends.front());
  appends.pop_front();
  step.what.position = store->last + 1;
  const Fate fate = faults.append ? faults.append(step.what.position) : Fate::keep;
  finish(fate, step.done, [&] {
    store->last = step.what.position;
    store->floor = std::max(store->floor, step.floor);
    store->records.push_back(std::move(step.what));
  });
}

void MemoryJournal::Work::write_snapshot() {
  if (!snapshot) return;
  Step step = std::move(*snapshot);
  snapshot.reset();
  const Fate fate = faults.snapshot ? faults.snapshot(step.what.position) : Fate::keep;
  finish(fate, step.done, [&] {
    std::deque<MemoryStore::Record>& records = store->records;
    while (!records.empty() && records.front().position <= step.what.position) records.pop_front();
    store->snapshot = std::move(step.what);
  });
}

void MemoryJournal::Work::finish(Fate fate, const Done& done, const std::function<void()>& keep) {
  if (!fault && store->reign != reign) {
    fault = {Fault::Kind::deposed, "another journal has been opened on the same store"};
  }
  if (is_silent) return;
  if (!fault) {
    const bool fails = fate == Fate::fail || fate == Fate::fail_but_keep;
    if (fate != Fate::lose && fate != Fate::fail) keep();
    if (fails) fault = {Fault::Kind::failed, "injected"};
    is_silent = fate == Fate::lose || fate == Fate::keep_silently;
    if (is_silent) return;
  }
  done(Fault(fault));
}

}  // namespace baton::journal
