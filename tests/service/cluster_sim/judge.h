// What the clients may rely on, judged by what they are told and by nothing else that servers do.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "service/cluster_sim/scene.h"
#include "service/state/state.h"

namespace baton::cluster_sim {

class SimClient;
class SimServer;

inline constexpr const char* counted_file = "counter";

// A lock that a client believes to hold.
struct Entry {
  std::string name;
  bool is_shared = false;
  std::uint64_t fence = 0;
};

class Judge {
 public:
  explicit Judge(Scene& scene) : scene_(scene) {}

  void set_world(std::vector<SimClient*> clients, std::vector<SimServer*> servers) {
    clients_ = std::move(clients);
    servers_ = std::move(servers);
  }

  // Locks, as the clients see them.
  void entered(const SimClient& client, const Entry& entry, std::uint64_t ticket);
  void left(const SimClient& client);

  // The file that is counted up, each time from the version that it had.
  void counted(const SimClient& client, std::uint64_t from, std::uint64_t to);
  std::uint64_t most_counted() const { return most_counted_; }
  void read(const SimClient& client, std::uint64_t at_least, std::uint64_t version,
            const std::string& value);

  // The end of a session: said by a server, or since nobody has answered.
  void told_over(const SimClient& client, const SimServer& by);
  void unanswered(const SimClient& client, std::int64_t lease_us);

  // What clients hold must be known to who leads.
  void look_at(const SimServer& leader);

  std::uint64_t entries() const { return entries_; }
  std::uint64_t endings() const { return endings_; }

 private:
  void check_alone(const SimClient& client, const Entry& entry);
  void check_fence(const SimClient& client, const Entry& entry);
  void check_order(const SimClient& client, const Entry& entry, std::uint64_t ticket);

  struct Fences {
    std::uint64_t largest = 0;
    std::uint64_t largest_exclusive = 0;
  };

  Scene& scene_;
  std::vector<SimClient*> clients_;
  std::vector<SimServer*> servers_;
  std::map<int, Entry> inside_;  // by client
  std::map<std::string, Fences> fences_;
  std::map<std::uint64_t, std::string> exclusive_;  // who was given a fence
  std::uint64_t most_counted_ = 0;
  std::set<std::uint64_t> counted_;
  std::uint64_t entries_ = 0;
  std::uint64_t endings_ = 0;
};

}  // namespace baton::cluster_sim
