// A cluster and its clients in virtual time, and everything that befalls them, from one seed.
//
// For a while there are faults of the kinds that the seed has chosen. Then they stop, everything is
// started again, and within a bounded time every client must get a lock again; at last all servers
// must have the same state, and a newcomer must read the same from etcd.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "service/cluster_sim/judge.h"
#include "service/cluster_sim/scene.h"
#include "service/cluster_sim/sim_client.h"
#include "service/cluster_sim/sim_server.h"
#include "service/cluster_sim/wire.h"

namespace baton::cluster_sim {

struct WorldOptions {
  Flaw flaw = Flaw::none;
  service::LeaseRule omitted_by_clients = service::LeaseRule::none;
  bool is_traced = false;
  std::vector<ClientPlan> clients;  // if these, then no faults by chance either
};

// What happened in it: a world in which nothing happens proves nothing.
struct Counts {
  std::uint64_t entries = 0;      // into locks
  std::uint64_t counted = 0;      // up the file
  std::uint64_t endings = 0;      // of sessions
  std::uint64_t leaderships = 0;  // that began
  std::uint64_t snapshots = 0;
  std::uint64_t faults = 0;

  Counts& operator+=(const Counts& other);
};

class World {
 public:
  World(std::uint64_t seed, const WorldOptions& options);
  ~World();

  // What went wrong; empty: nothing.
  std::string run();

  // In steps, for stories that are told by a test.
  void begin();
  void pass(std::int64_t us);
  std::string end();
  SimServer* leader();
  SimServer& server(std::size_t number) { return *servers_[number]; }
  SimClient& client(std::size_t number) { return *clients_[number]; }
  void block(SimClient& client, std::size_t server, bool is_blocked);
  const Judge& judge() const { return judge_; }
  const std::string& problem() const { return scene_.problem; }

  Counts counts() const;
  // The last of what happened, if it is traced.
  std::string trace() const;

 private:
  enum class Fault : std::uint8_t {
    crash,
    stop,
    pause,
    suspicion,
    cut_from_etcd,
    bad_etcd,
    slow_watch,
    no_quorum,
    etcd_leader,
    etcd_full,
    lost_lease,
    client_pause,
    client_cut,
    broken_wire,
    client_death
  };
  static constexpr std::size_t fault_kinds = 15;

  void make_servers();
  std::vector<ClientPlan> some_clients();
  void make_clients(const std::vector<ClientPlan>& plans);
  std::shared_ptr<Wire> connect(SimClient& client, std::size_t server);
  ProcessClock some_clock();

  template <class Condition>
  bool run_until(std::int64_t us, Condition condition);
  void look();

  void fault_later();
  void cause(Fault fault);
  void harm_server(Fault fault, SimServer& server);
  void harm_etcd(Fault fault);
  void harm_client(Fault fault, SimClient& client);
  void cut_from_etcd(SimServer& server, std::int64_t length_us);
  void crash(SimServer& server);
  void look_for_the_dead(const std::string& url);
  SimServer& some_server();
  void heal();

  std::string describe() const;
  bool are_all_granted() const;
  bool are_all_idle() const;
  bool are_all_equal_in_position();
  void compare_states();
  void replay();

  Scene scene_;
  Judge judge_;
  std::vector<std::unique_ptr<SimServer>> servers_;
  std::vector<std::unique_ptr<SimClient>> clients_;
  std::vector<std::shared_ptr<Wire>> wires_;
  std::vector<std::vector<int>> blocked_;  // by client and server
  std::vector<Fault> kinds_;
  std::int64_t between_faults_us_ = 0;
  bool is_quiet_ = false;
  std::uint64_t faults_ = 0;
};

}  // namespace baton::cluster_sim
