// The reliable messages to one member, from when they are sent until they are confirmed.
//
// They are numbered 0, 1, 2, … and kept as they stand in frames, one behind the other, so that what
// has to be repeated after a broken connection is only copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace baton::net {

class LinkQueue {
 public:
  void append(std::string_view message);
  // Appends what has not been written to `frame`: at least one message, and no more than about so
  // many bytes.
  void write(std::string& frame, std::size_t about_bytes);

  // So many have arrived. False if this cannot be.
  bool confirm(std::uint64_t count);
  // On a new connection: so many have arrived, and the others have to be written again.
  bool resume(std::uint64_t count);
  // Forgets all, and numbers from 0.
  void clear();

  bool is_untouched() const { return written_most_ == 0; }  // nothing was ever written
  bool has_unwritten() const { return written_bytes_ < bytes_.size(); }
  std::size_t unwritten_bytes() const { return bytes_.size() - written_bytes_; }
  // With what it takes to keep them.
  std::size_t unconfirmed_bytes() const {
    return bytes_.size() - begin_ + sizes_.size() * sizeof(std::uint32_t);
  }

 private:
  void drop_until(std::uint64_t count);

  std::string bytes_;
  std::size_t begin_ = 0;            // in bytes_, of what is unconfirmed
  std::size_t written_bytes_ = 0;    // of bytes_
  std::deque<std::uint32_t> sizes_;  // of the unconfirmed messages
  std::uint64_t confirmed_ = 0;
  std::uint64_t written_ = 0;       // on this connection
  std::uint64_t written_most_ = 0;  // on any
};

}  // namespace baton::net
