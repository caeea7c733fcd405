// Frames in a stream of bytes: four bytes of length, big endian, then so many bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::loop {

inline constexpr std::size_t frame_header = 4;
inline constexpr std::size_t largest_frame = 16 * 1024 * 1024;

// Cuts a stream of bytes into frames. Takes no room while there is no frame half arrived, and for
// one that is, no more than has come of it.
class FrameCutter {
 public:
  enum class Outcome : std::uint8_t { fine, stopped, overlong };

  // How long a frame may be. May be changed at any time, also by take.
  void limit(std::size_t largest) { largest_ = largest; }

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

}  // namespace baton::loop
