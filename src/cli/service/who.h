// Who somebody is, for people.
#pragma once

#include <string>

#include "baton/info.h"

namespace baton::cli {

// A client over HTTP is known by its address, and by no process.
inline bool is_over_http(const Who& who) { return who.user.empty() && who.process == 0; }

// "ann@host", "http 127.0.0.1:52318"
inline std::string place_of(const Who& who) {
  if (is_over_http(who)) return "http " + who.host;
  return who.user.empty() ? who.host : who.user + "@" + who.host;
}

// "4711", or nothing where no process is known.
inline std::string process_of(const Who& who) {
  return who.process == 0 ? "" : std::to_string(who.process);
}

// "ann@host, process 4711", "http 127.0.0.1:52318"
inline std::string described(const Who& who) {
  const std::string process = process_of(who);
  return place_of(who) + (process.empty() ? "" : ", process " + process);
}

}  // namespace baton::cli
