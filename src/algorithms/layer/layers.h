// The layers that an algorithm can run on: none, retransmission of lost messages, recovery from
// crashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/info.h"

namespace baton {

enum class Layers : std::uint8_t { none, reliable, resilient, both };

inline constexpr std::size_t layer_combinations = 4;

// A layer's description of itself around an algorithm described by `inner`: the same except for
// `change`, and with a name that begins with `prefix`. Built once for each `change` and `inner`,
// and kept.
const Info& derived_info(std::string_view prefix, const Info& inner, void (*change)(Info&));

// The assumptions and promises of an algorithm with description `inner` on these layers.
const Info& layered_info(Layers layers, const Info& inner);

}  // namespace baton
