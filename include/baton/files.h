// Small files of the service, up to 64 KiB: versions, compare-and-set, tied to a session or
// lasting, and watches that miss nothing.
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
  std::uint64_t tied_to = 0;   // the session with which it goes, or 0
};
struct FileList {
  std::vector<File> files;     // by key
  std::uint64_t revision = 0;  // watch after this one
};
struct Stored {
  std::uint64_t version = 0;
  std::uint64_t revision = 0;
};
struct PutOptions {
  std::optional<std::uint64_t>
      version{};              // that it must have, or Error::conflict; 0: there is none
  bool tied = false;          // goes when the session goes
  std::uint64_t tied_to = 0;  // the same, of another session than this client's
};

struct FileChange {
  std::uint64_t revision = 0;
  bool removed = false;
  std::string key;
  std::string value;
  std::uint64_t version = 0;
  std::uint64_t tied_to = 0;
};

// Goes on until the object goes; after that nothing is called any more, unless it is under way on
// another thread.
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
  std::optional<std::uint64_t> after{};  // this revision; none: from now on
  // The watch has ended: Error::compacted (list anew, then watch after that), or the session's end.
  std::function<void(const Failure&)> on_end{};
};

}  // namespace v1
}  // namespace baton
