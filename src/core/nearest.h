// The name that somebody who mistyped one may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton {

// The candidate that is nearest to what was typed, or nothing if none is really near: a suggestion
// that nobody meant is worse than none.
//
// A letter too many, a letter missing, a wrong letter, and two neighbouring letters swapped are one
// mistake each. A wrong first letter counts as two, since people seldom mistype it. There may be a
// mistake for every three letters of the shorter name, and three in all. A part of a name that begins
// one of its words is near, too: "agrawala" is ricart-agrawala, and "simulate" is sim.
std::string nearest(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace baton
