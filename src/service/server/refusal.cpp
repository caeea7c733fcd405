// Checks a request before it reaches the state and the journal.
#include <variant>

#include "service/server/translate.h"

namespace baton::server {

namespace {

using Finding = std::optional<service::Refusal>;

service::Refusal bad(std::string message) { return {Error::bad_request, std::move(message)}; }

Finding unknown(proto::Namespace space) {
  if (proto::Namespace_IsValid(space)) return {};
  return bad("the namespace is neither lock nor election");
}
Finding unknown(proto::Mode mode) {
  if (proto::Mode_IsValid(mode)) return {};
  return bad("the mode is neither exclusive nor shared");
}
Finding unknown(const proto::Acquire& acquire) {
  if (Finding found = unknown(acquire.space())) return found;
  return unknown(acquire.mode());
}
Finding unknown(const proto::Reclaim& reclaim) {
  for (const auto& held : reclaim.held()) {
    if (Finding found = unknown(held.space())) return found;
    if (Finding found = unknown(held.mode())) return found;
  }
  for (const auto& waiting : reclaim.waiting()) {
    if (Finding found = unknown(waiting.acquire())) return found;
  }
  return {};
}

// Finds values that only a later version knows.
Finding unknown(const proto::Request& request) {
  using proto::Request;
  switch (request.what_case()) {
    case Request::kAcquire:
      return unknown(request.acquire());
    case Request::kRelease:
      return unknown(request.release().space());
    case Request::kBreak:
      return unknown(request.break_().space());
    case Request::kAcknowledge:
      return unknown(request.acknowledge().space());
    case Request::kReclaim:
      return unknown(request.reclaim());
    case Request::WHAT_NOT_SET:
      return bad("this server does not know this kind of request");
    default:
      return {};
  }
}

struct Judge {
  Finding operator()(const service::OpenSession& it) const { return service::refuse(it); }
  Finding operator()(const service::Acquire& it) const { return service::refuse(it); }
  Finding operator()(const service::Release& it) const { return service::refuse_names(it.names); }
  Finding operator()(const service::Downgrade& it) const { return service::refuse_name(it.name); }
  Finding operator()(const service::Break& it) const { return service::refuse_name(it.name); }
  Finding operator()(const service::Acknowledge& it) const { return service::refuse_name(it.name); }
  Finding operator()(const service::Upgrade& it) const {
    if (Finding found = service::refuse_name(it.name)) return found;
    return service::refuse_wait(it.wait);
  }
  Finding operator()(const service::Proclaim& it) const {
    if (Finding found = service::refuse_name(it.name)) return found;
    return service::refuse_value(it.value);
  }
  Finding operator()(const service::Put& it) const {
    if (Finding found = service::refuse_name(it.key, "the key")) return found;
    return service::refuse_value(it.value);
  }
  Finding operator()(const service::Remove& it) const {
    return service::refuse_name(it.key, "the key");
  }
  Finding operator()(const service::Reclaim& it) const {
    for (const auto& held : it.held) {
      if (Finding found = service::refuse(held)) return found;
    }
    for (const auto& waiting : it.waiting) {
      if (Finding found = service::refuse(waiting.acquire)) return found;
    }
    return {};
  }
  template <class Other>
  Finding operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::optional<service::Refusal> refusal_of(const proto::Request& request,
                                           const service::Command& command) {
  if (Finding found = unknown(request)) return found;
  return std::visit(Judge{}, command.what);
}

}  // namespace baton::server
