#include "service/etcd/outcome.h"

#include <grpcpp/support/status_code_enum.h>

#include <string_view>

namespace baton::etcd {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_certain(int code, std::string_view message) {
  // A request beyond what etcd's server receives at all; said by its gRPC library.
  if (message.starts_with("grpc: received message larger than max")) return true;
  if (!message.starts_with("etcdserver: ")) return false;
  switch (code) {
    case grpc::INVALID_ARGUMENT:
    case grpc::NOT_FOUND:
    case grpc::PERMISSION_DENIED:
    case grpc::UNAUTHENTICATED:
    case grpc::RESOURCE_EXHAUSTED:
    case grpc::FAILED_PRECONDITION:
    case grpc::OUT_OF_RANGE:
      return true;
    case grpc::UNKNOWN:
      // etcd 3.4 forgets to give this one its code.
      return message == "etcdserver: too many requests";
    default:
      return false;
  }
}

}  // namespace

Outcome outcome_of(int code, const std::string& message) {
  using Kind = Outcome::Kind;
  const std::string text = code == grpc::DEADLINE_EXCEEDED ? "no answer in time"
                           : message.empty() ? "error " + std::to_string(code) + " of etcd"
                                             : message;
  if (!is_certain(code, message)) return {Kind::unknown, text};
  if (contains(message, "required revision has been compacted")) return {Kind::compacted, text};
  if (contains(message, "database space exceeded")) return {Kind::full, text};
  return {Kind::refused, text};
}

bool wants_new_token(const std::string& message) {
  return contains(message, "etcdserver: invalid auth token") ||
         contains(message, "etcdserver: revision of auth store is old") ||
         contains(message, "etcdserver: user name is empty");
}

bool is_endpoints_fault(int code) {
  return code == grpc::UNAVAILABLE || code == grpc::DEADLINE_EXCEEDED || code == grpc::CANCELLED ||
         code == grpc::INTERNAL || code == grpc::UNKNOWN || code == grpc::DATA_LOSS;
}

}  // namespace baton::etcd
