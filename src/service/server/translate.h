// Translates between the protocol's messages (proto/) and the service's own values
// (service/state/command.h).
//
// The server checks a client's request once, when it arrives: names, sizes, ranges. It translates
// commands of the journal without a check: they were checked when they arrived, and a limit that
// has changed since must not change the state.
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

// Why the server refuses a request before it reaches the journal: the message is malformed, or the
// state would refuse it in any case. Empty if nothing is wrong.
std::optional<service::Refusal> refusal_of(const proto::Request& request,
                                           const service::Command& command);

// Sets all fields but `now`. A kind of request that this version does not know becomes a Tick.
service::Command command_of(const proto::Request& request);
service::Command command_of(const proto::Command& command);

// Removes fields that this version does not know, so that they do not reach the journal: a later
// version would understand them when it reads the journal, and come to another state.
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
