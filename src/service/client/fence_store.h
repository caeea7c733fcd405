// Where a Fence keeps the highest token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "baton/fence.h"

namespace baton {
inline namespace v1 {

// Keeps everybody else out while it lives.
struct Fence::Pass::Inside {
  virtual ~Inside() = default;
};

struct Fence::Store {
  virtual ~Store() = default;
  // The token is the highest, durably, and nobody else is inside; or Error::stale.
  virtual Result<std::unique_ptr<Pass::Inside>> enter(std::uint64_t token) = 0;
  virtual Result<std::uint64_t> highest() = 0;
};

}  // namespace v1
}  // namespace baton

namespace baton::client {

Failure stale(std::uint64_t token, std::uint64_t highest);

Result<std::shared_ptr<Fence::Store>> fence_in_file(const std::string& path);
Result<std::shared_ptr<Fence::Store>> fence_in_sqlite(const std::string& path,
                                                      const std::string& resource);

}  // namespace baton::client
