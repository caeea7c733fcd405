// Clients at work, each a thread with the public library: locks of their own and one that all want,
// durable and fast, an election, and a file that is counted up. Some hold a lock all the time. What
// they see is recorded, and judged in the end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "baton/client.h"
#include "service/failover/history.h"

namespace baton::test {

struct WorkloadOptions {
  std::string url;
  std::size_t durable = 2;
  std::size_t fast = 2;
  // So long that no session that can reach a leading server now and then may end.
  std::chrono::seconds ttl{20};
  bool may_lose_sessions = false;
  std::uint64_t seed = 1;
};

class Workload {
 public:
  explicit Workload(WorkloadOptions options);
  ~Workload();
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // Locks had so far.
  std::uint64_t grants() const { return grants_; }
  // Waits until every client has got something that it asked for after now.
  bool goes_on();
  // Ends the work, and says everything that was wrong with what the clients saw, and with what is
  // left of them at the service.
  std::string verdict();

 private:
  struct Worker {
    std::size_t number = 0;
    bool is_fast = false;
    std::atomic<std::uint64_t> done{0};  // pieces of work
    std::atomic<bool> has_ended{false};
    std::string doing;  // guarded by mutex_
    std::minstd_rand random;
    std::thread thread;
  };

  ClientOptions client_options(const Worker& worker) const;
  void work(Worker& worker);
  void keep(Worker& worker);
  void work_once(Worker& worker, Client& client);
  void take_lock(Worker& worker, Client& client, const std::string& name);
  void lead(Worker& worker, Client& client);
  void count_up(Worker& worker, Client& client);
  void believe(Worker& worker, const Lock& lock, const std::string& name);
  void refused(Worker& worker, const std::string& what, const Failure& failure);
  void observe();
  void doing(Worker& worker, std::string what);
  void wrong(const std::string& what);
  void lost(const Worker& worker, const Failure& why);
  void end_all();
  void look_at_what_is_left();

  WorkloadOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Client> observer_;
  Watch watch_;
  FencedResource resource_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> grants_{0};
  std::stop_source give_up_;
  bool has_ended_ = false;

  std::mutex mutex_;
  std::vector<Belief> beliefs_;
  std::vector<std::uint64_t> terms_;
  Count count_;
  std::vector<std::string> wrong_;
};

}  // namespace baton::test
