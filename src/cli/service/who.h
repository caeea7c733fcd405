// Who somebody is, for people and for programs.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <string>

#include "baton/info.h"

namespace baton::cli {

// "ann@host"
inline std::string place_of(const Who& who) { return who.user + "@" + who.host; }

inline boost::json::object json_of_who(const Who& who) {
  return {{"host", who.host}, {"user", who.user}, {"process", who.process}};
}

inline double seconds_of(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1e6;
}

}  // namespace baton::cli
