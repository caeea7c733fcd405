#include "algorithms/resource/resource_id.h"

namespace baton {

std::string ResourceId::text() const {
  if (*this == gate) return "gate";
  std::string letters;
  for (std::uint64_t rest = std::uint64_t{value} + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

}  // namespace baton
