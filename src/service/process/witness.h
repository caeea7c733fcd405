// Separates two kinds of signals: a signal to the foreground alone, which the reaper passes on to
// the command, and a signal to the whole process group, which the command has received itself.
//
// The reaper is a member of the group as well. A signal to the group reaches it too, within
// microseconds but in no certain order; so what the foreground got is passed on unless the reaper
// gets the same from the same sender within a moment.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

namespace baton::process {

class Witness {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // How long the reaper waits for its own copy, and how long it remembers one that the foreground
  // has not told of.
  static constexpr std::chrono::milliseconds patience{20};
  static constexpr std::chrono::milliseconds memory{1000};

  // The reaper got it itself.
  void saw(int signal, pid_t sender, Time now);
  // The foreground got it.
  void told(int signal, pid_t sender, Time now);

  // The signals that are now known to be for the command alone, in the order told.
  std::vector<int> take_due(Time now);
  std::optional<Time> next_due() const;

 private:
  struct Sighting {
    int signal;
    pid_t sender;
    Time until;
  };
  static bool take(std::vector<Sighting>& from, int signal, pid_t sender, Time now);

  std::vector<Sighting> seen_;
  std::vector<Sighting> told_;
};

}  // namespace baton::process
