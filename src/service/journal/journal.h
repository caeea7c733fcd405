// A journal keeps the data that must survive a crash: records in order, and now and then a snapshot
// that replaces all records before it. The journal does not look into them.
//
// A record is durable when the journal calls its `done`. Records become durable in the order in
// which they were appended. If a write fails, the journal reports a Fault and the server stops: it
// must not go on with a state that the journal does not have.
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

// The journal cannot be opened or read. The message says what is wrong and what to do.
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

  // Reads the latest snapshot, if there is one, then every record after it. Call it once, before
  // all other functions. Returns the position of the last record. Throws Unusable.
  virtual Position read(const std::function<void(Position, std::string_view)>& snapshot,
                        const std::function<void(Position, std::string_view)>& record) = 0;

  // Appends the next record. At most most_under_way() appends may be under way at once; the caller
  // gathers commands that come meanwhile into the next record.
  virtual void append(std::string record, Done done) = 0;
  virtual std::size_t most_under_way() const = 0;
  // Of one record; 0: any number.
  virtual std::size_t most_record_bytes() const { return 0; }

  // Writes a snapshot that replaces all records up to `position`, and removes those. One at a time;
  // appends may go on meanwhile.
  virtual void snapshot(Position position, std::string state, Done done) = 0;

  // False if the journal keeps nothing: then the content of records does not matter, and snapshots
  // are of no use.
  virtual bool keeps() const { return true; }

  // The floor is a number that never goes back. The journal keeps it apart from the records, so
  // that it survives their loss: the next leader's fencing tokens begin above it. A raised floor is
  // durable when the next record is; floor() is the value when the journal was opened.
  virtual void raise_floor(std::uint64_t) {}
  virtual std::uint64_t floor() const { return 0; }

  // Several servers may share a journal. is_sure(): the journal can prove now, without asking, that
  // no other server can have begun to write. prove() asks: it calls `done` when it knows that no
  // other server had begun to write when prove() was called.
  virtual bool is_sure() const { return true; }
  virtual void prove(Done done) { done({}); }

  // Waits for appends that are under way. A journal that is destroyed without close() is as after a
  // crash.
  virtual void close() = 0;

  // For people: "sqlite:/var/lib/baton/journal.db".
  virtual std::string describe() const = 0;
};

}  // namespace baton::journal
