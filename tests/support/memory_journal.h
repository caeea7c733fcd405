// A journal in memory, with faults.
//
// What is durable lives in a MemoryStore, which outlives the journal: to restart, destroy the
// journal and make another one of the same store. A journal that is made while an older one still
// lives deposes it, as a new leader does.
//
// Faults are decided by the test, append by append. There are no threads, and no clock: what
// should be slow is handed to the test, which goes on with it when it likes, also in virtual time.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service/journal/journal.h"

namespace baton::journal {

// Survives a crash.
struct MemoryStore {
  struct Record {
    Position position = 0;
    std::string bytes;
  };
  std::optional<Record> snapshot;
  std::deque<Record> records;
  Position last = 0;
  std::uint64_t floor = 0;
  std::uint64_t reign = 0;  // of the journal that may write
};

// What becomes of an append or a snapshot.
enum class Fate : std::uint8_t {
  keep,
  lose,           // never heard of again; nor is anything after it
  keep_silently,  // kept, but nobody is told: a crash in between; nothing after it is kept
  fail,           // and so does everything after it
  fail_but_keep   // reported as failed, and found after the restart
};

struct MemoryFaults {
  // Of the record that gets this position. Without it all are kept.
  std::function<Fate(Position)> append;
  // Of the snapshot that stands for the records up to this position.
  std::function<Fate(Position)> snapshot;
  // Is given each append and each snapshot, to be called once, now or later. Appends are done in
  // the order in which they came, whichever of them is called. Without it all is done at once.
  std::function<void(std::function<void()>)> later;
  std::size_t most_under_way = 1;
  std::size_t most_record_bytes = 0;
};

class MemoryJournal final : public Journal {
 public:
  explicit MemoryJournal(std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>(),
                         MemoryFaults faults = {});

  Position read(const std::function<void(Position, std::string_view)>& snapshot,
                const std::function<void(Position, std::string_view)>& record) override;
  void append(std::string record, Done done) override;
  std::size_t most_under_way() const override;
  std::size_t most_record_bytes() const override;
  void snapshot(Position position, std::string state, Done done) override;
  void raise_floor(std::uint64_t floor) override;
  std::uint64_t floor() const override { return found_floor_; }
  // What is still with the test (MemoryFaults::later) is done now.
  void close() override;
  std::string describe() const override { return "memory:"; }

 private:
  struct Step {
    MemoryStore::Record what;
    std::uint64_t floor = 0;
    Done done;
  };
  // Apart from the journal, since the test may still go on with a step when the journal is gone.
  struct Work {
    std::shared_ptr<MemoryStore> store;
    MemoryFaults faults;
    std::uint64_t reign = 0;
    std::deque<Step> appends;
    std::optional<Step> snapshot;
    bool is_silent = false;
    Fault fault;

    void append_next();
    void write_snapshot();
    void finish(Fate fate, const Done& done, const std::function<void()>& keep);
  };

  void defer(void (Work::*step)());

  std::shared_ptr<Work> work_;
  std::uint64_t found_floor_;
  std::uint64_t floor_ = 0;  // asked for; kept with the next record
};

}  // namespace baton::journal
