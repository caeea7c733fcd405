#include "service/cluster/storage_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace baton::cluster {

namespace {

constexpr std::int64_t close_percent = 80;
constexpr std::int64_t full_percent = 95;
// A store whose size goes up and down a little is not worth a line each time.
constexpr std::int64_t slack_percent = 5;

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1024 * 1024); }

}  // namespace

StorageQuota::StorageQuota(std::int64_t quota_bytes, std::function<void(const std::string&)> warn)
    : quota_bytes_(quota_bytes), warn_(std::move(warn)) {}

std::int64_t StorageQuota::quota_of(const etcd::MemberStatus& member) const {
  return member.quota_bytes > 0 ? member.quota_bytes : quota_bytes_;
}

std::int64_t StorageQuota::percent_of(const etcd::MemberStatus& member) const {
  return member.store_bytes / std::max<std::int64_t>(quota_of(member) / 100, 1);
}

std::string StorageQuota::shortage_of(const etcd::MemberStatus& member) const {
  if (percent_of(member) < close_percent) return "";
  return fmt::format("{:.1f} of {:.1f} MiB of its quota are used", mebibytes(member.store_bytes),
                     mebibytes(quota_of(member)));
}

void StorageQuota::look(std::vector<etcd::MemberStatus> members) {
  for (const etcd::MemberStatus& member : members) {
    // The member does not answer: keep what is known of it.
    if (member.version.empty()) continue;
    const std::int64_t percent = percent_of(member);
    std::int64_t& warned_at = warned_at_[member.endpoint];
    const std::int64_t reached = percent >= full_percent    ? full_percent
                                 : percent >= close_percent ? close_percent
                                                            : 0;
    if (percent < warned_at - slack_percent) warned_at = reached;
    if (reached <= warned_at) continue;
    warned_at = reached;
    warn_(
        fmt::format("etcd at {}: {}; when it is full nothing durable is granted. Compact and "
                    "defragment it, or give it a larger quota",
                    member.endpoint, shortage_of(member)));
  }
  members_ = std::move(members);
}

}  // namespace baton::cluster
