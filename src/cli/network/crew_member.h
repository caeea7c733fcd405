// The other end of a crew: what runs in the child.
#pragma once

#include "cli/network/crew.h"
#include "net/group_file.h"

namespace baton::cli {

// Serves the captain at the other end of the socket; returns the exit status of the child.
int serve_captain(int socket, const net::GroupFile& group, NodeId self,
                  const std::string& trace_folder);

}  // namespace baton::cli
