// What stands behind a Lock: one acquisition, as the client knows it. The core's mutex guards it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "baton/lock.h"
#include "baton/service.pb.h"

namespace baton::client {
class Core;
}

namespace baton {
inline namespace v1 {
namespace detail {

struct HeldLock {
  enum class State : std::uint8_t { asked, held, lost, released };

  std::shared_ptr<client::Core> core;
  proto::Acquire asked;  // as it was asked for
  std::vector<std::string> names;
  std::atomic<State> state{State::asked};
  std::vector<proto::Reply::Granted::Part> parts;  // of each name
  std::atomic<std::uint64_t> fence{0};             // the largest
  std::atomic<std::uint32_t> slot{0};
  std::atomic<bool> is_shared{false};
  Failure why{Error::none, {}};
  std::stop_source lost;
  std::vector<std::function<void(const Failure&)>> on_lost;
  std::vector<std::function<void(bool)>> on_jeopardy;
  // Names that the server wants back, with their fences: to be acknowledged when the work on them
  // has stopped.
  std::vector<std::pair<std::string, std::uint64_t>> wanted_back;
};

}  // namespace detail
}  // namespace v1
}  // namespace baton
