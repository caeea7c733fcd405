// Between the protocol's messages (proto/) and the service's own values (service/state/command.h).
//
// What comes from a client is checked once, when it arrives: names, sizes, ranges. What comes from
// the journal was checked then, and is translated as it is: limits may have changed since, but a
// state must not.
#pragma once

#include <optional>
#include <string>

#include "baton/client.pb.h"
#include "baton/error.h"
#include "baton/journal.pb.h"
#include "baton/service.pb.h"
#include "service/state/command.h"
#include "service/state/valid.h"

namespace baton::server {

// What is wrong with a request, if anything is: what a decoder sees, and what the state would
// refuse whatever else it knows. Such requests never reach the journal.
std::optional<service::Refusal> refusal_of(const proto::Request& request,
                                           const service::Command& command);

// Everything but `now`. A request that says nothing that is known is a Tick.
service::Command command_of(const proto::Request& request);
service::Command command_of(const proto::Command& command);

// Fields that this version does not know are left out of the journal: a later version would
// understand them, and come to another state.
void drop_unknown_fields(proto::Request& request);

// To the client of a session.
void fill(proto::Reply& message, const service::Reply& reply);
void fill(proto::Queued& message, const service::Queued& queued);
void fill(proto::HoldOver& message, const service::HoldOver& over);
void fill(proto::SessionOver& message, const service::SessionOver& over);
void fill(proto::Change& message, const service::Change& change);
void fill(proto::Who& message, const service::Who& who);

service::Who who_of(const proto::Who& who);
void fill(proto::Open& message, const service::Open& open);
void fill(proto::Revoke& message, const service::Revoke& revoke);
void fill(proto::Elsewhere& message, const service::Elsewhere& elsewhere);
service::Reply reply_of(const proto::Reply& message, service::SessionId session);
service::HoldOver hold_over_of(const proto::HoldOver& message, service::SessionId session);
service::Change change_of(const proto::Change& message);

constexpr proto::Namespace proto_of(service::Namespace space) {
  return space == service::Namespace::election ? proto::ELECTION : proto::LOCK;
}
constexpr proto::Mode proto_of(service::Mode mode) {
  return mode == service::Mode::shared ? proto::SHARED : proto::EXCLUSIVE;
}
constexpr service::Namespace space_of(proto::Namespace space) {
  return space == proto::ELECTION ? service::Namespace::election : service::Namespace::lock;
}
constexpr service::Mode mode_of(proto::Mode mode) {
  return mode == proto::SHARED ? service::Mode::shared : service::Mode::exclusive;
}

}  // namespace baton::server
