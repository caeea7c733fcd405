#include "service/process/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "io/descriptor.h"

namespace baton::process {

namespace {

const std::string name_start = "baton-run-";

bool write_to(const std::string& path, const std::string& text) {
  const io::Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The cgroup of this process as the hierarchy counts: the line "0::/path".
std::optional<std::string> own_name() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return std::nullopt;
}

struct Mount {
  std::string root;   // what of the hierarchy is mounted
  std::string point;  // where
};

std::optional<Mount> mount_of_cgroups() {
  std::ifstream file("/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string id, parent, device;
    Mount mount;
    if (fields >> id >> parent >> device >> mount.root >> mount.point) return mount;
  }
  return std::nullopt;
}

// The folder of the cgroup that this process is in.
std::optional<std::string> own_folder() {
  const auto name = own_name();
  const auto mount = mount_of_cgroups();
  if (!name || !mount || name->find("/..") != std::string::npos) return std::nullopt;
  if (mount->root == "/") return mount->point + (*name == "/" ? "" : *name);
  if (!name->starts_with(mount->root)) return std::nullopt;
  return mount->point + name->substr(mount->root.size());
}

std::vector<std::string> members_of(const std::string& folder) {
  std::vector<std::string> members;
  std::ifstream file(folder + "/cgroup.procs");
  for (std::string line; std::getline(file, line);) members.push_back(line);
  return members;
}

void remove_tree(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) remove_tree(entry.path());
  }
  rmdir(folder.c_str());
}

}  // namespace

std::optional<Cgroup> Cgroup::make() {
  const auto above = own_folder();
  if (!above) return std::nullopt;
  const std::string path = *above + "/" + name_start + std::to_string(getpid());
  // One of the same name is left over from a run of which every process was killed.
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return std::nullopt;
  Cgroup made(path);
  if (made.is_empty() && access((path + "/cgroup.kill").c_str(), W_OK) == 0) return made;
  rmdir(path.c_str());
  return std::nullopt;
}

bool Cgroup::enter() const { return write_to(path_ + "/cgroup.procs", "0"); }

void Cgroup::kill_all() const { write_to(path_ + "/cgroup.kill", "1"); }

bool Cgroup::is_empty() const {
  std::ifstream file(path_ + "/cgroup.events");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("populated ")) return line == "populated 0";
  }
  return true;
}

void Cgroup::let_go() const {
  const std::string above = path_.substr(0, path_.rfind('/'));
  // A process that forks while it is moved may leave its child behind: look again a few times.
  for (int attempt = 0; attempt < 10 && !is_empty(); ++attempt) {
    for (const std::string& member : members_of(path_)) write_to(above + "/cgroup.procs", member);
  }
}

void Cgroup::remove() const { remove_tree(path_); }

void leave_cgroup_of_run() {
  for (auto folder = own_folder(); folder; folder = own_folder()) {
    const std::size_t slash = folder->rfind('/');
    if (slash == std::string::npos ||
        folder->compare(slash + 1, name_start.size(), name_start) != 0)
      return;
    if (!write_to(folder->substr(0, slash) + "/cgroup.procs", "0")) return;
  }
}

}  // namespace baton::process
