// A whole cluster on loopback: real members of etcd and real servers, each a process of its own,
// with wires between them that the test can cut. All of it ends with the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baton/client.h"
#include "io/clock.h"
#include "service/failover/wire.h"
#include "support/etcd_process.h"

namespace baton::test {

// Looks again and again, for as long as anything may take on a busy machine.
bool eventually(const std::function<bool()>& is_so,
                std::chrono::seconds patience = std::chrono::seconds(60));

struct FleetOptions {
  std::size_t servers = 3;
  std::size_t etcd = 1;
  std::vector<std::string> etcd_arguments{};
  bool has_etcd_wires = false;    // each server reaches each member of etcd by a wire of its own
  bool has_server_wires = false;  // what a server advertises is a wire to it
  bool starts_servers = true;     // ... and waits until one leads
  std::string prefix = "test";
  std::vector<std::string> arguments{};    // as start() has them, for every server
  std::vector<std::string> environment{};  // "NAME=value", for every server
  std::uint64_t seed = 1;
};

class Fleet {
 public:
  explicit Fleet(FleetOptions options = {});
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  std::size_t size() const { return servers_.size(); }
  support::EtcdCluster& etcd() { return *etcd_; }
  Network& network() { return network_; }
  std::filesystem::path file(const std::string& name) const { return directory_.path() / name; }

  // All of them, as clients are told of them (through the wires, if there are any).
  std::string url() const;
  std::string url(std::size_t server) const;
  // Past the wires.
  std::string direct_url() const;
  std::string direct_url(std::size_t server) const;
  // "etcd://…/prefix", as this server is told.
  std::string journal(std::size_t server) const;

  // With these options instead of, or besides, those that it has: {"--name", "other", …}.
  void start(std::size_t server, std::vector<std::string> more = {});
  void kill(std::size_t server);        // -9
  int stop(std::size_t server);         // cleanly: what it ended with
  void begin_stop(std::size_t server);  // ... without waiting for its end
  int wait(std::size_t server);         // until it ends by itself
  void pause(std::size_t server);
  void resume(std::size_t server);
  bool is_running(std::size_t server);
  bool is_paused(std::size_t server) const { return servers_.at(server).is_paused; }

  // What it has said since the test began.
  std::string log(std::size_t server) const;
  bool has_said(std::size_t server, const std::string& words) const;
  bool will_say(std::size_t server, const std::string& words) const;
  // What all have said, for a message of a test that fails.
  std::string logs() const;
  // Of all times that any server came to lead, in the order of the servers.
  std::vector<std::uint64_t> epochs() const;

  // What it says of itself, past the wires; none if it does not answer.
  std::optional<StatusInfo> status(std::size_t server) const;
  bool leads(std::size_t server) const;
  // Whoever leads; waits until somebody does. Throws if nobody does in time.
  std::size_t leader();
  // ... another than this one.
  std::size_t leader_but(std::size_t not_this);

  Client connect(ClientOptions options = {}) const;

  Wire& to_etcd(std::size_t server, std::size_t member = 0);
  // All wires from this server to etcd.
  void each_to_etcd(std::size_t server, const std::function<void(Wire&)>& what);
  Wire& to_server(std::size_t server) { return *servers_.at(server).wire; }
  void heal();

 private:
  struct Server {
    io::ReservedPort port;
    pid_t process = 0;
    bool is_paused = false;
    Wire* wire = nullptr;
    std::vector<Wire*> to_etcd;
  };

  int end(std::size_t server, int signal);
  std::string log_file(std::size_t server) const;

  FleetOptions options_;
  support::ScratchDirectory directory_;
  std::unique_ptr<support::EtcdCluster> etcd_;
  std::vector<Server> servers_;
  Network network_;
};

}  // namespace baton::test
