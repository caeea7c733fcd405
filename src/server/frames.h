// Frames of the client protocol: four bytes of length, big endian, then one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace baton::server {

// What a client that reclaims some ten thousand locks at once needs; all else is far smaller.
inline constexpr std::size_t largest_frame = 16 * 1024 * 1024;
inline constexpr std::size_t frame_header = 4;

void append_frame(std::string& out, const google::protobuf::MessageLite& message);

// Cuts a stream of bytes into frames. Takes no room while there is no frame half arrived, and for
// one that is, no more than has come of it.
class FrameCutter {
 public:
  enum class Outcome : std::uint8_t { fine, stopped, overlong };

  // take(frame) is called for each frame that is whole, until it returns false.
  template <class Take>
  Outcome feed(std::string_view bytes, Take&& take) {
    if (rest_.empty()) {
      const Outcome outcome = cut(bytes, take);
      if (outcome == Outcome::fine) rest_.assign(bytes);
      return outcome;
    }
    rest_.append(bytes);
    std::string_view all = rest_;
    const Outcome outcome = cut(all, take);
    if (outcome != Outcome::fine) return outcome;
    if (all.empty()) {
      std::string().swap(rest_);
    } else if (all.size() < rest_.size()) {
      rest_ = std::string(all);
    }
    return outcome;
  }

  std::size_t half_arrived() const { return rest_.size(); }

 private:
  static std::size_t length_at(std::string_view bytes) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < frame_header; ++i) {
      length = length << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return length;
  }

  template <class Take>
  static Outcome cut(std::string_view& bytes, Take&& take) {
    while (bytes.size() >= frame_header) {
      const std::size_t length = length_at(bytes);
      if (length > largest_frame) return Outcome::overlong;
      if (bytes.size() - frame_header < length) break;
      const std::string_view frame = bytes.substr(frame_header, length);
      bytes.remove_prefix(frame_header + length);
      if (!take(frame)) return Outcome::stopped;
    }
    return Outcome::fine;
  }

  std::string rest_;
};

}  // namespace baton::server
