// Wraps callbacks, so that none of them runs after their owner has cancelled them or is gone.
#pragma once

#include <memory>
#include <utility>

namespace baton::io {

class Calls {
 public:
  // Callbacks that were wrapped before do nothing any more.
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
