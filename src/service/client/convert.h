// Between the library's own values and the protocol's messages.
#pragma once

#include <string>

#include "baton/client.pb.h"
#include "baton/election.h"
#include "baton/files.h"
#include "baton/info.h"
#include "baton/lock.h"

namespace baton::client {

proto::Acquire acquire_of(const Names& names, const LockOptions& options);
proto::Acquire acquire_of(const std::string& election, std::string value,
                          const CampaignOptions& options);
// The part of a report to a new server that follows from the terms of a granted name; the caller
// adds the state of the hold.
proto::Reclaim::Held held_of(const proto::Acquire& asked, const std::string& name);

File file_of(const proto::File& file);
FileChange file_change_of(const proto::Change& change);
LocksInfo locks_of(const proto::Answer& answer);
std::vector<SessionInfo> sessions_of(const proto::Answer& answer);
StatusInfo status_of(const proto::Status& status);

}  // namespace baton::client
