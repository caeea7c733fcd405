#include "service/journal/mark.h"

#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "service/journal/checksum.h"
#include "service/journal/refused.h"

namespace baton::journal {

namespace {

constexpr unsigned mark_format = 1;

std::string body(const Mark& mark) {
  return fmt::format("baton-mark {:04} journal {} position {:020} floor {:020}", mark_format,
                     mark.journal, mark.position, mark.floor);
}

}  // namespace

std::string encode(const Mark& mark) {
  const std::string text = body(mark);
  return fmt::format("{} checksum {:08x}\n", text, checksum(0, text));
}

std::optional<Mark> decode_mark(std::string_view text) {
  const std::string line(text);
  unsigned format = 0;
  if (std::sscanf(line.c_str(), "baton-mark %u", &format) != 1) return std::nullopt;
  if (format > mark_format) {
    throw Refused(Refused::Reason::newer,
                  fmt::format("the journal's mark has format {}, and this version of Baton knows "
                              "up to {}: use a version that is as new as the journal",
                              format, mark_format));
  }
  char id[33] = {};
  Mark mark;
  if (std::sscanf(line.c_str(), "baton-mark %*u journal %32s position %" SCNu64 " floor %" SCNu64,
                  id, &mark.position, &mark.floor) != 3) {
    return std::nullopt;
  }
  mark.journal = id;
  if (line != encode(mark)) return std::nullopt;
  return mark;
}

std::optional<Mark> MarkFile::read() const {
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return decode_mark(text);
}

void MarkFile::begin(const Mark& mark) {
  const bool is_new = !exists();
  file_ = open_file(path_);
  const std::string text = encode(mark);
  write_at_start(file_, text, path_);
  cut(file_, text.size(), path_);
  sync_file(file_, path_);
  if (is_new) sync_directory(path_.parent_path());
}

}  // namespace baton::journal
