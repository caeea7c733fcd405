// Between JSON and the messages of the client protocol (proto/).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "baton/client.pb.h"
#include "service/http/exchange.h"
#include "service/http/fields.h"

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

// How long a lease lasts, and how often to say that one is alive.
void add_lease(boost::json::object& object, service::Duration ttl);
// NAME, or NAME_base64 if it is not text.
void add_bytes(boost::json::object& object, const std::string& name, const std::string& bytes);
void add_grant(boost::json::object& object, const proto::Reply::Granted& granted,
               const std::vector<std::string>& names, bool has_slots);

boost::json::object json_of_locks(const std::vector<proto::Answer>& parts);
boost::json::object json_of_sessions(const std::vector<proto::Answer>& parts);
boost::json::object json_of_files(const std::vector<proto::Answer>& parts);
boost::json::object json_of_file(const proto::File& file);
boost::json::object json_of_leader(const std::string& election, const proto::Holder& leader);
boost::json::object json_of_status(const proto::Answer& answer);
boost::json::object json_of_lost(const proto::HoldOver& over);

// The event of a change, as a stream has it.
std::string event_of(const proto::Change& change);

Response json_response(const boost::json::object& object);

}  // namespace baton::http
