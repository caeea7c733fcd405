// Replaces a state by the one that stands for all states like it. Three steps, each of which turns
// more states into the same one:
// 1. simplify(): drops from messages what makes no difference to their receiver.
// 2. close_gaps(): moves logical clocks and sequence numbers closer together. Only their order and
//    small gaps matter.
// 3. find_representative(): of all states that differ only in the processes' names it keeps one.
//
// Example of step 2, with a gap of 2. One state has the clocks 4 and 7 at two processes and the
// stamp 9 in a message; another has 5, 8 and 10. From left to right, each number keeps its distance
// from the one before it (from 0 at first), but at most 2:
//   4, 7, 9    distances 4, 3, 2    become 2, 2, 2    so the numbers are 2, 4, 6
//   5, 8, 10   distances 5, 3, 2    become 2, 2, 2    so the numbers are 2, 4, 6
//   5, 8, 9    distances 5, 3, 1    become 2, 2, 1    so the numbers are 2, 4, 5
// The first two states are one. The third stays apart: a process that receives the 8 moves its
// clock to 9, and with 9 elsewhere that is a tie, which the protocol may decide otherwise. Every
// occurrence of a number in the state moves, so that comparisons give the same answers.
//
// Example of step 3, with three processes that the protocol treats alike: (inside, waiting, idle)
// and (idle, inside, waiting) differ by the renaming 0→1, 1→2, 2→0. The six renamings of three
// processes give up to six states. Renaming moves each process's state and each channel to its new
// place, and replaces the ids in them. The worker compares the resulting rows of part numbers and
// keeps the least.
#include <algorithm>
#include <bit>
#include <utility>

#include "lab/check/group_worker.h"
#include "lab/check/rewrite.h"

namespace baton::check {

void GroupModel::Worker::normalize(State& state) {
  if (!m_->traits_.rewritable) return;
  if (m_->bounds_.reductions.canonical) {
    if (m_->traits_.simplifies) simplify(state);
    close_gaps(state);
  }
  if (!m_->renamings_.empty()) find_representative(state);
}

// Drops from messages under way what makes no difference to their receivers.
void GroupModel::Worker::simplify(State& state) {
  for (std::uint32_t from = 0; from < size_; ++from) {
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (from == to) continue;
      Id& channel = state.part[m_->channel(from, to)];
      if (channel == 0 || !summary(state, to).up) continue;
      const Id receiver = state.part[to];
      channel = cache_.get({key(Op::simplify, to << 4 | from, channel), receiver}, [&] {
        const Id process = m_->locals_[to][receiver].local.protocol;
        return changed_letters(channel, [&](Envelope& envelope) {
          envelope.message =
              m_->steps_->simplified(envelope.message, NodeId{from}, NodeId{to}, process);
        });
      });
    }
  }
}

void GroupModel::Worker::close_gaps(State& state) {
  const Domain domains = m_->traits_.numbers_by_process ? size_ + 1 : 1;
  Numbers all{};
  for (std::uint32_t part = 0; part < m_->rest(); ++part) {
    if (part >= size_ && state.part[part] == 0) continue;
    const Numbers& here = numbers_in(part, state.part[part]);
    for (Domain domain = 0; domain < domains; ++domain) all[domain] |= here[domain];
  }
  for (Domain domain = 0; domain < domains; ++domain) {
    if (!has_gaps(all[domain], m_->bounds_.gap)) continue;
    if ((all[domain] >> largest_number) != 0) continue;  // too large to be told apart
    close_gaps(state, domain, all[domain]);
  }
}

void GroupModel::Worker::close_gaps(State& state, Domain domain, NumberSet all) {
  const NumberSet closed = closed_up(all, m_->bounds_.gap);
  for (std::uint32_t part = 0; part < m_->rest(); ++part) {
    Id& id = state.part[part];
    const NumberSet here = numbers_in(part, id)[domain];
    NumberSet to = 0;
    for (NumberSet rest = here; rest != 0; rest &= rest - 1) {
      const auto number = static_cast<std::uint64_t>(std::countr_zero(rest));
      to |= NumberSet{1} << moved(number, all, closed);
    }
    if (to != here) id = moved_part(part, id, domain, to);
  }
}

Id GroupModel::Worker::moved_part(std::uint32_t part, Id id, Domain domain, NumberSet to) {
  const std::uint32_t what = domain << 8 | (part < size_ ? part : most_processes);
  return moves_.get({key(Op::move, what, id), to}, [&]() -> Id {
    const NumberSet from = numbers_in(part, id)[domain];
    if (part >= size_) {
      return changed_letters(id, [&](Envelope& envelope) {
        envelope.message =
            m_->steps_->moved(envelope.message, envelope.from, envelope.to, domain, from, to);
      });
    }
    Local changed = m_->locals_[part][id].local;
    changed.protocol = m_->steps_->moved(NodeId{part}, changed.protocol, domain, from, to);
    return intern(part, std::move(changed));
  });
}

void GroupModel::Worker::find_representative(State& state) {
  State least = state;
  const auto end = [&](State& one) { return one.part.begin() + m_->parts(); };
  for (std::uint32_t i = 0; i < m_->renamings_.size(); ++i) {
    State other = renamed(state, i);
    if (std::lexicographical_compare(other.part.begin(), end(other), least.part.begin(),
                                     end(least))) {
      least = other;
    }
  }
  state = least;
}

GroupModel::State GroupModel::Worker::renamed(const State& state, std::uint32_t index) {
  const Renaming& renaming = m_->renamings_[index];
  State other;
  other.part[m_->rest()] = state.part[m_->rest()];
  for (std::uint32_t node = 0; node < size_; ++node) {
    const Id id = state.part[node];
    const std::uint32_t becomes = renaming[node];
    other.part[becomes] = cache_.get({key(Op::rename, index << 4 | node, id), 0}, [&] {
      Local changed = m_->locals_[node][id].local;
      changed.protocol = m_->steps_->renamed(NodeId{node}, changed.protocol, renaming);
      changed.application = m_->application_->renamed(changed.application, renaming);
      rename(changed.suspected, renaming);
      return intern(becomes, std::move(changed));
    });
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (node == to) continue;
      const Id channel = state.part[m_->channel(node, to)];
      if (channel == 0) continue;
      other.part[m_->channel(becomes, renaming[to])] =
          cache_.get({key(Op::rename, index << 4 | most_processes, channel), 0}, [&] {
            return changed_letters(channel, [&](Envelope& envelope) {
              envelope.message = m_->steps_->renamed(envelope.message, renaming);
              rename(envelope.from, renaming);
              rename(envelope.to, renaming);
            });
          });
    }
  }
  return other;
}

}  // namespace baton::check
