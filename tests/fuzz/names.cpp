// Names and other texts: UTF-8 as RFC 3629 has it, and nothing else.
#include "core/text.h"
#include "fuzz/fuzz.h"
#include "service/state/valid.h"

namespace baton {

namespace {

bool is_between(unsigned char byte, unsigned char least, unsigned char most) {
  return byte >= least && byte <= most;
}

// The table in section 4 of the RFC: what may be the second byte, and how many follow it.
struct Row {
  unsigned char first_least, first_most, second_least, second_most;
  std::size_t tails;
};
constexpr Row rows[] = {{0xC2, 0xDF, 0x80, 0xBF, 0}, {0xE0, 0xE0, 0xA0, 0xBF, 1},
                        {0xE1, 0xEC, 0x80, 0xBF, 1}, {0xED, 0xED, 0x80, 0x9F, 1},
                        {0xEE, 0xEF, 0x80, 0xBF, 1}, {0xF0, 0xF0, 0x90, 0xBF, 2},
                        {0xF1, 0xF3, 0x80, 0xBF, 2}, {0xF4, 0xF4, 0x80, 0x8F, 2}};

// Bytes of the letter that the text begins with; 0 if it begins with none.
std::size_t letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  for (const Row& row : rows) {
    if (!is_between(byte(0), row.first_least, row.first_most)) continue;
    const std::size_t length = 2 + row.tails;
    if (text.size() < length) return 0;
    bool is_good = is_between(byte(1), row.second_least, row.second_most);
    for (std::size_t i = 2; i < length; ++i) is_good = is_good && is_between(byte(i), 0x80, 0xBF);
    return is_good ? length : 0;
  }
  return 0;
}

bool is_utf8_by_the_table(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = letter(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"nightly-backup",   "ключ/日本/🔒", "\xED\xA0\x80",
          "\xF4\x8F\xBF\xBF", "\xC0\x80",    std::string(513, 'x')};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  const std::string_view text = fuzz::text_of(data, size);
  const bool is_utf8 = is_utf8_by_the_table(text);
  fuzz::demand(text::is_utf8(text) == is_utf8, "UTF-8 is what the RFC says");
  const bool is_name = is_utf8 && !text.empty() && text.size() <= service::longest_name;
  fuzz::demand(service::refuse_name(text).has_value() == !is_name, "names are checked");
  fuzz::demand(text::is_utf8(text::printable(text, false)), "what is printed is UTF-8");
  fuzz::demand(text::is_utf8(text::json_quoted(text)), "so is JSON");
  text::shortened(text, size % 40, "…");
  text::wrapped(text, 1 + size % 40);
  return 0;
}
