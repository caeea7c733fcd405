#include "cli/network/shared_number.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>

#include "cli/network/process_group.h"

namespace baton::cli {

SharedNumber::SharedNumber(const std::string& path)
    : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (file_ < 0) throw ProcessGroupError("cannot open " + path);
}

SharedNumber::~SharedNumber() { ::close(file_); }

void SharedNumber::create(const std::string& path, std::int64_t value) {
  std::ofstream file(path);
  file << value << "\n";
  if (!file.flush()) throw ProcessGroupError("cannot write " + path);
}

std::int64_t SharedNumber::read() const {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(file_, text.data(), text.size(), 0);
  std::int64_t value = 0;
  if (count > 0) std::from_chars(text.data(), text.data() + count, value);
  return value;
}

// What a longer number leaves behind the end of the line is not read.
void SharedNumber::write(std::int64_t value) const {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%lld\n", static_cast<long long>(value));
  if (::pwrite(file_, text.data(), static_cast<std::size_t>(size), 0) != size) {
    throw ProcessGroupError("cannot write the shared file");
  }
}

}  // namespace baton::cli
