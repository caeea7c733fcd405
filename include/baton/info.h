// The service's reports about itself: who holds, who waits and for whom, and how the servers are.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton {
inline namespace v1 {

// Over HTTP a client may say who it is. Otherwise `host` is the address that it came from
// ("127.0.0.1:52318", or "unix socket"), `user` is empty and `process` is 0.
struct Who {
  std::string host;
  std::uint32_t process = 0;
  std::string user;
  std::string label;
};

struct HolderInfo {
  std::uint64_t session = 0;
  std::uint64_t owner = 0;
  Who who;
  std::string label;
  bool shared = false;
  std::uint64_t fence = 0;
  std::uint32_t slot = 0;
  std::chrono::microseconds held_for{0};
  std::string value;    // of a leader
  bool ending = false;  // the server has told the holder that its hold is over
};

struct WaiterInfo {
  std::uint64_t session = 0;
  std::uint64_t owner = 0;
  Who who;
  std::string label;
  bool shared = false;
  std::uint64_t ticket = 0;
  std::chrono::microseconds waited_for{0};
  std::vector<std::string> names;  // all names of this one request
};

struct LockInfo {
  bool election = false;
  std::string name;
  std::uint32_t slots = 1;
  std::vector<HolderInfo> holders;
  std::vector<WaiterInfo> waiters;  // in order
  // How much longer the lock stays closed after its holder's session expired.
  std::chrono::microseconds closed_for{0};
};

// An edge of the wait-for graph.
struct WaitEdge {
  std::uint64_t from_session = 0;
  std::uint64_t from_owner = 0;
  std::uint64_t to_session = 0;
  std::uint64_t to_owner = 0;
  bool election = false;
  std::string name;
  bool by_queue = false;  // the other waits too, ahead in the queue
};

struct LockQuery {
  bool elections = false;             // true: elections, false: locks
  std::optional<std::string> name{};  // only this name; none: all names with the prefix
  std::string prefix{};
};
struct LocksInfo {
  std::vector<LockInfo> locks;
  std::vector<WaitEdge> edges;
  std::uint64_t revision = 0;
  // Group members that do not answer; the report lacks their locks.
  std::vector<std::string> silent;
};

struct SessionInfo {
  std::uint64_t session = 0;
  Who who;
  std::chrono::microseconds ttl{0};
  std::chrono::microseconds lease_left{0};
  bool fast = false;
  std::uint64_t within = 0;
  bool connected = false;
  std::uint32_t holds = 0;
  std::uint32_t waits = 0;
  std::chrono::microseconds open_for{0};
};

// A server of the cluster, by its own latest report.
struct ServerInfo {
  std::string name;
  std::string url;
  std::string program;
  std::uint64_t position = 0;  // how far it has read the journal
  bool leads = false;
};

// A member of the etcd cluster; `problem` says why the server cannot reach it.
struct EtcdInfo {
  std::string endpoint;
  bool is_healthy = false;
  bool leads = false;
  std::string version;
  std::int64_t bytes = 0;
  std::string problem;
};

// A group of peers as one of its members sees it.
struct PeerMemberInfo {
  std::string id;
  std::string address;
  bool belongs = false;  // is in the group's present view
  bool is_connected = false;
  bool is_arbiter = false;  // arbitrates elections
  std::string problem;      // why it cannot be reached
};
struct PeerGroupInfo {
  std::string name;
  std::string self;
  std::string algorithm;
  std::string election;
  std::uint64_t epoch = 0;
  bool is_working = false;  // a majority agrees on the members of the group
  std::vector<PeerMemberInfo> members;
  std::uint64_t messages = 0;  // messages of the algorithm that this member has sent
  std::uint64_t grants = 0;
};

struct StatusInfo {
  std::string server;
  std::string program;
  std::string scope;
  std::uint32_t process = 0;
  std::uint64_t epoch = 0;
  std::chrono::microseconds leads_for{0};
  std::string journal;
  std::uint64_t position = 0;
  std::uint64_t sessions = 0;
  std::uint64_t locks = 0;
  std::uint64_t waiters = 0;
  std::uint64_t files = 0;
  std::uint64_t revision = 0;
  std::uint64_t connections = 0;
  std::vector<std::string> http;  // where it serves HTTP
  std::uint64_t last_fence = 0;
  // Sessions that have not yet reported their holds after a restart.
  std::vector<std::uint64_t> waits_for_reports_of;
  // In a cluster.
  bool follows = false;  // another server leads
  std::string leader;    // the server that leads
  std::string leader_url;
  std::string trouble;                      // why the server cannot serve now
  std::chrono::microseconds proof_left{0};  // the server leads at least this long without renewing
  std::vector<ServerInfo> servers;
  std::vector<EtcdInfo> etcd;
  std::optional<PeerGroupInfo> group;  // set by a member of a group of peers
};

}  // namespace v1
}  // namespace baton
