// Answers questions that change nothing (Read): locks with their holders, queues and wait-for
// graph; sessions; files; the server's status.
#pragma once

#include <functional>
#include <vector>

#include "baton/client.pb.h"
#include "service/state/state.h"

namespace baton::server {

// A longer list is cut off with an error that says so.
inline constexpr std::size_t most_listed = 100'000;
inline constexpr std::size_t most_bytes_listed = 16 * 1024 * 1024;
// If more requests wait, the server leaves the wait-for graph out: each request waits for all
// earlier ones, so the graph grows with the square of their number.
inline constexpr std::size_t most_waiting_in_graph = 2000;

// The holders and waiters at other servers.
struct OthersLocks {
  std::vector<proto::Lock> locks;
  std::vector<std::string> silent;  // those who do not answer
};

struct Asked {
  const service::State& state;
  service::Time now;
  std::function<service::Duration(service::SessionId)> lease_left;
  std::function<bool(service::SessionId)> is_connected;
  std::function<void(proto::Status&)> fill_status;  // what the state does not know
  std::function<std::string()> make_backup;
  OthersLocks others;
};

// In parts of a size that is fit for a frame; at least one.
std::vector<proto::Answer> answer(const proto::Read& read, const Asked& asked);

}  // namespace baton::server
