// Small files of the service, up to 64 KiB. They have versions and compare-and-set, last or go with
// a session, and can be watched without gaps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baton/export.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

namespace detail {
struct Access;
struct Watching;
}  // namespace detail

struct File {
  std::string key;
  std::string value;
  std::uint64_t version = 0;   // counts the changes of this file, from 1
  std::uint64_t revision = 0;  // of its last change, among all changes
  std::uint64_t tied_to = 0;   // the file goes when this session ends; 0: it stays
};
struct FileList {
  std::vector<File> files;     // by key
  std::uint64_t revision = 0;  // a watch after this revision continues from here
};
struct Stored {
  std::uint64_t version = 0;
  std::uint64_t revision = 0;
};
struct PutOptions {
  // The version that the file must have, else Error::conflict; 0: the file must not exist.
  std::optional<std::uint64_t> version{};
  bool tied = false;          // the file goes when this client's session ends
  std::uint64_t tied_to = 0;  // likewise, with the session of another client
};

struct FileChange {
  std::uint64_t revision = 0;
  bool removed = false;
  std::string key;
  std::string value;
  std::uint64_t version = 0;
  std::uint64_t tied_to = 0;
};

// The destructor ends the watch. It calls nothing afterwards, except for a callback that already
// runs on another thread.
class BATON_EXPORT Watch {
 public:
  Watch() = default;
  Watch(Watch&&) noexcept = default;
  Watch& operator=(Watch&& other) noexcept;
  ~Watch();

 private:
  friend struct detail::Access;
  explicit Watch(std::shared_ptr<detail::Watching> watching) : watching_(std::move(watching)) {}

  std::shared_ptr<detail::Watching> watching_;
};

struct WatchOptions {
  std::optional<std::uint64_t> after{};  // continue after this revision; none: from now on
  // Called when the watch ends: with Error::compacted (list anew, then watch after that revision),
  // or because the session ended.
  std::function<void(const Failure&)> on_end{};
};

}  // namespace v1
}  // namespace baton
