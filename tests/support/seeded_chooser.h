// Choices for tests that arrange a world before any host runs.
#pragma once

#include <cstdint>

#include "core/outbox.h"
#include "lab/sim/random.h"

namespace baton::test {

class SeededChooser : public Chooser {
 public:
  explicit SeededChooser(std::uint64_t seed) : random_(seed, 77) {}
  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(random_.below(bound));
  }

 private:
  sim::Random random_;
};

}  // namespace baton::test
