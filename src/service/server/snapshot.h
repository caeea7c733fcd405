// The image of a state as bytes that a journal can keep (proto/baton/journal.proto, Snapshot).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/state/state.h"

namespace baton::server {

struct Snapshot {
  std::uint64_t epoch = 0;  // of the last leadership
  service::StateImage image;
};

// The snapshot is damaged, or a later version wrote it.
class UnreadableSnapshot : public std::exception {
 public:
  explicit UnreadableSnapshot(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

std::string encode(const Snapshot& snapshot);
Snapshot decode_snapshot(std::string_view bytes);

}  // namespace baton::server
