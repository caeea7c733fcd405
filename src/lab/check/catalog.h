// The algorithms of the registry in the checker, independent of their types.
#pragma once

#include <span>
#include <string_view>

#include "algorithms/layer/layers.h"
#include "core/info.h"
#include "lab/check/bounds.h"
#include "lab/check/report.h"

namespace baton::check {

struct Checkable {
  const Info& (*info)() = nullptr;
  // The instance that is checked by default.
  Bounds (*bounds)(const Setup& setup) = nullptr;
  Report (*check)(const Bounds&, const CheckOptions&) = nullptr;
};

struct Entry {
  Checkable plain;
  // By Layers; empty where a combination does not exist.
  Checkable layered[layer_combinations];

  const Info& info() const { return plain.info(); }
  const Checkable& with(Layers layers) const { return layered[static_cast<std::size_t>(layers)]; }
};

// In the registry's order.
std::span<const Entry> catalog();
const Entry* find(std::string_view name);

// The machines over shared memory, wrong variants last.
std::span<const Checkable> machines();
// The membership of Resilient<> alone.
const Checkable& membership();
// The lease protocol of the service with two clients and a lock: with one server, or with two of
// which the second may take over.
const Checkable& lease();
const Checkable& lease_takeover();

}  // namespace baton::check
