// A journal by its name: "memory:", which keeps nothing, "sqlite:PATH", or a path, which means
// SQLite.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "service/journal/journal.h"

namespace baton::journal {

struct Options {
  // Go on without what the journal has lost, where it would otherwise refuse to be opened.
  bool accept_loss = false;
  // Is told what was lost.
  std::function<void(const std::string&)> warn;
};

// Throws Unusable.
std::unique_ptr<Journal> open(const std::string& name, const Options& options = {});

}  // namespace baton::journal
