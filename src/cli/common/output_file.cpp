#include "cli/common/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "cli/common/command.h"

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

// Where a link leads, so that it is not the link that is replaced.
std::string meant(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const int why = cannot_write(path_)) {
    throw UsageError("cannot write to '" + path_ + "': " + std::strerror(why));
  }
}

std::string OutputFile::begin() const {
  struct stat found {};
  const bool exists = stat(path_.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) return path_;
  std::string beside = meant(path_) + ".XXXXXX";
  const int file = mkstemp(beside.data());
  if (file < 0) return path_;
  // Who may read it is as before, and for a new file as for any other.
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t mode = exists ? found.st_mode & 07777U : 0666U & ~mask;
  const bool same = fchmod(file, mode) == 0;
  close(file);
  if (same) return beside;
  unlink(beside.c_str());
  return path_;
}

void OutputFile::finish(const std::string& written) const {
  if (written != path_ && rename(written.c_str(), meant(path_).c_str()) != 0) fail(written);
}

void OutputFile::fail(const std::string& written) const {
  const int why = errno;
  if (written != path_) unlink(written.c_str());
  throw std::runtime_error("writing to '" + path_ + "' failed: " + std::strerror(why));
}

}  // namespace baton::cli
