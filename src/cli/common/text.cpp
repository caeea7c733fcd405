#include "cli/common/text.h"

#include "core/nearest.h"

namespace baton::cli {

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += i + 1 == words.size() ? last : ", ";
    all += words[i];
  }
  return all;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string best = nearest(typed, candidates);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace baton::cli
