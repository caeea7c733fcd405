// What the service tells about itself, in JSON: the answers of HTTP and what the tool's --json
// prints are written here, both. docs/json.md promises their fields.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "baton/election.h"
#include "baton/files.h"
#include "baton/info.h"
#include "baton/result.h"
#include "service/state/command.h"

namespace baton::http {

// NAME, or NAME_base64 if it is not UTF-8.
void add_bytes(boost::json::object& object, const std::string& name, const std::string& bytes);
// How long a lease lasts, and how often to renew it.
void add_lease(boost::json::object& object, service::Duration ttl);

boost::json::object json_of(const LocksInfo& info);
boost::json::object json_of(const std::vector<SessionInfo>& sessions);
boost::json::object json_of(const StatusInfo& status);
boost::json::object json_of(const File& file);
boost::json::object json_of(const FileList& list);
boost::json::object json_of(const Stored& stored);
boost::json::object json_of(const FileChange& change);
boost::json::object json_of(const std::string& election, const LeaderChange& change);
// The leader, from what was read about its election; an error if nobody leads.
boost::json::object json_of_leader(const std::string& election, const LocksInfo& info);
bool has_leader(const LocksInfo& info);
// The error's own sentence, if there is no message.
boost::json::object json_of_error(const baton::Failure& failure);

}  // namespace baton::http
