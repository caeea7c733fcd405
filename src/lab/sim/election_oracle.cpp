#include "lab/sim/election_oracle.h"

#include <algorithm>

namespace baton::sim {

namespace {

std::string process(NodeId node) { return "process " + std::to_string(node.value); }

}  // namespace

ElectionOracle::ElectionOracle(const Setup& setup, const Info& info, Report& report)
    : setup_(&setup),
      info_(&info),
      report_(&report),
      up_(setup.size, true),
      last_(setup.size, nobody) {
  report.leaders.assign(setup.size, nobody);
}

void ElectionOracle::believe(NodeId node, NodeId leader, const Epoch& epoch, Ticks now) {
  report_->leaders[node.value] = leader;
  // A process that is unsure for a moment takes nobody for the leader; that is no change yet.
  if (leader == nobody) return;
  if (last_[node.value] != leader) last_change_ = now;
  last_[node.value] = leader;
  ++report_->entries;
  if (epoch == Epoch{}) return;
  const auto [known, is_new] = leader_in_.emplace(epoch, leader);
  if (is_new || known->second == leader) return;
  violate(Promise::one_leader, now,
          process(leader) + " leads in an epoch in which " + process(known->second) + " leads too");
}

void ElectionOracle::crash(NodeId node, Ticks now) {
  up_[node.value] = false;
  report_->leaders[node.value] = last_[node.value] = nobody;
  excuse(now);
}

void ElectionOracle::recover(NodeId node, Ticks now) {
  up_[node.value] = true;
  excuse(now);
}

void ElectionOracle::report_endless(Ticks now, Ticks bound) {
  violate(Promise::everyone_learns, now,
          "the election has not come to an end for " +
              std::to_string(bound.value / message_time.value) + " message times");
}

void ElectionOracle::judge(Ticks now, const std::function<bool(NodeId, NodeId)>& can_talk) {
  std::vector<bool> placed(setup_->size);
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (!up_[i] || placed[i]) continue;
    std::vector<NodeId> side;
    for (std::uint32_t j = i; j < setup_->size; ++j) {
      if (!up_[j] || placed[j] || (i != j && !can_talk({i}, {j}))) continue;
      placed[j] = true;
      side.push_back({j});
    }
    judge_side(side, now);
  }
}

void ElectionOracle::judge_side(const std::vector<NodeId>& side, Ticks now) {
  const auto leader_of = [&](NodeId node) { return last_[node.value]; };
  NodeId leading = nobody;
  for (const NodeId node : side) {
    if (report_->leaders[node.value] != node || info_->choice == Choice::several) continue;
    if (leading != nobody) {
      violate(Promise::one_leader, now,
              "all is quiet, and processes " + std::to_string(leading.value) + " and " +
                  std::to_string(node.value) + " can talk and both lead");
    }
    leading = node;
  }
  // Where a majority must approve, a side without one has no leader, and its processes should know.
  if (info_->survives_crashes && 2 * side.size() <= setup_->size) {
    if (leading != nobody) {
      violate(Promise::one_leader, now, process(leading) + " leads without a majority");
    }
    return;
  }
  if (report_->requests == 0) return;
  const NodeId right = right_leader(side);
  for (const NodeId node : side) {
    const NodeId leader = leader_of(node);
    if (leader == nobody) {
      violate(Promise::everyone_learns, now, process(node) + " knows no leader in the end");
      continue;
    }
    if (info_->choice == Choice::several) continue;
    if (leader != leader_of(side.front())) {
      violate(Promise::everyone_learns, now,
              "in the end " + process(side.front()) + " takes " + process(leader_of(side.front())) +
                  " for the leader, and " + process(node) + " takes " + process(leader));
    }
    if (right != nobody && leader != right) {
      violate(Promise::right_leader, now,
              process(node) + " takes " + process(leader) + " for the leader, which should be " +
                  process(right));
    }
  }
}

// Nobody if any single leader will do.
NodeId ElectionOracle::right_leader(const std::vector<NodeId>& side) const {
  switch (info_->choice) {
    case Choice::highest_identity:
      return *std::max_element(side.begin(), side.end(), [&](NodeId a, NodeId b) {
        return setup_->identity(a) < setup_->identity(b);
      });
    case Choice::smallest:
      return side.front();
    case Choice::best_capacity:
      return *std::max_element(side.begin(), side.end(), [&](NodeId a, NodeId b) {
        const std::pair first{setup_->capacity(a), setup_->identity(a)};
        return first < std::pair{setup_->capacity(b), setup_->identity(b)};
      });
    case Choice::anyone:
    case Choice::several:
      break;
  }
  return nobody;
}

void ElectionOracle::violate(Promise promise, Ticks at, std::string what) {
  if (report_->violated(promise) != nullptr) return;
  report_->violations.push_back({promise, at, std::move(what)});
}

}  // namespace baton::sim
