// What came of a check: each property, and how it is broken if it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule.h"
#include "lab/check/bounds.h"
#include "lab/check/explore_options.h"

namespace baton::check {

struct Finding {
  enum class Verdict : std::uint8_t {
    holds,
    broken,
    undecided  // the search ended before all was seen
  };
  std::string property = {};
  Verdict verdict = Verdict::undecided;
  std::string what{};                  // where broken: how, in a sentence
  std::vector<ScheduledStep> steps{};  // ... and by which run
  std::vector<std::string> told{};     // ... in words, where no host can follow it
  std::optional<std::size_t> loop{};   // its first step that repeats, if it goes on for ever

  std::size_t length() const { return std::max(steps.size(), told.size()); }
};

// How much was searched.
struct Search {
  Stop stop = Stop::none;
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;
  std::uint32_t depth = 0;
  std::uint64_t frontier = 0;  // found and not looked at, where the search ended early
  std::uint64_t memory = 0;
  double seconds = 0;
};

struct Report {
  Search safety = {};
  std::optional<Search> liveness = {};  // over FIFO channels, without symmetry and partial orders
  std::vector<Finding> findings = {};
  bool fingerprints = false;  // hash compaction was used

  const Finding* broken() const {
    for (const Finding& finding : findings) {
      if (finding.verdict == Finding::Verdict::broken) return &finding;
    }
    return nullptr;
  }
  bool is_exhausted() const {
    return safety.stop == Stop::none && (!liveness || liveness->stop == Stop::none);
  }
};

struct CheckOptions {
  ExploreOptions explore = {};
  Promises demands = {};  // judged although the algorithm does not promise them
  bool every = false;     // goes on after the first broken property
  bool liveness = true;   // whether what must come to an end is judged
};

}  // namespace baton::check
