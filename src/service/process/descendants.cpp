#include "service/process/descendants.h"

#include <dirent.h>
#include <fcntl.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "io/descriptor.h"
#include "service/process/detached.h"
#include "service/process/handle.h"

namespace baton::process {

namespace {

// The entries of a folder that are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return found;
  while (const dirent* entry = readdir(folder.get())) {
    if (const int id = std::atoi(entry->d_name); id > 0) found.push_back(id);
  }
  return found;
}

std::string folder_of(pid_t id) { return "/proc/" + std::to_string(id); }

std::vector<Process> children_of(pid_t parent) {
  std::vector<Process> children;
  const std::string tasks = folder_of(parent) + "/task";
  for (const pid_t task : numbers_in(tasks)) {
    std::istringstream ids(read_file(tasks + "/" + std::to_string(task) + "/children"));
    for (pid_t id = 0; ids >> id;) {
      const auto process = look_up(id);
      if (process && process->parent == parent) children.push_back(*process);
    }
  }
  return children;
}

// Everything that `children` leads to, except what is detached.
template <class Children>
std::vector<Process> all_below(pid_t root, const Children& children) {
  std::vector<Process> found;
  std::set<pid_t> ids{root};
  const auto add = [&](pid_t parent) {
    for (const Process& process : children(parent)) {
      if (!is_detached(process.id) && ids.insert(process.id).second) found.push_back(process);
    }
  };
  add(root);
  for (std::size_t i = 0; i < found.size(); ++i) add(found[i].id);
  return found;
}

}  // namespace

// A stream would throw where the process ends between opening and reading.
std::string read_file(const std::string& path) {
  std::string text;
  const io::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  ssize_t size = 0;
  while (file && (size = read(file.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  return text;
}

std::optional<Process> look_up(pid_t id) {
  const std::string text = read_file(folder_of(id) + "/stat");
  // The name is in brackets and may itself contain any.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Process process{.id = id, .name = text.substr(open + 1, close - open - 1)};
  std::istringstream rest(text.substr(close + 1));
  long threads = 0;
  std::string skipped;
  rest >> process.state >> process.parent;
  for (int field = 5; field <= 19; ++field) rest >> skipped;
  rest >> threads >> skipped >> process.started;
  if (!rest) return std::nullopt;
  // Where only the first thread has ended, the process looks like a zombie and is none.
  const bool ended = process.state == 'Z' || process.state == 'X';
  process.is_alive = !ended || threads > 1;
  return process;
}

std::vector<Process> descendants_of(pid_t root) {
  std::map<pid_t, std::vector<Process>> by_parent;
  for (const pid_t id : numbers_in("/proc")) {
    if (const auto process = look_up(id)) by_parent[process->parent].push_back(*process);
  }
  return all_below(root, [&](pid_t parent) { return by_parent[parent]; });
}

std::vector<Process> quick_descendants_of(pid_t root) { return all_below(root, children_of); }

bool send_signal(const Process& process, int signal) {
  const Handle handle(process.id);
  if (!handle) return false;
  const auto now = look_up(process.id);
  if (!now || now->started != process.started) return false;
  return handle.send(signal);
}

}  // namespace baton::process
