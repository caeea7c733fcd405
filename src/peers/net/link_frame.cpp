#include "peers/net/link_frame.h"

namespace baton::net {

std::size_t begin_frame(std::string& out, FrameKind kind) {
  const std::size_t begin = io::begin_frame(out);
  out.push_back(static_cast<char>(kind));
  return begin;
}

void append_frame(std::string& out, FrameKind kind, std::string_view body) {
  const std::size_t begin = begin_frame(out, kind);
  out.append(body);
  end_frame(out, begin);
}

void append_message(std::string& out, std::string_view bytes, Delivery delivery) {
  append_varint(out, bytes.size() * 2 + (delivery == Delivery::unreliable ? 1 : 0));
  out.append(bytes);
}

std::optional<FrameMessage> MessagesReader::next() {
  if (reader_.is_over()) return std::nullopt;
  const std::uint64_t header = reader_.varint();
  // A message that is too long makes this read fail.
  const std::uint64_t length = header / 2 <= largest_message ? header / 2 : UINT64_MAX;
  const std::string_view bytes = reader_.bytes(length);
  if (!reader_.is_good()) return std::nullopt;
  return FrameMessage{bytes, header % 2 == 0 ? Delivery::reliable : Delivery::unreliable};
}

}  // namespace baton::net
