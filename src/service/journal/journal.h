// Where the service keeps what must survive: records in order, and now and then a snapshot that
// stands for all records before it. What is in them is not the journal's business.
//
// A record is durable when `done` is called for it. Records become durable in the order in which
// they were appended. A journal that cannot keep its word ends its service (Fault): nobody may go
// on with a state that the journal does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace baton::journal {

// Of records, counted from 1 on for ever; 0 is before the first.
using Position = std::uint64_t;

// The journal cannot be opened or read: what is wrong, and what to do about it.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Why an append or a snapshot did not happen, and never will.
struct Fault {
  enum class Kind : std::uint8_t { none, failed, deposed };
  Kind kind = Kind::none;
  std::string what;

  explicit operator bool() const { return kind != Kind::none; }
};

class Journal {
 public:
  // Called from a thread of the journal's own, or from within the call.
  using Done = std::function<void(const Fault&)>;

  virtual ~Journal() = default;

  // Everything that is kept, the latest snapshot first (if there is one), then every record after
  // it. Once, before anything else. Returns the position of the last record. Throws Unusable.
  virtual Position read(const std::function<void(Position, std::string_view)>& snapshot,
                        const std::function<void(Position, std::string_view)>& record) = 0;

  // The next record. How many may be under way at once is most_under_way(); the caller gathers what
  // comes meanwhile into the next.
  virtual void append(std::string record, Done done) = 0;
  virtual std::size_t most_under_way() const = 0;
  // Of one record; 0: any number.
  virtual std::size_t most_record_bytes() const { return 0; }

  // Stands for all records up to `position`, which are then removed. One at a time; appends may go
  // on meanwhile.
  virtual void snapshot(Position position, std::string state, Done done) = 0;

  // False: nothing is ever read again. What is in a record does not matter then, and snapshots are
  // of no use.
  virtual bool keeps() const { return true; }

  // A number that never goes back, kept apart from the records so that it survives their loss: the
  // service's fences begin above it. What is raised is durable when the next record is; floor() is
  // what was found when the journal was opened.
  virtual void raise_floor(std::uint64_t) {}
  virtual std::uint64_t floor() const { return 0; }

  // Several servers may share a journal. Whether it is sure at this moment, without asking, that no
  // other one can have begun to write; and finds that out: `done` is called when it is known that
  // none had when prove() was called.
  virtual bool is_sure() const { return true; }
  virtual void prove(Done done) { done({}); }

  // Waits for what is under way. A journal that is destroyed without it is as after a crash.
  virtual void close() = 0;

  // For people: "sqlite:/var/lib/baton/journal.db".
  virtual std::string describe() const = 0;
};

}  // namespace baton::journal
