// The inside of a Lock: one acquisition, as the client knows it. The core's mutex guards it.
#pragma once

#include "baton/service.pb.h"
#include "service/client/claim.h"

namespace baton::client {
class Core;
}

namespace baton {
inline namespace v1 {
namespace detail {

struct HeldLock : client::Claim {
  explicit HeldLock(proto::Acquire acquire)
      : asked(std::move(acquire)),
        names(asked.names().begin(), asked.names().end()),
        is_shared(asked.mode() == proto::SHARED) {}

  std::shared_ptr<client::Core> core;
  proto::Acquire asked;  // as it was asked for
  std::vector<std::string> names;
  std::vector<proto::Reply::Granted::Part> parts;  // of each name
  std::atomic<std::uint64_t> fence{0};             // the largest
  std::atomic<std::uint32_t> slot{0};
  std::atomic<bool> is_shared{false};
  // Names that the server wants back, with their fences: to be acknowledged when the work on them
  // has stopped.
  std::vector<std::pair<std::string, std::uint64_t>> wanted_back;
};

}  // namespace detail
}  // namespace v1
}  // namespace baton

namespace baton::client {
using detail::HeldLock;
}
