#include "algorithms/resource/fenced_resource.h"

namespace baton {

bool FencedResource::access(const FencingToken& fence) {
  const bool refused = rule_ == Rule::refuse_smaller ? fence < highest_ : fence <= highest_;
  if (!refused) highest_ = fence;
  return !refused;
}

ReplicatedResource::ReplicatedResource(std::size_t servers, std::size_t needed)
    : servers_(servers), needed_(needed != 0 ? needed : servers / 2 + 1) {}

bool ReplicatedResource::write(const FencingToken& fence, const std::vector<bool>& reachable) {
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (reachable[i] && servers_[i].access(fence)) ++accepted;
  }
  return accepted >= needed_;
}

}  // namespace baton
