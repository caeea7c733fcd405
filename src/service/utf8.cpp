#include "service/utf8.h"

#include <algorithm>

#include "service/valid.h"

namespace baton::service {

std::size_t first_letter(std::string_view text) {
  constexpr std::size_t longest = 4;
  for (std::size_t size = 1; size <= std::min(longest, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return size;
  }
  return 0;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = first_letter(text);
    if (size == 0) {
      result += '?';
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

}  // namespace baton::service
