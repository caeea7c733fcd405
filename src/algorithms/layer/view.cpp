#include "algorithms/layer/view.h"

namespace baton {

Setup setup_of(const View& view, const Setup& configured) {
  Setup setup = default_setup(static_cast<std::uint32_t>(view.members.size()));
  setup.protocol = configured.protocol;
  setup.tree = configured.tree;
  for (const Chosen& one : configured.chosen) {
    if (!one.parameter->depends_on_size) setup.chosen.push_back(one);
  }
  setup.delay_bound = configured.delay_bound;
  const NodeId proposer = view.dense(view.epoch.proposer);
  if (proposer != nobody) setup.coordinator = proposer;
  for (const ViewMember& member : view.members) {
    if (!configured.identities.empty()) {
      setup.identities.push_back(configured.identity(member.node));
    }
    if (!configured.capacities.empty()) {
      setup.capacities.push_back(configured.capacity(member.node));
    }
  }
  return setup;
}

}  // namespace baton
