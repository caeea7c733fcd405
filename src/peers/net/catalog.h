// The algorithms of the registry that can run between real processes: all that survive crashes with
// the help of views (algorithms/layer/in_views.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/any_protocol.h"

namespace baton::net {

// In the registry's order.
std::span<const AnyClass* const> catalog();
const AnyClass* find(std::string_view name);
// Why there is no such algorithm here.
std::string why_not_runnable(std::string_view name);

// Why this algorithm would break its promises between real processes: it assumes something that
// neither the network nor a layer provides. Empty if it keeps them.
std::string objection_to(const AnyClass& algorithm);

}  // namespace baton::net
