#include "service/journal/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "service/journal/refused.h"

namespace baton::journal {

namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  const int error = errno;
  throw std::system_error(error, std::generic_category(),
                          fmt::format("cannot {} {}", what, path.string()));
}

std::string content(const Descriptor& file) {
  std::array<char, 64> buffer{};
  const ssize_t size = pread(file.get(), buffer.data(), buffer.size(), 0);
  std::string text(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Descriptor open_file(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) fail("open", path);
  return file;
}

void sync_file(const Descriptor& file, const std::filesystem::path& path) {
  if (fsync(file.get()) != 0) fail("sync", path);
}

void sync_data(const Descriptor& file, const std::filesystem::path& path) {
  if (fdatasync(file.get()) != 0) fail("sync", path);
}

void sync_directory(const std::filesystem::path& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) fail("open", path);
  if (fsync(directory.get()) != 0) fail("sync", path);
}

void make_directories(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return;
    errno = ENOTDIR;
    fail("use", path);
  }
  if (errno != ENOENT) fail("use", path);
  make_directories(path.parent_path());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("create", path);
  sync_directory(path.parent_path());
}

void cut(const Descriptor& file, std::size_t size, const std::filesystem::path& path) {
  if (ftruncate(file.get(), static_cast<off_t>(size)) != 0) fail("cut", path);
}

void write_at_start(const Descriptor& file, std::string_view text,
                    const std::filesystem::path& path) {
  const ssize_t written = pwrite(file.get(), text.data(), text.size(), 0);
  if (written == static_cast<ssize_t>(text.size())) return;
  if (written >= 0) errno = ENOSPC;
  fail("write", path);
}

LockFile::LockFile(const std::filesystem::path& path) : file_(open_file(path)) {
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("lock", path);
    const std::string process = content(file_);
    throw Refused(
        Refused::Reason::in_use,
        fmt::format("another process{} has the journal open (it holds {}): stop it first, or use "
                    "another journal",
                    process.empty() ? "" : " (" + process + ")", path.string()));
  }
  // For the message above, no more.
  cut(file_, 0, path);
  write_at_start(file_, fmt::format("process {}\n", getpid()), path);
}

}  // namespace baton::journal
