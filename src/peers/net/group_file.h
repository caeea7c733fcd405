// The group file: which members a group has, and how it works. All members read the same file.
//
//   group = tellers
//   algorithm = naimi-trehel
//   election = chang-roberts
//   member 1 = 10.0.0.1:7001
//   member 2 = 10.0.0.2:7001
//   member 3 = 10.0.0.3:7001
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/trace.h"
#include "peers/net/link_options.h"

namespace baton::net {

// By what was measured: docs/peers-measured.md.
inline constexpr std::string_view default_algorithm = "naimi-trehel";
inline constexpr std::string_view default_election = "chang-roberts";
inline constexpr std::size_t most_members = 64;

struct GroupFile {
  std::string group = "baton";
  std::string algorithm{default_algorithm};
  std::string election{default_election};
  std::vector<LinkMember> members;           // in the order of the file
  std::chrono::milliseconds heartbeat{100};  // each member to each other
  std::uint32_t patience = 4;                // heartbeats missed, then it is suspected
  std::uint32_t lease = 30;                  // heartbeats without a majority, then all is lost
  std::optional<io::TlsFiles> tls;

  // The member with this name, or nobody.
  NodeId find(std::string_view id) const;
  // For how long a member can promise something to its clients: it is never sure of its whole
  // lease, since what others say of it is up to two heartbeats old.
  std::chrono::milliseconds longest_promise() const {
    return static_cast<int>(lease - std::min(lease, std::max(lease / 4, 3U))) * heartbeat;
  }
  // Everything that must be the same for all members, in words.
  std::string dialect() const;
};

// The message names the problem and the line.
class GroupFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `source` is its name in messages, and the folder of relative paths. Throws GroupFileError.
GroupFile parse_group(std::string_view text, const std::string& source);
GroupFile read_group(const std::string& path);
// A trace of the group, without events.
Trace trace_of(const GroupFile& group);
// The algorithms are known, and keep their promises here. Throws GroupFileError.
void check_algorithms(const GroupFile& group);

}  // namespace baton::net
