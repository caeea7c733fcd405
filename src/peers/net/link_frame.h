// The frames between two members: docs/formats/peers.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/frames.h"
#include "peers/net/link_bytes.h"

namespace baton::net {

inline constexpr std::size_t largest_message = 1024 * 1024;

// The first byte of a frame.
enum class FrameKind : char { hello = 'H', refusal = 'R', messages = 'M' };

// A frame is written around what is appended between its beginning and its end.
std::size_t begin_frame(std::string& out, FrameKind kind);
using io::end_frame;
// Appends a whole frame with this body.
void append_frame(std::string& out, FrameKind kind, std::string_view body);

// Unreliable: sent while connected, and not again.
enum class Delivery : std::uint8_t { reliable, unreliable };
void append_message(std::string& out, std::string_view bytes, Delivery delivery);

struct FrameMessage {
  std::string_view bytes;
  Delivery delivery;
};

// Reads a frame of messages, behind its kind.
class MessagesReader {
 public:
  explicit MessagesReader(std::string_view body) : reader_(body), confirmed_(reader_.varint()) {}

  // How many reliable messages the sender has received.
  std::uint64_t confirmed() const { return confirmed_; }
  // None at the end, and where the frame is not well-formed.
  std::optional<FrameMessage> next();
  bool is_good() const { return reader_.is_good(); }

 private:
  ByteReader reader_;
  std::uint64_t confirmed_;
};

}  // namespace baton::net
