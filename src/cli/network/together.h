// A group at work: all members do the same at the same time, and the controller watches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/network/process_group.h"

namespace baton::cli {

struct TogetherWork {
  std::vector<WorkResult> members;
  double seconds = 0;  // from the first order to the last answer

  std::uint64_t done() const;
  // Of all members' waiting times.
  double median_wait_us() const;
  double mean_wait_us() const;
  double longest_wait_us() const;
};

struct Orders {
  std::string verb;  // "count", "bank"
  std::string path;
  std::string lock;
  std::uint64_t times = 0;  // of all members, divided between them
};

// Hears what else a member says before it is done: a word, and the rest.
using Listener =
    std::function<void(NodeId member, const std::string& word, const std::string& rest)>;

// Throws ProcessGroupError if a member is gone or nothing goes on for long, and Interrupted.
TogetherWork work_together(ProcessGroup& group, const Orders& orders,
                           const Listener& listener = {});

// Thrown where a group has to end because this process is to end.
struct Interrupted {
  int signal = 0;
};

// Lasts as long as a demo does. Signals that end this process wait until it is removed.
class DemoFolder {
 public:
  DemoFolder();
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// What it throws becomes a line and an exit code; when it is interrupted, so is this process.
Action group_action(std::function<int()> what);

}  // namespace baton::cli
