// A fence in a file.
//
// The file has two places, each in a block of its own, which are written in turn: whatever happens
// during a write, the other place still has the token before it. A place is one line of text, with
// a sum that tells a whole line from a torn one; the larger token of the whole ones counts.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/fnv.h"
#include "io/descriptor.h"
#include "service/client/fence_store.h"

namespace baton::client {

namespace {

using io::Descriptor;

constexpr off_t place_size = 4096;
constexpr std::size_t line_size = 64;
constexpr std::string_view line_start = "baton-fence 1 token ";

// The lock of the file goes with its descriptor.
struct FileInside : Fence::Pass::Inside {
  explicit FileInside(Descriptor locked) : file(std::move(locked)) {}
  Descriptor file;
};

// "baton-fence 1 token 00000000000000000042 <16 digits>\n", padded with blanks.
std::string line_of(std::uint64_t token) {
  std::array<char, line_size + 1> text{};
  std::snprintf(text.data(), text.size(), "%s%020llu ", std::string(line_start).c_str(),
                static_cast<unsigned long long>(token));
  std::string line = text.data();
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(fnv1a(line)));
  line += text.data();
  line.resize(line_size - 1, ' ');
  return line + "\n";
}

std::optional<std::uint64_t> token_of(std::string_view line) {
  if (line.size() != line_size || !line.starts_with(line_start)) return std::nullopt;
  std::uint64_t token = 0;
  const char* digits = line.data() + line_start.size();
  if (std::from_chars(digits, digits + 20, token).ec != std::errc()) return std::nullopt;
  if (line != line_of(token)) return std::nullopt;
  return token;
}

Failure trouble(const std::string& path, const char* what) {
  return {Error::internal, std::string(what) + " the fence " + path + ": " + std::strerror(errno)};
}

class FileStore : public Fence::Store {
 public:
  explicit FileStore(std::string path) : path_(std::move(path)) {}

  Result<std::unique_ptr<Fence::Pass::Inside>> enter(std::uint64_t token) override {
    auto file = open_locked(LOCK_EX);
    if (!file) return file.failure();
    auto places = read(*file);
    if (!places) return places.failure();
    const std::uint64_t highest = std::max(places->at(0), places->at(1));
    if (token < highest) return stale(token, highest);
    if (token > highest) {
      // Over the smaller one.
      const off_t at = places->at(0) <= places->at(1) ? 0 : place_size;
      const std::string line = line_of(token);
      if (pwrite(file->get(), line.data(), line.size(), at) != static_cast<ssize_t>(line.size()))
        return trouble(path_, "cannot write");
    }
    // Another process may have written the same token and died before it synced the file.
    if (synced_ != token && fdatasync(file->get()) != 0) return trouble(path_, "cannot sync");
    synced_ = token;
    return std::unique_ptr<Fence::Pass::Inside>(new FileInside(std::move(*file)));
  }

  Result<std::uint64_t> highest() override {
    auto file = open_locked(LOCK_SH);
    if (!file) return file.failure();
    auto places = read(*file);
    if (!places) return places.failure();
    return std::max(places->at(0), places->at(1));
  }

 private:
  // Each time anew, so that threads of one process exclude each other as well.
  Result<Descriptor> open_locked(int how) {
    Descriptor file(open(path_.c_str(), O_RDWR | O_CLOEXEC));
    if (file.get() < 0) return trouble(path_, "cannot open");
    while (flock(file.get(), how) != 0)
      if (errno != EINTR) return trouble(path_, "cannot lock");
    return file;
  }

  // An empty file has seen no token. One with text of which nothing is whole has seen some.
  Result<std::array<std::uint64_t, 2>> read(const Descriptor& file) {
    std::array<std::uint64_t, 2> tokens{};
    bool has_text = false;
    bool has_token = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::array<char, line_size> line{};
      const ssize_t count =
          pread(file.get(), line.data(), line.size(), static_cast<off_t>(i) * place_size);
      if (count < 0) return trouble(path_, "cannot read");
      const std::string_view text(line.data(), static_cast<std::size_t>(count));
      const auto token = token_of(text);
      tokens[i] = token.value_or(0);
      has_token = has_token || token.has_value();
      has_text = has_text || text.find_first_not_of('\0') != std::string_view::npos;
    }
    if (has_text && !has_token)
      return Failure{Error::internal,
                     "the fence " + path_ +
                         " is damaged, or not a fence: put a file with the highest token that the "
                         "resource has seen in its place"};
    return tokens;
  }

  std::string path_;
  std::atomic<std::uint64_t> synced_{0};
};

}  // namespace

Result<std::shared_ptr<Fence::Store>> fence_in_file(const std::string& path) {
  const int made = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0 && errno != EEXIST) return trouble(path, "cannot create");
  if (made >= 0) {
    const Descriptor file(made);
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    const Descriptor parent(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() < 0 || fsync(file.get()) != 0 || fsync(parent.get()) != 0)
      return trouble(path, "cannot sync");
  }
  auto store = std::make_shared<FileStore>(path);
  auto highest = store->highest();
  if (!highest) return highest.failure();
  return std::shared_ptr<Fence::Store>(std::move(store));
}

}  // namespace baton::client
