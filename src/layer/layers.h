// What an algorithm can be put on: nothing, repetition of lost messages, recovery from crashes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton {

enum class Layers : std::uint8_t { none, reliable, resilient, both };

inline constexpr std::size_t layer_combinations = 4;

}  // namespace baton
