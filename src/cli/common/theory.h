// What theory says, and whether a measurement agrees, as `baton compare` writes them.
#pragma once

#include <boost/json.hpp>
#include <cmath>
#include <string>

#include "cli/common/text.h"
#include "core/info.h"

namespace baton::cli {

inline std::string text_of(const Expected& expected) {
  if (expected.low == expected.high) return number(expected.low);
  return number(expected.low) + ".." + (std::isinf(expected.high) ? "inf" : number(expected.high));
}

inline std::string text_of(double value, double half_width, bool ascii) {
  if (half_width == 0) return number(value);
  return number(value) + (ascii ? " +-" : " ±") + number(half_width);
}

inline std::string mark_of(bool agrees, bool ascii) {
  if (agrees) return ascii ? " ok" : " ✓";
  return ascii ? " DIFFERS" : " ✗";
}

inline boost::json::value json_of(const Expected& expected) {
  if (expected.low == expected.high) return expected.low;
  return {{"low", expected.low},
          {"high", std::isinf(expected.high) ? boost::json::value(nullptr)
                                             : boost::json::value(expected.high)}};
}

inline boost::json::value json_of(double value) {
  return std::isnan(value) ? boost::json::value(nullptr) : boost::json::value(value);
}

}  // namespace baton::cli
