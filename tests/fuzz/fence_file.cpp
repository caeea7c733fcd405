// The file of a Fence, whatever is in it: refused, or from then on no token goes back.
#include "baton/fence.h"

#include "fuzz/fuzz.h"

namespace baton {

namespace {

struct Place {
  fuzz::Scratch scratch;
  std::string path = scratch.file("fence");
};

// What a fence writes for a token.
std::string line_of(std::uint64_t token) {
  const Place place;
  Fence::in_file(place.path)->admit(token).value();
  const std::string text = fuzz::read_file(place.path);
  return text.substr(0, text.find('\n') + 1);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const Place place;
  std::vector<std::string> all;
  auto fence = Fence::in_file(place.path).value();
  for (const std::uint64_t token : {7U, 42U, 1'000'000'000U}) {
    fence.admit(token).value();
    all.push_back(read_file(place.path));
  }
  return all;
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  static const Place place;
  fuzz::write_file(place.path, fuzz::text_of(data, size));
  auto fence = Fence::in_file(place.path);
  if (!fence) return 0;
  const auto highest = fence->highest();
  if (!highest) {
    fuzz::demand(!fence->admit(UINT64_MAX), "what cannot be read lets nobody in");
    return 0;
  }
  if (*highest > 0) {
    fuzz::demand(fuzz::text_of(data, size).find(line_of(*highest)) != std::string_view::npos,
                 "only what was written whole counts");
    fuzz::demand(!fence->admit(*highest - 1), "an older token is refused");
  }
  fuzz::demand(fence->admit(*highest).ok() == (*highest > 0), "the highest is let in again");
  if (*highest == UINT64_MAX) return 0;
  fuzz::demand(fence->admit(*highest + 1).ok(), "and so is a newer one");
  fuzz::demand(fence->highest().value() == *highest + 1, "which is then the highest");
  fuzz::demand(!fence->admit(*highest), "and the one before is old");
  if (*highest > 0) {
    fuzz::demand(fuzz::read_file(place.path).find(line_of(*highest)) != std::string::npos,
                 "which is left in its place, in case that the write is torn");
  }
  return 0;
}
