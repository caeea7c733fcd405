// Frames in a stream of bytes: four bytes of length, big endian, then so many bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::io {

inline constexpr std::size_t frame_header = 4;
// Enough for a client that reports some ten thousand locks at once; all other frames are far
// smaller.
inline constexpr std::size_t largest_frame = 16 * 1024 * 1024;

// Leaves room for a header, which end_frame() fills in when what the frame holds is behind it.
// Returns where the frame begins.
inline std::size_t begin_frame(std::string& out) {
  out.append(frame_header, '\0');
  return out.size() - frame_header;
}

inline void end_frame(std::string& out, std::size_t begin) {
  const std::size_t length = out.size() - begin - frame_header;
  for (std::size_t i = 0; i < frame_header; ++i) {
    out[begin + i] = static_cast<char>(length >> (8 * (frame_header - 1 - i)));
  }
}

// A frame with one protobuf message.
template <class Message>
void append_frame(std::string& out, const Message& message) {
  const std::size_t begin = begin_frame(out);
  out.resize(out.size() + message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(
      reinterpret_cast<std::uint8_t*>(out.data() + begin + frame_header));
  end_frame(out, begin);
}

// Cuts a stream of bytes into frames. It keeps only the bytes of a frame that is not complete yet.
class FrameCutter {
 public:
  enum class Outcome : std::uint8_t { fine, stopped, overlong };

  // How long a frame may be. May be changed at any time, also by take.
  void limit(std::size_t largest) { largest_ = largest; }

  // Calls take(frame) for each frame that is whole, until it returns false.
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
  Outcome cut(std::string_view& bytes, Take&& take) {
    while (bytes.size() >= frame_header) {
      const std::size_t length = length_at(bytes);
      if (length > largest_) return Outcome::overlong;
      if (bytes.size() - frame_header < length) break;
      const std::string_view frame = bytes.substr(frame_header, length);
      bytes.remove_prefix(frame_header + length);
      if (!take(frame)) return Outcome::stopped;
    }
    return Outcome::fine;
  }

  std::string rest_;
  std::size_t largest_ = largest_frame;
};

}  // namespace baton::io
