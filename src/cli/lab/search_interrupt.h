// Ctrl-C during a search: the search ends, and the command prints what was found until then.
#pragma once

#include <atomic>

namespace baton::cli {

// As long as it lives, the first Ctrl-C only sets the flag. The second one ends the process, as it
// would without this. Where SIGINT is ignored, it stays ignored.
class SearchInterrupt {
 public:
  SearchInterrupt();
  ~SearchInterrupt();
  SearchInterrupt(const SearchInterrupt&) = delete;
  SearchInterrupt& operator=(const SearchInterrupt&) = delete;

  static bool has_come() { return *flag(); }
  // For the search, which looks at it now and then.
  static const std::atomic<bool>* flag();
};

}  // namespace baton::cli
