// The numbers by which the parts of the service notice that another version wrote or speaks. Others
// stand with their formats: the journal's tables and marks in service/journal, the links between
// peers in peers/net/hello.h, traces and schedules in lab/view, the program in baton/version.h.
#pragma once

#include <cstdint>

namespace baton::service {

inline constexpr std::uint32_t protocol_version = 1;  // of Hello and Welcome (client.proto)
inline constexpr std::uint32_t record_format = 1;     // of batches and snapshots (journal.proto)
inline constexpr std::uint32_t backup_format = 1;     // of what `baton backup` writes
inline constexpr std::uint32_t cluster_format = 1;    // of what a cluster keeps in etcd

}  // namespace baton::service
