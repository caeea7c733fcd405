// The mark beside a journal: exactly what was written, or nothing.
#include "service/journal/mark.h"

#include "fuzz/fuzz.h"
#include "service/journal/refused.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  const std::string id = "0123456789abcdef0123456789abcdef";
  return {journal::encode({id, 1, 1}), journal::encode({id, 18446744073709551615U, 42}),
          "baton-mark 0002 and more\n"};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  const std::string_view text = fuzz::text_of(data, size);
  try {
    const auto mark = journal::decode_mark(text);
    if (mark) fuzz::demand(journal::encode(*mark) == text, "a mark is read as it was written");
  } catch (const journal::Refused& refused) {
    fuzz::demand(refused.reason() == journal::Refused::Reason::newer,
                 "only newer ones are refused");
  }
  return 0;
}
