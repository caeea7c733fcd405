// A real etcd of the test's own: one or several members on loopback, with ports of their own, in a
// directory that goes away with them. Members can be killed, paused, and started again; all of them
// end with the test, also if it crashes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/reserved_port.h"

namespace baton::support {

// A directory that goes away; in memory where that can be had, since syncs cost nothing there.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct EtcdClusterOptions {
  std::size_t members = 1;
  std::int64_t heartbeat_ms = 100;  // etcd's defaults
  std::int64_t election_ms = 1000;
  std::vector<std::string> arguments;  // more of them, for every member
  // For clients; empty: no TLS.
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  bool asks_for_certificates = false;
};

class EtcdCluster {
 public:
  // Waits until all members are healthy. Throws std::runtime_error, with etcd's last words, if they
  // are not in time.
  explicit EtcdCluster(EtcdClusterOptions options = {});
  ~EtcdCluster();
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;

  std::size_t size() const { return members_.size(); }
  std::string endpoint(std::size_t member) const;  // "127.0.0.1:2379"
  std::vector<std::string> endpoints() const;
  pid_t pid(std::size_t member) const { return members_.at(member).pid; }
  bool is_running(std::size_t member) const { return members_.at(member).pid > 0; }

  void kill(std::size_t member);  // SIGKILL, and waits for its end
  void stop(std::size_t member);  // SIGTERM, and waits for its end
  void pause(std::size_t member);
  void resume(std::size_t member);
  void start(std::size_t member);  // again, with what it had

  // It answers, has a leader, and can commit.
  bool is_healthy(std::size_t member) const;
  void wait_healthy(std::size_t member) const;
  void wait_healthy() const;  // all that run
  // The one that leads; waits until there is one among those that run.
  std::size_t leader() const;

 private:
  struct ViewMember {
    pid_t pid = 0;
    io::ReservedPort client_port;
    io::ReservedPort peer_port;
    io::ReservedPort metrics_port;
  };

  void start_all();
  std::vector<std::string> command(std::size_t member) const;
  std::string log(std::size_t member) const;
  std::string last_words(std::size_t member) const;
  bool leads(std::size_t member) const;
  bool has_exited(std::size_t member);
  void end(std::size_t member, int signal);

  EtcdClusterOptions options_;
  ScratchDirectory directory_;
  std::vector<ViewMember> members_;
};

}  // namespace baton::support
