// The journal on disk cannot be opened. Every message says what is wrong and what to do about it.
#pragma once

#include <cstdint>
#include <string>

#include "service/journal/journal.h"

namespace baton::journal {

class Refused : public Unusable {
 public:
  enum class Reason : std::uint8_t {
    in_use,         // by another process
    no_access,      // the system refuses a file or directory, or reports an error
    not_a_journal,  // something else is in the file
    newer,          // written by a later version of Baton
    // The operator can accept the following losses (SqliteOptions::accept_loss).
    missing,   // the mark is there, the database is not
    shorter,   // the database ends before the mark
    no_mark,   // the database is there, the mark is not
    bad_mark,  // the mark cannot be read
    foreign,   // the mark belongs to another database
    damaged    // the database contradicts its checksums or itself
  };

  Refused(Reason reason, const std::string& what) : Unusable(what), reason_(reason) {}

  Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

}  // namespace baton::journal
