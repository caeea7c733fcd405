// The mark: a small file beside the database that says how far the journal has come.
//
// SQLite does not notice that its write-ahead log was deleted or cut short, or that the database is
// an older copy. The mark shows it. The journal overwrites the mark after every commit and before
// it acknowledges the record, so that the mark is exact if only the process dies. A thread of its
// own syncs the mark a little later, so that no append waits for a second sync; after a power
// failure the mark may lack the last appends.
//
// The mark is one line of text. It has a fixed length, shorter than a disk's sector, so that the
// disk writes it whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "service/journal/files.h"
#include "service/journal/journal.h"

namespace baton::journal {

struct Mark {
  std::string journal;  // its id
  Position position = 0;
  std::uint64_t floor = 0;
};

std::string encode(const Mark& mark);
// Throws Refused (newer). Nothing if it is not a mark, or a damaged one.
std::optional<Mark> decode_mark(std::string_view text);

class MarkFile {
 public:
  explicit MarkFile(std::filesystem::path path) : path_(std::move(path)) {}

  bool exists() const { return std::filesystem::exists(path_); }
  std::optional<Mark> read() const;
  // Creates it if need be; returns when it is durable.
  void begin(const Mark& mark);
  void write(const Mark& mark) { write_at_start(file_, encode(mark), path_); }
  void sync() { sync_data(file_, path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace baton::journal
