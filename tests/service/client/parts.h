// What tests of the client's parts have in common: an outbox whose host is the test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/client/held_lock.h"
#include "service/client/outbox.h"

namespace baton::test {

// What is to be sent; it is taken out.
inline std::vector<proto::ClientMessage> sent(client::Outbox& out) {
  std::vector<proto::ClientMessage> all;
  const std::string frames = std::exchange(out.frames, {});
  for (std::size_t at = 0; at < frames.size();) {
    std::size_t length = 0;
    for (const std::size_t end = at + 4; at < end; ++at)
      length = length << 8 | static_cast<unsigned char>(frames[at]);
    all.emplace_back().ParseFromString(frames.substr(at, length));
    at += length;
  }
  return all;
}

inline void make_calls(client::Outbox& out) {
  while (!out.calls.empty()) {
    const auto call = std::move(out.calls.front());
    out.calls.pop_front();
    call();
  }
}

inline proto::Request acquire_of(const std::vector<std::string>& names, std::uint64_t owner = 1) {
  proto::Request request;
  for (const std::string& name : names) request.mutable_acquire()->add_names(name);
  request.mutable_acquire()->set_owner(owner);
  return request;
}

inline std::shared_ptr<client::HeldLock> asked_for(const proto::Request& acquire) {
  return std::make_shared<client::HeldLock>(acquire.acquire());
}

inline proto::Reply::Granted granted(std::uint64_t fence) {
  proto::Reply::Granted granted;
  granted.set_fence(fence);
  return granted;
}

}  // namespace baton::test
