#include "service/process/witness.h"

#include <algorithm>

namespace baton::process {

bool Witness::take(std::vector<Sighting>& from, int signal, pid_t sender, Time now) {
  const auto found = std::find_if(from.begin(), from.end(), [&](const Sighting& sighting) {
    return sighting.signal == signal && sighting.sender == sender && now <= sighting.until;
  });
  if (found == from.end()) return false;
  from.erase(found);
  return true;
}

void Witness::saw(int signal, pid_t sender, Time now) {
  if (take(told_, signal, sender, now)) return;
  std::erase_if(seen_, [&](const Sighting& sighting) {
    return now > sighting.until || (sighting.signal == signal && sighting.sender == sender);
  });
  seen_.push_back({signal, sender, now + memory});
}

void Witness::told(int signal, pid_t sender, Time now) {
  if (!take(seen_, signal, sender, now)) told_.push_back({signal, sender, now + patience});
}

std::vector<int> Witness::take_due(Time now) {
  std::vector<int> due;
  while (!told_.empty() && told_.front().until <= now) {
    due.push_back(told_.front().signal);
    told_.erase(told_.begin());
  }
  return due;
}

std::optional<Witness::Time> Witness::next_due() const {
  if (told_.empty()) return std::nullopt;
  return told_.front().until;
}

}  // namespace baton::process
