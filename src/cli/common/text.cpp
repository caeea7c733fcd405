#include "cli/common/text.h"

#include "core/nearest.h"

namespace baton::cli {

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string best = nearest(typed, candidates);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace baton::cli
