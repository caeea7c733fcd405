// The latest changes of files and leaders, so that a watch can continue after a reconnect.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "service/state/command.h"
#include "service/state/state.h"

namespace baton::service {

class Changes {
 public:
  Changes() = default;
  Changes(Revision last, const std::vector<Change>& kept);

  // Gives it the next revision; forgets the oldest where there are too many.
  const Change& add(Change change);

  Revision last() const { return last_; }
  std::vector<Change> kept() const { return {kept_.begin(), kept_.end()}; }
  std::optional<std::vector<Change>> since(Revision after, Watched watched,
                                           std::string_view prefix) const;

 private:
  void keep(Change change);

  std::deque<Change> kept_;  // their revisions are consecutive, up to the last
  std::size_t bytes_ = 0;
  Revision last_;
};

}  // namespace baton::service
