// From the protocol's messages to the library's own values.
#pragma once

#include "baton/client.pb.h"
#include "baton/files.h"
#include "baton/info.h"

namespace baton::client {

File file_of(const proto::File& file);
FileChange file_change_of(const proto::Change& change);
LocksInfo locks_of(const proto::Answer& answer);
std::vector<SessionInfo> sessions_of(const proto::Answer& answer);
StatusInfo status_of(const proto::Status& status);

}  // namespace baton::client
