// The watches of clients: which files and elections each client watches, and up to which change it
// has been told.
//
// The frontend passes only durable changes, in order. A watch that begins in the past first
// receives the past changes that the state still keeps.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "baton/client.pb.h"
#include "service/server/client_port.h"
#include "service/state/state.h"

namespace baton::server {

class Watches {
 public:
  // All changes up to this one have been told to those who watched.
  void begin_at(service::Revision revision) { told_ = revision; }
  service::Revision told() const { return told_; }

  // Sends what has happened since `after`, and from then on whatever does.
  void add(ClientPort& client, const proto::Watch& watch, const service::State& state);
  void remove(ClientPort& client, std::uint64_t number);
  void remove_all(ClientPort& client);

  void changed(const service::Change& change);
  // Sends what has been gathered by changed().
  void flush();

  std::size_t size() const { return watches_.size(); }

 private:
  struct Watch {
    ClientPort* client = nullptr;
    std::uint64_t number = 0;
    bool is_of_leaders = false;
    std::string prefix;
    proto::ServerMessage pending;  // Changes
    std::size_t pending_bytes = 0;

    bool concerns(const service::Change& change) const;
  };

  static void add_change(Watch& watch, const service::Change& change);
  void send(Watch& watch);

  std::vector<Watch> watches_;
  service::Revision told_;
  bool has_pending_ = false;
};

}  // namespace baton::server
