#include "service/server/frames.h"

#include <google/protobuf/message_lite.h>

namespace baton::server {

void append_frame(std::string& out, const google::protobuf::MessageLite& message) {
  const std::size_t length = message.ByteSizeLong();
  const std::size_t begin = out.size();
  out.resize(begin + frame_header + length);
  auto* at = reinterpret_cast<std::uint8_t*>(out.data() + begin);
  for (std::size_t i = 0; i < frame_header; ++i) {
    at[i] = static_cast<std::uint8_t>(length >> (8 * (frame_header - 1 - i)));
  }
  message.SerializeWithCachedSizesToArray(at + frame_header);
}

}  // namespace baton::server
