// Decides from an error whether etcd has carried out the request.
//
// Only some errors are certain: those that etcd returns before it proposes a request to its
// cluster, or instead of applying it. They have a text of etcd's and one of a few codes. After any
// other error (timeout, connection cut, no leader, leader changed, etcd stopping) the request may
// already have been on its way to the other members of etcd.
#pragma once

#include <string>

#include "service/etcd/etcd.h"

namespace baton::etcd {

// Of a gRPC status code other than OK.
Outcome outcome_of(int code, const std::string& message);

// etcd does not know the token, or it is older than a change of users and roles: a new one helps.
bool wants_new_token(const std::string& message);

// Another member may do better.
bool is_endpoints_fault(int code);

}  // namespace baton::etcd
