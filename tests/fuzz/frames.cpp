// A stream of bytes into frames: in whatever portions it comes, the frames are the same, and an
// overlong one is refused at the same place.
#include "io/frames.h"

#include "baton/client.pb.h"
#include "fuzz/fuzz.h"
#include "service/state/versions.h"

namespace baton {

namespace {

using io::FrameCutter;

struct Cut {
  std::vector<std::string> frames;
  FrameCutter::Outcome outcome = FrameCutter::Outcome::fine;

  bool operator==(const Cut&) const = default;
};

// The reference: one byte after another.
Cut one_by_one(std::string_view bytes) {
  Cut cut;
  while (bytes.size() >= io::frame_header) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < io::frame_header; ++i) {
      length = length * 256 + static_cast<unsigned char>(bytes[i]);
    }
    if (length > io::largest_frame) {
      cut.outcome = FrameCutter::Outcome::overlong;
      return cut;
    }
    if (bytes.size() < io::frame_header + length) return cut;
    cut.frames.emplace_back(bytes.substr(io::frame_header, length));
    bytes.remove_prefix(io::frame_header + length);
  }
  return cut;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  proto::ClientMessage hello;
  hello.mutable_hello()->set_protocol(service::protocol_version);
  std::string stream = {1, 3, 7};
  for (int i = 0; i < 4; ++i) io::append_frame(stream, hello);
  return {stream, stream + std::string("\xFF\xFF\xFF\xFF rest"), {5, 0, 0, 0, 0, 0}};
}

}  // namespace baton

// The first byte says how large the portions are.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  if (size == 0) return 0;
  const std::size_t portion = 1 + data[0] % 23;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  FrameCutter cutter;
  Cut cut;
  for (std::size_t at = 0; at < bytes.size() && cut.outcome == FrameCutter::Outcome::fine;
       at += portion) {
    cut.outcome = cutter.feed(bytes.substr(at, portion), [&](std::string_view frame) {
      cut.frames.emplace_back(frame);
      return true;
    });
    fuzz::demand(cutter.half_arrived() <= bytes.size(), "no more is kept than has come");
  }
  fuzz::demand(cut == one_by_one(bytes), "the frames do not depend on the portions");
  return 0;
}
