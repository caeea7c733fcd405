// Translates between JSON and the messages of the client protocol (proto/).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "baton/client.pb.h"
#include "service/http/exchange.h"
#include "service/http/fields.h"
#include "service/http/info_json.h"

namespace baton::http {

// --- What is asked ------------------------------------------------------------------------------

inline constexpr service::Duration usual_ttl{30'000'000};

// ttl, label, host, user, process, lock_delay: what a session may say of itself.
void fill(proto::OpenSession& message, Fields& fields);
void fill_lock(proto::Acquire& message, Fields& fields);
void fill_campaign(proto::Acquire& message, Fields& fields);
void fill(proto::Upgrade& message, Fields& fields);
void fill(proto::Put& message, Fields& fields);
void fill(proto::Remove& message, Fields& fields);

// --- What is answered ---------------------------------------------------------------------------

void add_grant(boost::json::object& object, const proto::Reply::Granted& granted,
               const std::vector<std::string>& names, bool has_slots);

// What was read, in parts, as the client library has it; info_json.h writes it down.
LocksInfo locks_of(const std::vector<proto::Answer>& parts);
std::vector<SessionInfo> sessions_of(const std::vector<proto::Answer>& parts);
FileList files_of(const std::vector<proto::Answer>& parts);

boost::json::object json_of_lost(const proto::HoldOver& over);

// The event of a change, as a stream has it.
std::string event_of(const proto::Change& change);

Response json_response(const boost::json::object& object);

}  // namespace baton::http
