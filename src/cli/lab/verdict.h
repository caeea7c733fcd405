// How the judgement on a promise is told, the same for every kind of run.
#pragma once

#include <string>

#include "core/info.h"

namespace baton::cli {

struct Verdict {
  Promise promise{};
  bool judged = false;   // promised, or demanded on the command line
  std::string broken{};  // when and how, or "" if it was kept
  std::string unseen{};  // why it could not be judged, or ""
};

// One line, or "" where there is nothing to say: not judged, and not broken either.
std::string line_of(const Verdict& verdict, bool ascii);

}  // namespace baton::cli
