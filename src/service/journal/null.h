// A journal that keeps nothing, for a server whose state need not survive it: one with `memory:`,
// or a member of a group of peers, whose sessions and holds end with it.
#pragma once

#include "service/journal/journal.h"

namespace baton::journal {

class NullJournal final : public Journal {
 public:
  Position read(const std::function<void(Position, std::string_view)>&,
                const std::function<void(Position, std::string_view)>&) override {
    return 0;
  }
  void append(std::string, Done done) override { done({}); }
  std::size_t most_under_way() const override { return 1; }
  void snapshot(Position, std::string, Done done) override { done({}); }
  bool keeps() const override { return false; }
  void close() override {}
  std::string describe() const override { return "memory:"; }
};

}  // namespace baton::journal
