// What an error of etcd or of the way to it says about the request: whether it was done.
//
// Certain are only the errors that etcd itself returns before it proposes a request to its cluster,
// or instead of applying it: they have a text of etcd's and one of a few codes. Whatever else
// happens (time ran out, connection cut, no leader, leader changed, etcd stopping) may have
// happened after the request was on its way to the others.
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
