// The algorithms of the registry that can run between real processes: all that can be made to
// survive crashes (layer/in_views.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/info.h"
#include "net/instance.h"

namespace baton::net {

struct Runnable {
  const Info& (*info)() = nullptr;
  std::unique_ptr<Instance> (*make)(InstanceHost&, InstanceOptions) = nullptr;
  bool starts = false;  // on its own: all members must know that it is used
};

// In the registry's order.
std::span<const Runnable> catalog();
const Runnable* find(std::string_view name);
// Why there is no such algorithm here.
std::string why_not_runnable(std::string_view name);

// Why this algorithm would not keep its promises between real processes: what it assumes that
// neither the network nor a layer provides. Empty if it would.
std::string objection_to(const Runnable& algorithm);

}  // namespace baton::net
