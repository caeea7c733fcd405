#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "cli/command.h"

namespace baton::cli {

namespace {

// 0, or why not. A file that is there is left as it is, and one that is not is not left behind.
int cannot_write(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return EISDIR;
    return access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  close(file);
  unlink(path.c_str());
  return 0;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const int why = cannot_write(path_)) {
    throw UsageError("cannot write to '" + path_ + "': " + std::strerror(why));
  }
}

void OutputFile::fail() const {
  throw std::runtime_error("writing to '" + path_ + "' failed: " + std::strerror(errno));
}

}  // namespace baton::cli
