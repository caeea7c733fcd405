// The connection to etcd: its members, the one in use, the token, and the thread on which gRPC
// reports events. Only for the files of this folder that speak gRPC.
//
// Every call to etcd is a Job. It waits until there is a connection (and a token, if there is a
// user). Then it is sent, and has exactly one event of gRPC outstanding until it is over. All of it
// happens under one lock; callbacks go to the caller's executor, without the lock.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "etcd/rpc.grpc.pb.h"
#include "service/etcd/etcd.h"
#include "service/etcd/grpc_etcd.h"

namespace baton::etcd {

namespace pb = ::etcdserverpb;
using Clock = std::chrono::steady_clock;

struct Endpoint {
  std::size_t index = 0;
  std::string address;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<pb::KV::Stub> kv;
  std::unique_ptr<pb::Watch::Stub> watch;
  std::unique_ptr<pb::Lease::Stub> lease;
  std::unique_ptr<pb::Maintenance::Stub> maintenance;
  std::unique_ptr<pb::Auth::Stub> auth;
  bool was_asked_why = false;  // it cannot be reached
  std::string problem;
};

class Connection;

// All functions are called with the connection's lock held.
class Job {
 public:
  virtual ~Job() = default;

  // Destroys the parts of the last attempt, before its context: they lie in memory of the context.
  virtual void clear() = 0;
  // Begins anew, with the context made for this attempt.
  virtual void send(Endpoint& endpoint) = 0;
  // The event that was outstanding.
  virtual void arrived(bool ok) = 0;
  // It will not be sent (again).
  virtual void give_up(const Outcome& outcome) = 0;

  void cancel() {
    if (context) context->TryCancel();
  }

  Clock::time_point deadline = Clock::time_point::max();
  Clock::time_point not_before = Clock::time_point::min();
  bool needs_token = true;
  bool is_long = false;    // goes to another endpoint when its own is left
  bool is_pinned = false;  // is about one endpoint, and not sent to any other
  bool token_was_renewed = false;

  // Of the latest attempt.
  std::unique_ptr<grpc::ClientContext> context;
  std::size_t endpoint = 0;
  std::string token;
  bool is_waiting = false;
};

class Connection {
 public:
  explicit Connection(const EtcdOptions& options);
  // Calls nobody back any more.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The following take the lock.
  void start(std::unique_ptr<Job> job);
  void start_at(std::size_t endpoint, std::unique_ptr<Job> job);  // there or not at all
  void with_lock(const std::function<void()>& action);
  // To be used if it is connected; otherwise it is connected to, for the next time.
  void prefer(const std::string& address);
  Clock::time_point deadline() const { return Clock::now() + timeout_; }
  std::size_t endpoint_count() const { return endpoints_.size(); }
  const std::string& address(std::size_t endpoint) const { return endpoints_[endpoint].address; }

  // The following are for jobs, under the lock.
  void wait(Job& job);
  void drop(Job& job);                // it is over
  void failed(std::size_t endpoint);  // use another
  // Whether the job is to be sent again with a new token, which it then waits for.
  bool renews_token(Job& job, const std::string& error);
  void post(std::function<void()> callback);
  grpc::CompletionQueue* queue() { return &queue_; }
  bool is_closing() const { return is_closing_; }

 private:
  void run();
  void close_if_idle();
  void pump();
  void tick();
  void set_alarm();
  void expire();
  bool find_ready();
  void ask_why(Endpoint& endpoint);
  void authenticate();
  void authenticated(const Outcome& outcome, const std::string& token);
  void send(Job& job, Endpoint& endpoint);
  std::string describe() const;

  EtcdOptions options_;
  std::chrono::milliseconds timeout_;
  std::vector<Endpoint> endpoints_;

  std::mutex mutex_;
  grpc::CompletionQueue queue_;
  std::unordered_map<Job*, std::unique_ptr<Job>> jobs_;
  std::vector<Job*> waiting_;  // in the order in which they came
  std::vector<std::function<void()>> callbacks_;

  std::size_t current_ = 0;
  // While nothing is ready: how many endpoints after the current one are tried as well.
  std::size_t others_tried_ = 0;
  Clock::time_point next_other_ = Clock::time_point::max();

  bool needs_token_;
  bool is_authenticating_ = false;
  Clock::time_point next_authentication_ = Clock::time_point::min();
  std::string token_;

  grpc::Alarm alarm_;
  bool alarm_is_set_ = false;
  std::chrono::milliseconds alarm_pause_{1};

  bool is_closing_ = false;
  bool is_shut_down_ = false;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
  std::thread thread_;
};

}  // namespace baton::etcd
