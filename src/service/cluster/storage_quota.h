// Watches how much room etcd still has, and warns early: when etcd's file has reached its quota,
// etcd refuses every write.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "service/etcd/etcd.h"

namespace baton::cluster {

class StorageQuota {
 public:
  // `quota_bytes` is of members that do not say it themselves, as those before etcd 3.6.
  StorageQuota(std::int64_t quota_bytes, std::function<void(const std::string&)> warn);

  // Takes the members' present status. Warns once about each member that comes close to its quota,
  // and again when it is nearly full.
  void look(std::vector<etcd::MemberStatus> members);
  // As they were at the last look.
  const std::vector<etcd::MemberStatus>& members() const { return members_; }

  std::int64_t quota_of(const etcd::MemberStatus& member) const;
  // Empty: there is room.
  std::string shortage_of(const etcd::MemberStatus& member) const;

 private:
  std::int64_t percent_of(const etcd::MemberStatus& member) const;

  std::int64_t quota_bytes_;
  std::function<void(const std::string&)> warn_;
  std::vector<etcd::MemberStatus> members_;
  std::map<std::string, std::int64_t> warned_at_;  // of each endpoint: percent
};

}  // namespace baton::cluster
