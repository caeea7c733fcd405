// One watch: a stream of its own, begun again after every cut where it was cut. Only for the files
// of this folder that speak gRPC.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "service/etcd/connection.h"

namespace baton::etcd {

class Watching : public Job {
 public:
  // `told` is called under the lock.
  Watching(Connection& connection, KeyRange keys, Revision from, std::function<void(Changes)> told);

  void clear() override { stream_.reset(); }
  void send(Endpoint& endpoint) override;
  void arrived(bool ok) override;
  void give_up(const Outcome& outcome) override;

  // Nothing is told any more. The watch is dropped when gRPC is done with it.
  void stop();

 private:
  using Stream = grpc::ClientAsyncReaderWriter<pb::WatchRequest, pb::WatchResponse>;
  enum class State { starting, writing, reading, finishing };

  void handle(pb::WatchResponse& response);
  void gather(pb::WatchResponse& response);
  void tell_complete(bool is_last_complete);
  void end(const Outcome& outcome);
  void finish();
  void finished();
  void* tag() { return static_cast<Job*>(this); }

  Connection& connection_;
  KeyRange keys_;
  Revision next_;  // to be told; 0: what comes after the watch has begun
  std::function<void(Changes)> told_;
  bool is_over_ = false;

  State state_ = State::starting;
  std::unique_ptr<Stream> stream_;
  pb::WatchResponse response_;
  grpc::Status status_;
  std::string canceled_;         // why etcd has ended it
  std::vector<Event> gathered_;  // the last revision may be incomplete
  std::chrono::milliseconds pause_;
};

}  // namespace baton::etcd
