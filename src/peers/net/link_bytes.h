// Numbers and texts in a string of bytes, and out of it again. A number is a base-128 varint; a
// text has its length before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::net {

void append_varint(std::string& out, std::uint64_t number);
void append_text(std::string& out, std::string_view text);

// Takes bytes apart. Where something is missing or too long, it and all that follows is empty, and
// is_good() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t varint();
  std::string_view bytes(std::uint64_t count);
  std::string text(std::size_t longest);

  bool is_good() const { return is_good_; }
  bool is_over() const { return rest_.empty(); }

 private:
  std::uint64_t fail();

  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace baton::net
