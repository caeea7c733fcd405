// The report of a membership to its application after each step.
#pragma once

#include <optional>

#include "algorithms/layer/claiming.h"

namespace baton::check {

struct Standing {
  const View& view;
  bool active = false;  // free to work in the view
  bool leased = false;
  bool may_claim = false;
  std::optional<FencingToken> held;
};

}  // namespace baton::check
