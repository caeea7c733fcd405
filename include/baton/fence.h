// For the resource: rejects the tokens of outdated holders.
//
//   auto fence = baton::Fence::in_file("/srv/data/.fence").value();
//   auto pass = fence.enter(token);   // the holder's lock.fence()
//   if (!pass) return refuse(pass.message());
//   ... write, while the pass lives ...
//
// A lock alone cannot stop a process that was paused while its lease expired: it resumes and does
// not know. The resource knows, because it has seen a larger token than the one that this process
// shows. The fence writes the highest token to disk before it admits anybody with it, so the token
// survives kill -9 and power loss at any moment. A token equal to the highest comes from the same
// holder, and the fence admits it.
//
// Any number of processes may use the same file or table. Fences do not work on network file
// systems.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "baton/export.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

class BATON_EXPORT Fence {
 public:
  // The fence of one resource. Creates the file if there is none.
  static Result<Fence> in_file(const std::string& path);
  // Uses the row `resource` of the table baton_fence in a SQLite database, and creates both if
  // necessary.
  static Result<Fence> in_sqlite(const std::string& path, const std::string& resource);

  Fence(Fence&&) noexcept;
  Fence& operator=(Fence&&) noexcept;
  ~Fence();

  // While a pass lives, the fence admits nobody else. So the work under a pass ends before a newer
  // holder can begin.
  class BATON_EXPORT Pass {
   public:
    Pass(Pass&&) noexcept;
    Pass& operator=(Pass&&) noexcept;
    ~Pass();

    struct Inside;

   private:
    friend class Fence;
    explicit Pass(std::unique_ptr<Inside> inside);
    std::unique_ptr<Inside> inside_;
  };

  // Waits until other passes have ended. Error::stale if the fence has seen a newer token.
  Result<Pass> enter(std::uint64_t token);
  // Checks the token without a pass: a newer holder can begin before the caller acts on the answer.
  Result<void> admit(std::uint64_t token);
  // 0 if the fence has seen no token yet.
  Result<std::uint64_t> highest() const;

  struct Store;

 private:
  explicit Fence(std::shared_ptr<Store> store);
  std::shared_ptr<Store> store_;
};

}  // namespace v1
}  // namespace baton
