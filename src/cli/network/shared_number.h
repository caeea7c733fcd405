// A number in a file that several processes change: read, and written, by two calls of the system.
#pragma once

#include <cstdint>
#include <string>

namespace baton::cli {

class SharedNumber {
 public:
  // Throws ProcessGroupError if the file is not there.
  explicit SharedNumber(const std::string& path);
  ~SharedNumber();
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;

  static void create(const std::string& path, std::int64_t value);

  std::int64_t read() const;
  void write(std::int64_t value) const;
  // As somebody would add who has never heard of locks.
  void increment() const { write(read() + 1); }

 private:
  int file_;
};

}  // namespace baton::cli
