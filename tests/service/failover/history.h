// What clients have seen of the service, and oracles that judge it. They know nothing of the
// service but what it promises: nothing of servers, epochs or journals.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace baton::test {

// Somebody believed, by its own clock, to be alone with a name. Clocks of one process are one.
struct Belief {
  std::string name;
  std::size_t client = 0;
  std::uint64_t fence = 0;  // of an election: the term
  std::int64_t from_us = 0;
  std::int64_t until_us = 0;  // the last moment at which it still did
};

// Who comes later has a larger fence, and nobody comes before the one with the next smaller one has
// ceased to believe. What is wrong, if something is.
std::vector<std::string> judge(std::vector<Belief> beliefs);

// A file that is counted up by compare-and-set.
struct Count {
  std::uint64_t acknowledged = 0;
  std::uint64_t unknown = 0;  // asked for, and never answered
  std::uint64_t found = 0;    // in the end
};
std::optional<std::string> judge(const Count& count);

// Terms as an observer has heard of them.
std::optional<std::string> judge_terms(const std::vector<std::uint64_t>& terms);

// Something that must not be written by two at once, and takes nothing from who comes too late.
class FencedResource {
 public:
  // False: a newer fence has been here.
  bool write(const std::string& name, std::uint64_t fence);

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> newest_;
};

}  // namespace baton::test
