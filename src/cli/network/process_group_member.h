// The other end of a group: what runs in the child.
#pragma once

#include "cli/network/process_group.h"
#include "peers/net/group_file.h"

namespace baton::cli {

// Serves the controller at the other end of the socket; returns the exit status of the child.
int serve_controller(int socket, const net::GroupFile& group, NodeId self,
                     const std::string& trace_folder);

}  // namespace baton::cli
