// The lease of a server in etcd, under which it lists itself and leads; and the proof that the
// lease still runs.
//
// The proof is service::LeaderProof, which is model-checked together with the lease protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/calls.h"
#include "service/cluster/replica_host.h"
#include "service/etcd/etcd.h"
#include "service/lease/lease.h"

namespace baton::cluster {

class LeaderLease {
 public:
  struct Events {
    std::function<void()> begun;  // there is a lease
    std::function<void()> over;   // there is none any more; another follows
    std::function<void()> renewing;
    // etcd did not do as it should; empty: it did.
    std::function<void(const std::string&)> troubled;
  };

  LeaderLease(etcd::Etcd& etcd, ReplicaHost& host, std::int64_t ttl_s, Events events);

  void start();
  // Gives it back; `done` is called also if etcd does not answer.
  void end(std::function<void()> done);

  etcd::LeaseId lease() const { return lease_; }  // 0: none
  // Whether etcd surely has not ended it yet.
  bool is_proven() const;
  // For how long a proof lasts, at most.
  std::int64_t length_us() const { return terms_.length().value; }
  std::int64_t proof_ends_us() const { return proof_.until().value; }

 private:
  void grant();
  void go_on();
  void renew();
  void look();
  service::Time now() const { return {host_.clock_us()}; }
  void lose();

  etcd::Etcd& etcd_;
  ReplicaHost& host_;
  std::int64_t ttl_s_;
  Events events_;
  etcd::LeaseId lease_ = 0;
  service::ProofTerms terms_;
  service::LeaderProof proof_;
  io::Calls calls_;
};

}  // namespace baton::cluster
