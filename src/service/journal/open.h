// A journal by its name: "memory:", which keeps nothing, "sqlite:PATH", or a path, which means
// SQLite.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "service/journal/journal.h"

namespace baton::journal {

struct Options {
  // Open a journal that has lost records, and continue without them, instead of throwing.
  bool accept_loss = false;
  // Called with a message about each loss.
  std::function<void(const std::string&)> warn;
};

// Throws Unusable.
std::unique_ptr<Journal> open(const std::string& name, const Options& options = {});

}  // namespace baton::journal
