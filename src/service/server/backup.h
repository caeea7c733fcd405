// A backup is one file with everything that outlives sessions: files that are not tied, revisions,
// and above all the next fencing token and epoch. `baton restore` writes it to any empty journal.
//
// A backup contains no sessions and no holds. After a restore nobody holds anything, so the clients
// of the old service must have stopped by then. The backup states their longest lease, so that the
// operator knows how long to wait.
#pragma once

#include <cstdint>
#include <string>

#include "baton/journal.pb.h"
#include "service/journal/journal.h"
#include "service/server/cluster_membership.h"
#include "service/state/state.h"

namespace baton::server {

struct BackupInfo {
  std::uint64_t epoch = 0;
  std::int64_t made_us = 0;  // the date
  std::string server;
  std::string journal;
  service::Duration longest_ttl{0};
  std::size_t files = 0;
  std::uint64_t fences_below = 0;  // all that were given out are
};

std::string make_backup(const service::State& state, const BackupInfo& info);
// Of a journal that no server uses. Throws journal::Unusable.
std::string make_backup(const std::string& journal);
// Throws journal::Unusable.
proto::Backup parse_backup(const std::string& bytes);
BackupInfo describe_backup(const std::string& bytes);
// Into a journal that is empty. Throws journal::Unusable.
void restore(const std::string& backup, const std::string& journal, const ClusterOptions& cluster);

}  // namespace baton::server
