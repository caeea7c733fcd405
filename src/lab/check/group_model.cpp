#include "lab/check/group_model.h"

#include <utility>

#include "lab/check/protocol_class.h"

namespace baton::check {

GroupModel::GroupModel(const ProtocolClass& of, Bounds bounds)
    : bounds_(std::move(bounds)),
      size_(bounds_.setup.size),
      steps_(of.steps(bounds_)),
      traits_(steps_->traits()),
      application_(of.application(of.info(bounds_.setup), traits_, bounds_)),
      can_reduce_order_(bounds_.reductions.partial_order && bounds_.fifo &&
                        bounds_.budgets == Budgets{} && !bounds_.time.counts && !bounds_.order &&
                        bounds_.under_way == 0),
      locals_(size_),
      properties_(application_->properties()) {
  if (bounds_.reductions.symmetry && application_->is_symmetric()) {
    renamings_ = steps_->symmetries();
  }
  channels_.intern("", [] { return Channel{}; });  // number 0: an empty channel
}

std::uint64_t GroupModel::memory() const {
  std::uint64_t bytes =
      envelopes_.memory() + channels_.memory() + rests_.memory() + steps_->memory();
  for (const auto& locals : locals_) bytes += locals.memory();
  return bytes;
}

void GroupModel::note_send(std::uint32_t from, std::uint32_t to) const {
  std::uint64_t pairs = pair_bit(from, to);
  for (const Renaming& renaming : renamings_) pairs |= pair_bit(renaming[from], renaming[to]);
  if ((senders_.load() & pairs) != pairs) senders_ |= pairs;
}

}  // namespace baton::check
