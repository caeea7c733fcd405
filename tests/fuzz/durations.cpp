// Lengths of time as people type them.
#include "cli/service/duration.h"
#include "core/duration.h"
#include "fuzz/fuzz.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  return {"500ms", "10s", "1.5m", "1h30m", "2d", "7", "0.25", "3650d", "1us", "99999999999d"};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  const auto time = parse_duration(fuzz::text_of(data, size));
  if (!time) return 0;
  fuzz::demand(time->count() >= 0, "no length is negative");
  fuzz::demand(parse_duration(cli::typed(*time)) == time, "it can be typed as it is said");
  fuzz::demand(!cli::spoken(*time).empty(), "and be said");
  return 0;
}
