// Callbacks that must not come any more once something is over.
#pragma once

#include <memory>
#include <utility>

namespace baton::io {

class Calls {
 public:
  // Nothing that was wrapped before is called any more.
  void drop() { alive_ = std::make_shared<bool>(true); }

  template <class Function>
  auto wrap(Function function) const {
    return [alive = std::weak_ptr<bool>(alive_),
            function = std::move(function)](auto&&... arguments) mutable {
      if (!alive.expired()) function(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace baton::io
