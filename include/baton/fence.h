// For the resource's side: refuses the tokens of holders that are out of date.
//
//   auto fence = baton::Fence::in_file("/srv/data/.fence").value();
//   auto pass = fence.enter(token);   // the holder's lock.fence()
//   if (!pass) return refuse(pass.message());
//   ... write, while the pass lives ...
//
// A lock alone cannot stop a process that was paused while its lease ran out and then goes on: it
// does not know. A resource that has seen a larger token than the one it is shown does know. The
// highest token is kept durably before anybody is let in under it, and survives kill -9 and power
// loss at any moment. A token equal to the highest is the same holder's again, and is let in.
//
// Any number of processes may use the same file or table. Fences are not for network file systems.
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
  // Of one resource; the file is created if there is none.
  static Result<Fence> in_file(const std::string& path);
  // The row `resource` of the table baton_fence of a SQLite database, both created if need be.
  static Result<Fence> in_sqlite(const std::string& path, const std::string& resource);

  Fence(Fence&&) noexcept;
  Fence& operator=(Fence&&) noexcept;
  ~Fence();

  // While it lives, nobody else is let in: what is done meanwhile is done before anything that a
  // newer holder does.
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

  // Waits for other passes to end. Error::stale if a newer token has been seen.
  Result<Pass> enter(std::uint64_t token);
  // Only the judgement: whoever acts on it can be overtaken by a newer holder in between.
  Result<void> admit(std::uint64_t token);
  // 0 if there was none yet.
  Result<std::uint64_t> highest() const;

  struct Store;

 private:
  explicit Fence(std::shared_ptr<Store> store);
  std::shared_ptr<Store> store_;
};

}  // namespace v1
}  // namespace baton
