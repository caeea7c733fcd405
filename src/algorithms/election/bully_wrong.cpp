#include "algorithms/election/bully_wrong.h"

namespace baton {

WrongBullyImpatient::WrongBullyImpatient(NodeId self, const Setup& setup) : Bully(self, setup) {
  answer_within_ = setup.delay_bound;
}

const Info& WrongBullyImpatient::info() {
  static const Info info = [] {
    Info believed = variant_of(Bully::info());
    believed.name = "wrong-bully-impatient";
    believed.title = "Bully with a timeout that is too short";
    believed.idea = "as Bully, but waits for an answer as long as one message may take, not two";
    believed.election_costs.clear();
    believed.seeds.clear();
    believed.flaws = {{Promise::everyone_learns,
                       {},
                       "a process that is only slow to answer is taken for crashed; two lead at "
                       "once, and who hears the lower one last stays with it"}};
    return believed;
  }();
  return info;
}

}  // namespace baton
