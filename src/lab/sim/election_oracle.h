// Watches an election from outside: which process takes which for the leader, and what remains of
// that when all is quiet. The oracle knows which processes are alive and can talk to each other; no
// process knows that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/fence.h"
#include "core/ids.h"
#include "core/info.h"
#include "core/setup.h"
#include "lab/sim/report.h"

namespace baton::sim {

class ElectionOracle {
 public:
  ElectionOracle(const Setup& setup, const Info& info, Report& report);

  // A process takes `leader`, which may be nobody, for the leader.
  void believe(NodeId node, NodeId leader, const Epoch& epoch, Ticks now);
  void crash(NodeId node, Ticks now);
  void recover(NodeId node, Ticks now);
  // Something happened that may require a new election.
  void excuse(Ticks now) { last_change_ = excused_ = now; }

  // Nothing has changed for so long that nothing will change any more.
  bool is_settled(Ticks now, Ticks bound) const { return now - last_change_ > bound; }
  // The election goes on although there is no reason for it.
  bool is_endless(Ticks now, Ticks bound) const { return now - excused_ > bound; }
  void report_endless(Ticks now, Ticks bound);
  // For an election of several: the leaders are not the set that they should be.
  void report_wrong_set(Ticks now, std::string why) {
    violate(Promise::right_leader, now, std::move(why));
  }

  // All is quiet: judges the final state. `can_talk` says which processes are connected.
  void judge(Ticks now, const std::function<bool(NodeId, NodeId)>& can_talk);

 private:
  void judge_side(const std::vector<NodeId>& side, Ticks now);
  NodeId right_leader(const std::vector<NodeId>& side) const;
  void violate(Promise promise, Ticks at, std::string what);

  const Setup* setup_;
  const Info* info_;
  Report* report_;
  std::vector<bool> up_;
  std::vector<NodeId> last_;  // the process that each process last took for the leader
  std::map<Epoch, NodeId> leader_in_;
  Ticks last_change_{0};
  Ticks excused_{0};
};

}  // namespace baton::sim
