// The result of a check: each property, and, if it is broken, the run that breaks it.
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
  std::string what{};                  // if broken: how, in a sentence
  std::vector<ScheduledStep> steps{};  // the run that breaks it
  std::vector<std::string> told{};     // the run in words, if no host can replay it
  // The first step of the run that repeats, if the run goes on for ever.
  std::optional<std::size_t> loop{};

  std::size_t length() const { return std::max(steps.size(), told.size()); }
};

// The size of a search.
struct Search {
  Stop stop = Stop::none;
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;
  std::uint32_t depth = 0;
  std::uint64_t frontier = 0;  // states found and not expanded, if the search ended early
  std::uint64_t memory = 0;
  double seconds = 0;
};

struct Report {
  Search safety = {};
  // Over FIFO channels, without symmetry and partial-order reduction.
  std::optional<Search> liveness = {};
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
  bool every = false;     // go on after the first broken property
  bool liveness = true;   // judge what must come to an end
};

}  // namespace baton::check
