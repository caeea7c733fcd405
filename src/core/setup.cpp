#include "core/setup.h"

namespace baton {

Setup default_setup(std::uint32_t size) {
  Setup setup;
  setup.size = size;
  setup.tree = Tree::star();
  setup.voting = best_voting_sets(size);
  setup.votes_needed = size / 2 + 1;
  setup.voters_asked = size;
  return setup;
}

}  // namespace baton
