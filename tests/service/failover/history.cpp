#include "service/failover/history.h"

#include <algorithm>
#include <tuple>

namespace baton::test {

namespace {

std::string describe(const Belief& belief) {
  return "client " + std::to_string(belief.client) + " with fence " + std::to_string(belief.fence) +
         " from " + std::to_string(belief.from_us) + " until " + std::to_string(belief.until_us);
}

}  // namespace

std::vector<std::string> judge(std::vector<Belief> beliefs) {
  std::sort(beliefs.begin(), beliefs.end(), [](const Belief& a, const Belief& b) {
    return std::tie(a.name, a.fence) < std::tie(b.name, b.fence);
  });
  std::vector<std::string> wrong;
  const Belief* latest = nullptr;  // of those before, the one that ends last
  const Belief* before = nullptr;
  for (const Belief& belief : beliefs) {
    if (before != nullptr && before->name != belief.name) latest = before = nullptr;
    if (before != nullptr && before->fence == belief.fence) {
      wrong.push_back(belief.name + ": one fence twice: " + describe(*before) + "; " +
                      describe(belief));
    } else if (latest != nullptr && belief.from_us <= latest->until_us) {
      wrong.push_back(belief.name + ": a newer fence before the end of an older: " +
                      describe(*latest) + "; " + describe(belief));
    }
    if (latest == nullptr || belief.until_us > latest->until_us) latest = &belief;
    before = &belief;
  }
  return wrong;
}

std::optional<std::string> judge(const Count& count) {
  const std::string words = "counted to " + std::to_string(count.found) + ", of which " +
                            std::to_string(count.acknowledged) + " were acknowledged and " +
                            std::to_string(count.unknown) + " may have been";
  if (count.found < count.acknowledged) return "lost: " + words;
  if (count.found > count.acknowledged + count.unknown) return "done twice: " + words;
  return std::nullopt;
}

std::optional<std::string> judge_terms(const std::vector<std::uint64_t>& terms) {
  for (std::size_t i = 1; i < terms.size(); ++i) {
    if (terms[i] > terms[i - 1]) continue;
    return "term " + std::to_string(terms[i]) + " came after " + std::to_string(terms[i - 1]);
  }
  return std::nullopt;
}

bool FencedResource::write(const std::string& name, std::uint64_t fence) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& newest = newest_[name];
  if (fence < newest) return false;
  newest = fence;
  return true;
}

}  // namespace baton::test
