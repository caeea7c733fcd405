// A group of peers on loopback: each member is a process of its own (`baton peer`), with a wire
// between any two that the test can cut. All of it ends with the test.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "baton/client.h"
#include "cli/service/tool.h"
#include "io/clock.h"
#include "io/reserved_port.h"
#include "peers/member/judge.h"
#include "service/failover/wire.h"

namespace baton::test {

struct BandOptions {
  std::size_t size = 3;
  std::string algorithm = "ricart-agrawala";
  std::string election = "chang-roberts";
  bool starts = true;       // ... and waits until all are in one group
  bool is_hasty = false;    // with leases as short as can be, for those who wait for their end
  std::string arguments{};  // more of them, for every member
  // When it ends, what the members have written down is judged (peers/member/judge.h).
  bool is_judged = true;
  std::uint64_t seed = 1;
};

class Band {
 public:
  explicit Band(BandOptions options = {});
  ~Band();
  Band(const Band&) = delete;
  Band& operator=(const Band&) = delete;

  std::size_t size() const { return members_.size(); }
  std::string url(std::size_t member) const;
  std::uint16_t port(std::size_t member) const { return members_.at(member).port.number(); }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  // The group's file, as this member is told.
  std::filesystem::path group_file(std::size_t member) const;
  // What follows `baton `, to start it.
  std::string command(std::size_t member) const;

  void start(std::size_t member);
  void kill(std::size_t member);  // -9
  int stop(std::size_t member);   // cleanly: what it ended with
  void pause(std::size_t member);
  void resume(std::size_t member);
  bool is_running(std::size_t member) const { return members_.at(member).process > 0; }
  bool is_paused(std::size_t member) const { return members_.at(member).is_paused; }

  // Between two of them; who has the smaller number dials.
  Wire& between(std::size_t one, std::size_t other);
  // From all others.
  void cut_off(std::size_t member);
  void heal();

  // What it has said since the test began.
  std::string log(std::size_t member) const;
  bool will_say(std::size_t member, const std::string& words) const;
  std::string logs() const;
  // Of the latest view that it has told of; 0 if it has told of none.
  std::uint64_t epoch(std::size_t member) const;

  std::optional<StatusInfo> status(std::size_t member) const;
  // It is in a group of so many, and says of no trouble.
  bool works(std::size_t member, std::size_t with) const;
  // All that run are in one group. Throws if they are not in time.
  void wait_until_all_work() const;

  Client connect(std::size_t member, std::chrono::seconds ttl = std::chrono::seconds(20)) const;

  // By what the members have written down up to now.
  Verdict verdict() const;

 private:
  struct Member {
    io::ReservedPort port;
    pid_t process = 0;
    bool is_paused = false;
    std::vector<Wire*> to;  // those after it
    std::vector<std::vector<Suffered>> lives;
  };

  void write_group_file(std::size_t member) const;
  int end(std::size_t member, int signal);
  // In its present life.
  void note(std::size_t member, TraceKind kind);
  std::filesystem::path trace_file(std::size_t member, std::size_t life) const;
  void expect_kept_promises();

  BandOptions options_;
  Folder folder_;
  std::vector<Member> members_;
  Network network_;
};

// Asks for a lock, and does not wait for it.
std::future<Result<Lock>> ask(Client& client, const std::string& name);
// Whether it comes, in the time that anything may take on a busy machine.
bool comes(std::future<Result<Lock>>& asked);

}  // namespace baton::test
