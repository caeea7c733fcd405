// One renewal of a lease: etcd has only a stream for it, of which this uses one question and one
// answer. Only for the files of this folder that speak gRPC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "service/etcd/connection.h"

namespace baton::etcd {

class Renewal : public Job {
 public:
  // Under the lock.
  using Done = std::function<void(const Outcome&, std::int64_t ttl_s)>;

  Renewal(Connection& connection, LeaseId lease, Done done);

  void clear() override { stream_.reset(); }
  void send(Endpoint& endpoint) override;
  void arrived(bool ok) override;
  void give_up(const Outcome& outcome) override;

 private:
  using Stream =
      grpc::ClientAsyncReaderWriter<pb::LeaseKeepAliveRequest, pb::LeaseKeepAliveResponse>;
  enum class State { starting, writing, reading, finishing };

  void finished();
  void* tag() { return static_cast<Job*>(this); }

  Connection& connection_;
  pb::LeaseKeepAliveRequest request_;
  Done done_;
  State state_ = State::starting;
  std::unique_ptr<Stream> stream_;
  pb::LeaseKeepAliveResponse response_;
  bool has_answer_ = false;
  grpc::Status status_;
};

}  // namespace baton::etcd
