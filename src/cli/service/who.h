// Who somebody is, for people.
#pragma once

#include <string>

#include "baton/info.h"

namespace baton::cli {

// "ann@host"
inline std::string place_of(const Who& who) { return who.user + "@" + who.host; }

}  // namespace baton::cli
