#include "service/process/takedown.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace baton::process {

namespace {

using Clock = std::chrono::steady_clock;

// Longer from time to time, since each look at all processes costs something.
class Pause {
 public:
  void operator()() {
    poll(nullptr, 0, milliseconds_);
    milliseconds_ = std::min(2 * milliseconds_, 50);
  }

 private:
  int milliseconds_ = 2;
};

// Whether there are any children besides those just reaped.
bool reap_and_ask_for_children() {
  pid_t ended = 0;
  while ((ended = waitpid(-1, nullptr, WNOHANG | __WALL)) > 0) {
  }
  return ended == 0;
}

bool none_alive(const std::vector<Process>& processes) {
  return std::none_of(processes.begin(), processes.end(),
                      [](const Process& process) { return process.is_alive; });
}

std::vector<Process> only_alive(std::vector<Process> processes) {
  std::erase_if(processes, [](const Process& process) { return !process.is_alive; });
  return processes;
}

}  // namespace

std::vector<Process> Takedown::without_spared(const std::vector<Process>& below) const {
  std::vector<Process> found;
  std::set<pid_t> passed_over = spared;
  for (const Process& process : below) {
    if (passed_over.contains(process.id) || passed_over.contains(process.parent)) {
      passed_over.insert(process.id);
    } else {
      found.push_back(process);
    }
  }
  return found;
}

std::vector<Process> Takedown::kill_all(std::chrono::milliseconds patience) const {
  const auto deadline = Clock::now() + patience;
  // Where children are spared the kernel's word cannot be had: then two looks must find nothing.
  Pause pause;
  for (int empty_looks = 0;; pause()) {
    if (cgroup != nullptr && !cgroup->is_empty()) cgroup->kill_all();
    const bool has_children = reap_and_ask_for_children();
    if (!has_children && (cgroup == nullptr || cgroup->is_empty())) return {};
    for (const Process& process : without_spared(quick_descendants_of(getpid()))) {
      send_signal(process, SIGKILL);
    }
    const std::vector<Process> found = without_spared(descendants_of(getpid()));
    for (const Process& process : found) send_signal(process, SIGKILL);
    empty_looks = none_alive(found) ? empty_looks + 1 : 0;
    if (empty_looks >= 2 && (cgroup == nullptr || cgroup->is_empty())) return {};
    if (Clock::now() >= deadline) return only_alive(found);
  }
}

void Takedown::ask_all_to_end(std::chrono::milliseconds grace, pid_t reaper,
                              const std::function<void()>& meanwhile) const {
  const auto deadline = Clock::now() + grace;
  std::set<std::pair<pid_t, std::uint64_t>> asked;
  for (Pause pause; Clock::now() < deadline; pause()) {
    meanwhile();
    std::vector<Process> found = without_spared(descendants_of(getpid()));
    std::erase_if(found, [&](const Process& process) { return process.id == reaper; });
    if (none_alive(found)) return;
    for (const Process& process : found) {
      if (!asked.emplace(process.id, process.started).second) continue;
      send_signal(process, SIGTERM);
      send_signal(process, SIGCONT);
    }
  }
}

std::string describe(const std::vector<Process>& processes) {
  std::string text;
  for (const Process& process : processes) {
    if (!text.empty()) text += ", ";
    text += std::to_string(process.id) + " (" + process.name + ")";
  }
  return text;
}

}  // namespace baton::process
