// The process around a member of a cluster, as the replica sees it. They call each other on one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "service/etcd/etcd.h"
#include "service/journal/journal.h"

namespace baton::cluster {

// The leader, as far as this server knows.
struct LeaderInfo {
  std::string name;
  std::string url;
  etcd::Revision since = 0;
  bool is_self = false;
};

class ReplicaHost {
 public:
  virtual ~ReplicaHost() = default;

  // Microseconds, by a clock that only goes on, also while the machine sleeps.
  virtual std::int64_t clock_us() = 0;
  // Later, once. Never from within the call.
  virtual void after(std::int64_t us, std::function<void()> what) = 0;

  // The host must drop its state: the replica reads the journal again from the beginning. `why` is
  // empty the first time.
  virtual void forget(const std::string& why) = 0;
  // These two may throw journal::Unusable.
  virtual void read_snapshot(journal::Position position, std::string_view bytes) = 0;
  virtual void read_record(journal::Position position, std::string_view bytes) = 0;
  // Another server leads, or none does.
  virtual void follow(const LeaderInfo* leader) = 0;
  // This server leads, and has read every record of earlier leaders. An earlier leader may have
  // renewed leases without a record; these renewals last at most `wait_us` from now on.
  virtual void lead(std::int64_t wait_us) = 0;
  // The replica can never work. The message says why, and what to do about it.
  virtual void give_up(const std::string& why) = 0;
  // etcd has confirmed a renewal, when the proof still had `left_us` to run.
  virtual void renewed(std::int64_t /*left_us*/) {}
  // Something that people should know.
  virtual void warn(const std::string& what) = 0;
};

}  // namespace baton::cluster
