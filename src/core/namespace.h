// Locks and elections have separate names: a lock 'x' has nothing to do with an election 'x'.
#pragma once

#include <cstdint>

namespace baton {

enum class Namespace : std::uint8_t { lock, election };

}  // namespace baton
