// Makes files and directories that survive a power failure and that no other user can read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "io/descriptor.h"

namespace baton::journal {

using io::Descriptor;

// All of these throw std::system_error with the file's name in it.

// Opens for reading and writing, creating it (0600) if need be.
Descriptor open_file(const std::filesystem::path& path);
void sync_file(const Descriptor& file, const std::filesystem::path& path);
// Without its times.
void sync_data(const Descriptor& file, const std::filesystem::path& path);
// The names in it.
void sync_directory(const std::filesystem::path& path);
// With those above it; new ones are 0700.
void make_directories(const std::filesystem::path& path);
void cut(const Descriptor& file, std::size_t size, const std::filesystem::path& path);
void write_at_start(const Descriptor& file, std::string_view text,
                    const std::filesystem::path& path);

// Locks a file, so that no other process can, until it is destroyed. The file stays: if one process
// removed it, two processes could lock two files of the same name.
class LockFile {
 public:
  // Throws Refused (in_use) as well.
  explicit LockFile(const std::filesystem::path& path);

 private:
  Descriptor file_;
};

}  // namespace baton::journal
