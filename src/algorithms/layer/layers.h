// What an algorithm can be put on: nothing, repetition of lost messages, recovery from crashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/info.h"

namespace baton {

enum class Layers : std::uint8_t { none, reliable, resilient, both };

inline constexpr std::size_t layer_combinations = 4;

// What a layer says of itself around an algorithm that says `inner`: the same but for `change`, and
// with a name that begins with `prefix`. Made once for each `change` and `inner`, and kept.
const Info& derived_info(std::string_view prefix, const Info& inner, void (*change)(Info&));

// What an algorithm that says `inner` of itself assumes and promises on these layers.
const Info& layered_info(Layers layers, const Info& inner);

}  // namespace baton
