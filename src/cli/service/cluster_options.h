// The options of a server in a cluster, for all commands that are one.
#pragma once

#include "service/server/cluster_membership.h"

namespace baton::cli {

class Command;

void add_cluster(Command& command, server::ClusterOptions& cluster);
// What is not said by options. Throws UsageError.
void complete(server::ClusterOptions& cluster);

}  // namespace baton::cli
