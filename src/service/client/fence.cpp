#include "baton/fence.h"

#include <utility>

#include "service/client/fence_store.h"

namespace baton {
inline namespace v1 {

Fence::Pass::Pass(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Fence::Pass::Pass(Pass&&) noexcept = default;
Fence::Pass& Fence::Pass::operator=(Pass&&) noexcept = default;
Fence::Pass::~Pass() = default;

Fence::Fence(std::shared_ptr<Store> store) : store_(std::move(store)) {}
Fence::Fence(Fence&&) noexcept = default;
Fence& Fence::operator=(Fence&&) noexcept = default;
Fence::~Fence() = default;

Result<Fence> Fence::in_file(const std::string& path) {
  auto store = client::fence_in_file(path);
  if (!store) return store.failure();
  return Fence(std::move(*store));
}

Result<Fence> Fence::in_sqlite(const std::string& path, const std::string& resource) {
  auto store = client::fence_in_sqlite(path, resource);
  if (!store) return store.failure();
  return Fence(std::move(*store));
}

Result<Fence::Pass> Fence::enter(std::uint64_t token) {
  if (token == 0) return Failure{Error::bad_request, "0 is not a fencing token"};
  auto inside = store_->enter(token);
  if (!inside) return inside.failure();
  return Pass(std::move(*inside));
}

Result<void> Fence::admit(std::uint64_t token) {
  auto pass = enter(token);
  return pass ? Result<void>() : Result<void>(pass.failure());
}

Result<std::uint64_t> Fence::highest() const { return store_->highest(); }

}  // namespace v1
}  // namespace baton

namespace baton::client {

Failure stale(std::uint64_t token, std::uint64_t highest) {
  return {Error::stale,
          std::to_string(token) + ", and " + std::to_string(highest) + " has been here already"};
}

}  // namespace baton::client
