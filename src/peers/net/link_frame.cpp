#include "peers/net/link_frame.h"

#include "io/frame_cutter.h"

namespace baton::net {

std::size_t begin_frame(std::string& out, FrameKind kind) {
  const std::size_t begin = out.size();
  out.append(loop::frame_header, '\0');
  out.push_back(static_cast<char>(kind));
  return begin;
}

void end_frame(std::string& out, std::size_t begin) {
  const std::size_t length = out.size() - begin - loop::frame_header;
  for (std::size_t i = 0; i < loop::frame_header; ++i) {
    out[begin + i] = static_cast<char>(length >> (8 * (loop::frame_header - 1 - i)));
  }
}

void append_message(std::string& out, std::string_view bytes, Delivery delivery) {
  append_varint(out, bytes.size() * 2 + (delivery == Delivery::unreliable ? 1 : 0));
  out.append(bytes);
}

std::optional<FrameMessage> MessagesReader::next() {
  if (reader_.is_over()) return std::nullopt;
  const std::uint64_t header = reader_.varint();
  // One that is too long is not there: this fails.
  const std::uint64_t length = header / 2 <= largest_message ? header / 2 : UINT64_MAX;
  const std::string_view bytes = reader_.bytes(length);
  if (!reader_.is_good()) return std::nullopt;
  return FrameMessage{bytes, header % 2 == 0 ? Delivery::reliable : Delivery::unreliable};
}

}  // namespace baton::net
