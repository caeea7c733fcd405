#include "lab/check/interning.h"

namespace baton::check {

void Encoding::operator()(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<char>(number | 0x80));
  bytes_.push_back(static_cast<char>(number));
}

std::pair<Id, bool> Encodings::number_of(std::string&& encoding, Id next) {
  const auto [found, is_new] = ids_.try_emplace(std::move(encoding), next);
  return {found->second, is_new};
}

}  // namespace baton::check
