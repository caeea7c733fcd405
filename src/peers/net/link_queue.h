// The reliable messages to one member, from send() until the member has confirmed them.
//
// They are numbered 0, 1, 2, … The queue keeps them as they stand in frames, one behind the other,
// so that it only copies bytes when it sends messages again after a broken connection.
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
  // Appends messages that are not written yet to `frame`: at least one message, and no more than
  // about so many bytes.
  void write(std::string& frame, std::size_t about_bytes);

  // The other end has received so many messages in all. False if this end never sent so many.
  bool confirm(std::uint64_t count);
  // On a new connection: the other end has received so many messages in all; write() writes the
  // others again.
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
