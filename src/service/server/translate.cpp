#include "service/server/translate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "service/server/terms.h"

namespace baton::server {

namespace {

std::vector<std::string> names_of(const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

std::optional<service::Duration> wait_of(bool is_said, std::int64_t wait) {
  if (!is_said) return std::nullopt;
  return service::Duration{wait};
}

std::optional<std::uint64_t> version_of(bool is_said, std::uint64_t version) {
  if (!is_said) return std::nullopt;
  return version;
}

service::Acquire acquire_of(const proto::Acquire& acquire) {
  return {.space = space_of(acquire.space()),
          .names = names_of(acquire.names()),
          .owner = {acquire.owner()},
          .wait = wait_of(acquire.has_wait(), acquire.wait()),
          .terms = request_terms_of(acquire)};
}

service::Reclaim reclaim_of(const proto::Reclaim& reclaim) {
  service::Reclaim result;
  for (const auto& held : reclaim.held()) {
    result.held.push_back({space_of(held.space()), held.name(), std::max(held.slots(), 1U),
                           hold_from(held, service::no_session)});
  }
  for (const auto& waiting : reclaim.waiting()) {
    result.waiting.push_back(
        {{waiting.request()}, waiting.ticket(), acquire_of(waiting.acquire())});
  }
  return result;
}

decltype(service::Command::what) what_of(const proto::Request& request) {
  using proto::Request;
  switch (request.what_case()) {
    case Request::kOpenSession:
      return session_terms_of(request.open_session());
    case Request::kCloseSession:
      return service::CloseSession{};
    case Request::kAcquire:
      return acquire_of(request.acquire());
    case Request::kCancel:
      return service::Cancel{{request.cancel().waiting()}};
    case Request::kRelease: {
      const auto& it = request.release();
      return service::Release{space_of(it.space()), names_of(it.names()), {it.owner()}};
    }
    case Request::kDowngrade:
      return service::Downgrade{request.downgrade().name(), {request.downgrade().owner()}};
    case Request::kUpgrade: {
      const auto& it = request.upgrade();
      return service::Upgrade{
          it.name(), {it.owner()}, wait_of(it.has_wait(), it.wait()), it.despite_deadlock()};
    }
    case Request::kProclaim: {
      const auto& it = request.proclaim();
      return service::Proclaim{it.name(), {it.owner()}, it.value()};
    }
    case Request::kPut: {
      const auto& it = request.put();
      return service::Put{it.key(),
                          it.value(),
                          version_of(it.has_version(), it.version()),
                          it.tied(),
                          {it.tied_to()}};
    }
    case Request::kRemove: {
      const auto& it = request.remove();
      return service::Remove{it.key(), version_of(it.has_version(), it.version())};
    }
    case Request::kBreak: {
      const auto& it = request.break_();
      return service::Break{space_of(it.space()), it.name(), it.force()};
    }
    case Request::kBreakSession: {
      const auto& it = request.break_session();
      return service::BreakSession{{it.session()}, it.force()};
    }
    case Request::kAcknowledge: {
      const auto& it = request.acknowledge();
      return service::Acknowledge{space_of(it.space()), it.name(), {it.owner()}, {it.fence()}};
    }
    case Request::kReclaim:
      return reclaim_of(request.reclaim());
    case Request::WHAT_NOT_SET:
      break;
  }
  return service::Tick{};
}

}  // namespace

service::Who who_of(const proto::Who& who) {
  return {who.host(), who.process(), who.user(), who.label()};
}

service::Command command_of(const proto::Request& request) {
  return {.now = {},
          .session = {request.session()},
          .request = {request.request()},
          .confirmed = {request.confirmed()},
          .what = what_of(request)};
}

service::Command command_of(const proto::Command& command) {
  using proto::Command;
  service::Command result;
  switch (command.what_case()) {
    case Command::kRequest:
      return command_of(command.request());
    case Command::kExpireSession:
      result.what = service::ExpireSession{{command.expire_session().session()}};
      break;
    case Command::kLead:
      result.what = service::Lead{
          {command.lead().fences_from()}, command.lead().after_crash(), command.lead().gated()};
      break;
    case Command::kReserve:
      result.what = service::Reserve{{command.reserve().below()}};
      break;
    case Command::kOpen: {
      const auto& it = command.open();
      result.what = service::Open{space_of(it.space()), it.name(), {it.fence()}};
      break;
    }
    case Command::kRevoke: {
      const auto& it = command.revoke();
      result.what = service::Revoke{space_of(it.space()), it.name(), it.reason(), it.is_notice()};
      break;
    }
    case Command::kElsewhere: {
      const auto& it = command.elsewhere();
      result.what = service::Elsewhere{it.name(), {it.fence()}, it.value(), who_of(it.who())};
      break;
    }
    case Command::kTick:
    case Command::kFarewell:
    case Command::WHAT_NOT_SET:
      break;
  }
  return result;
}

namespace {

template <class Message>
bool knows_all(const Message& message) {
  static const google::protobuf::Reflection* const reflection = message.GetReflection();
  return reflection->GetUnknownFields(message).empty();
}

// Without looking into the entries of a Reclaim, which is rare.
bool knows_all_of(const proto::Request& request) {
  using proto::Request;
  if (!knows_all(request)) return false;
  switch (request.what_case()) {
    case Request::kAcquire:
      return knows_all(request.acquire());
    case Request::kRelease:
      return knows_all(request.release());
    case Request::kPut:
      return knows_all(request.put());
    case Request::kCancel:
      return knows_all(request.cancel());
    case Request::kAcknowledge:
      return knows_all(request.acknowledge());
    default:
      return false;
  }
}

}  // namespace

void drop_unknown_fields(proto::Request& request) {
  if (!knows_all_of(request)) request.DiscardUnknownFields();
}

void fill(proto::Who& message, const service::Who& who) {
  message.set_host(who.host);
  message.set_process(who.process);
  message.set_user(who.user);
  message.set_label(who.label);
}

void fill(proto::Open& message, const service::Open& open) {
  message.set_space(proto_of(open.space));
  message.set_name(open.name);
  message.set_fence(open.fence.value);
}

void fill(proto::Revoke& message, const service::Revoke& revoke) {
  message.set_space(proto_of(revoke.space));
  message.set_name(revoke.name);
  message.set_reason(revoke.reason);
  message.set_is_notice(revoke.is_notice);
}

void fill(proto::Elsewhere& message, const service::Elsewhere& elsewhere) {
  message.set_name(elsewhere.name);
  message.set_fence(elsewhere.fence.value);
  message.set_value(elsewhere.value);
  fill(*message.mutable_who(), elsewhere.who);
}

void fill(proto::Reply& message, const service::Reply& reply) {
  message.set_request(reply.request.value);
  message.set_error(static_cast<std::uint32_t>(reply.error));
  if (!reply.message.empty()) message.set_message(reply.message);
  if (const auto* opened = std::get_if<service::Opened>(&reply.result)) {
    message.mutable_opened()->set_session(opened->session.value);
    message.mutable_opened()->set_ttl(opened->ttl.value);
  } else if (const auto* grant = std::get_if<service::Grant>(&reply.result)) {
    message.mutable_granted()->set_fence(grant->fence.value);
    message.mutable_granted()->set_slot(grant->slot);
    for (const service::Grant::Part& part : grant->parts) {
      auto* one = message.mutable_granted()->add_parts();
      one->set_fence(part.fence.value);
      one->set_slot(part.slot);
    }
  } else if (const auto* stored = std::get_if<service::Stored>(&reply.result)) {
    message.mutable_stored()->set_version(stored->version);
    message.mutable_stored()->set_revision(stored->revision.value);
  }
}

service::Reply reply_of(const proto::Reply& message, service::SessionId session) {
  service::Reply reply{
      session, {message.request()}, static_cast<Error>(message.error()), message.message(), {}};
  if (message.has_opened()) {
    reply.result = service::Opened{{message.opened().session()}, {message.opened().ttl()}};
  } else if (message.has_granted()) {
    service::Grant grant{{message.granted().fence()}, message.granted().slot(), {}};
    for (const auto& part : message.granted().parts()) {
      grant.parts.push_back({{part.fence()}, part.slot()});
    }
    reply.result = std::move(grant);
  } else if (message.has_stored()) {
    reply.result = service::Stored{message.stored().version(), {message.stored().revision()}};
  }
  return reply;
}

void fill(proto::Queued& message, const service::Queued& queued) {
  message.set_request(queued.request.value);
  message.set_ticket(queued.ticket);
}

void fill(proto::HoldOver& message, const service::HoldOver& over) {
  message.set_space(proto_of(over.space));
  message.set_name(over.name);
  message.set_owner(over.owner.value);
  message.set_fence(over.fence.value);
  message.set_reason(over.reason);
}

service::HoldOver hold_over_of(const proto::HoldOver& message, service::SessionId session) {
  return {session,           space_of(message.space()), message.name(),
          {message.owner()}, {message.fence()},         message.reason()};
}

void fill(proto::SessionOver& message, const service::SessionOver& over) {
  message.set_session(over.session.value);
  message.set_reason(over.reason);
}

void fill(proto::Change& message, const service::Change& change) {
  message.set_revision(change.revision.value);
  message.set_kind(static_cast<proto::Change::Kind>(change.kind));
  message.set_key(change.key);
  message.set_value(change.value);
  message.set_version(change.version);
  message.set_session(change.session.value);
  message.set_fence(change.fence.value);
}

service::Change change_of(const proto::Change& message) {
  return {.revision = {message.revision()},
          .kind = static_cast<service::Change::Kind>(message.kind()),
          .key = message.key(),
          .value = message.value(),
          .version = message.version(),
          .session = {message.session()},
          .fence = {message.fence()}};
}

}  // namespace baton::server
