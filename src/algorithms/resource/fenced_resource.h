// A resource that is safe from outdated holders: it remembers the highest fence it has seen and
// refuses any access with a smaller one (core/fence.h).
//
// The Article writes that a server should "reject any command with an epoch e ≤ F". Taken
// literally, that refuses a holder's own second access, whose fence equals the one remembered from
// its first. Only e < F is outdated. The literal rule is kept to show this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/fence.h"

namespace baton {

class FencedResource {
 public:
  enum class Rule : std::uint8_t {
    refuse_smaller,            // e < F
    refuse_smaller_and_equal,  // e ≤ F: the Article taken literally
  };

  explicit FencedResource(Rule rule = Rule::refuse_smaller) : rule_(rule) {}

  // True if the resource accepted the access. It remembers the fence of every accepted access.
  bool access(const FencingToken& fence);
  const FencingToken& highest() const { return highest_; }

 private:
  Rule rule_;
  FencingToken highest_{};
};

// The same resource kept by several servers, of which some may be down or out of reach. Each
// remembers its own highest fence, durably. A write succeeds if enough servers accept it.
//
// With majorities, a write never succeeds after one with a larger fence: the two majorities have a
// server in common, and that server refuses. With fewer than a majority there may be no such
// server, and the outdated write succeeds.
class ReplicatedResource {
 public:
  // `needed` servers must accept a write; 0 stands for a majority.
  explicit ReplicatedResource(std::size_t servers, std::size_t needed = 0);

  // `reachable` says of each server whether the write reaches it. A server that accepts keeps the
  // fence even if the write as a whole fails; nobody needs to undo that.
  bool write(const FencingToken& fence, const std::vector<bool>& reachable);

  std::size_t needed() const { return needed_; }
  const FencedResource& server(std::size_t index) const { return servers_[index]; }

 private:
  std::vector<FencedResource> servers_;
  std::size_t needed_;
};

}  // namespace baton
