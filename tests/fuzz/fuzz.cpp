#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace baton::fuzz {

void demand(bool is_kept, const char* promise) {
  if (is_kept) return;
  std::fprintf(stderr, "a promise is broken: %s\n", promise);
  std::abort();
}

std::uint64_t Input::number(std::size_t bytes) {
  std::uint64_t value = 0;
  for (; bytes > 0; --bytes) {
    value <<= 8;
    if (rest_.empty()) continue;
    value |= static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
  }
  return value;
}

std::string_view Input::piece() {
  const std::size_t length = number(2);
  const std::string_view taken = rest_.substr(0, length);
  rest_.remove_prefix(taken.size());
  return taken;
}

std::string as_piece(std::string_view bytes) {
  bytes = bytes.substr(0, 0xFFFF);
  std::string piece;
  piece.push_back(static_cast<char>(bytes.size() >> 8));
  piece.push_back(static_cast<char>(bytes.size() & 0xFF));
  return piece.append(bytes);
}

Scratch::Scratch() {
  const bool has_memory = access("/dev/shm", W_OK) == 0;
  const auto parent = has_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  path_ = (parent / "baton-fuzz-XXXXXX").string();
  demand(mkdtemp(path_.data()) != nullptr, "there is a scratch folder");
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace baton::fuzz
