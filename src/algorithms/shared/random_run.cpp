#include "algorithms/shared/random_run.h"

namespace baton {

void RunAccount::note(NodeId process, Section before, Section after) {
  ++report_.steps;
  if (before == after) return;
  if (before == Section::outside) began_[process.value] = report_.steps;
  if (after == Section::waiting) {
    waited_entries_[process.value] = 0;
    passed_[process.value] = report_.steps;
  }
  if (before == Section::inside) --inside_;
  if (after != Section::inside) return;

  ++report_.entries;
  ++report_.entries_of[process.value];
  if (inside_++ > 0) {
    ++report_.violations;
    if (!report_.violated_step) report_.violated_step = report_.steps;
  }
  waited_entries_[process.value].reset();
  for (std::size_t i = 0; i < waited_entries_.size(); ++i) {
    std::optional<std::uint64_t>& waited = waited_entries_[i];
    if (!waited) continue;
    if (++*waited > report_.longest_wait_entries) {
      report_.longest_wait_entries = *waited;
      report_.longest_wait_step = report_.steps;
    }
    if (passed_[i] < began_[process.value]) {
      ++report_.inversions;
      if (!report_.inverted_step) report_.inverted_step = report_.steps;
    }
  }
}

}  // namespace baton
