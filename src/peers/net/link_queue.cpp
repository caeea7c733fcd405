#include "peers/net/link_queue.h"

#include <algorithm>

#include "core/invariant.h"
#include "peers/net/link_frame.h"

namespace baton::net {

namespace {

constexpr std::size_t queue_room_kept = 64 * 1024;

}  // namespace

void LinkQueue::append(std::string_view message) {
  const std::size_t before = bytes_.size();
  append_message(bytes_, message, Delivery::reliable);
  sizes_.push_back(static_cast<std::uint32_t>(bytes_.size() - before));
}

void LinkQueue::write(std::string& frame, std::size_t about_bytes) {
  const std::size_t from = written_bytes_;
  while (has_unwritten() && written_bytes_ - from < about_bytes) {
    written_bytes_ += sizes_[static_cast<std::size_t>(written_ - confirmed_)];
    ++written_;
  }
  frame.append(bytes_, from, written_bytes_ - from);
  written_most_ = std::max(written_most_, written_);
}

bool LinkQueue::confirm(std::uint64_t count) {
  if (count < confirmed_ || count > written_) return false;
  drop_until(count);
  return true;
}

bool LinkQueue::resume(std::uint64_t count) {
  if (count < confirmed_ || count > written_most_) return false;
  drop_until(count);
  written_ = count;
  written_bytes_ = begin_;
  return true;
}

void LinkQueue::clear() { *this = LinkQueue(); }

void LinkQueue::drop_until(std::uint64_t count) {
  invariant(count - confirmed_ <= sizes_.size(), "more messages are confirmed than were sent");
  for (; confirmed_ < count; ++confirmed_) {
    begin_ += sizes_.front();
    sizes_.pop_front();
  }
  // Room is made when at least half of it is free, so that each byte is moved once on average.
  if (begin_ == bytes_.size() && bytes_.capacity() <= queue_room_kept) {
    bytes_.clear();
  } else if (begin_ > queue_room_kept && begin_ >= bytes_.size() / 2) {
    bytes_ = bytes_.substr(begin_);
  } else {
    return;
  }
  written_bytes_ -= std::min(written_bytes_, begin_);
  begin_ = 0;
}

}  // namespace baton::net
