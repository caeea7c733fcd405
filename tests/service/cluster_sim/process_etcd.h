// etcd as a process sees it: what it calls back comes in the process's turn. Some rules of the
// cluster can be left out here (Flaw).
#pragma once

#include <memory>
#include <utility>

#include "service/cluster_sim/process.h"
#include "service/cluster_sim/scene.h"
#include "support/model_etcd.h"

namespace baton::cluster_sim {

class ProcessEtcd final : public etcd::Etcd {
 public:
  ProcessEtcd(Process& process, std::unique_ptr<etcd::ModelClient> client, Flaw flaw)
      : process_(process), client_(std::move(client)), flaw_(flaw) {}

  etcd::ModelClient& client() { return *client_; }

  void transact(etcd::Transaction transaction,
                std::function<void(const etcd::Outcome&, etcd::TransactionResult)> done) override;
  void range(etcd::Range range,
             std::function<void(const etcd::Outcome&, etcd::RangeResult)> done) override;
  void grant_lease(
      std::int64_t ttl_s,
      std::function<void(const etcd::Outcome&, etcd::LeaseId, std::int64_t ttl_s)> done) override;
  void renew_lease(etcd::LeaseId lease,
                   std::function<void(const etcd::Outcome&, std::int64_t ttl_s)> done) override;
  void revoke_lease(etcd::LeaseId lease, std::function<void(const etcd::Outcome&)> done) override;
  WatchId watch(etcd::KeyRange keys, etcd::Revision from,
                std::function<void(etcd::Changes)> changes) override;
  void unwatch(WatchId watch) override { client_->unwatch(watch); }
  void compact(etcd::Revision revision, std::function<void(const etcd::Outcome&)> done) override;
  void members(std::function<void(std::vector<etcd::MemberStatus>)> done) override;

 private:
  template <class Function>
  auto in_turn(Function function) {
    return [&process = process_, function = std::move(function)](auto... arguments) {
      process.run([function, ... arguments = std::move(arguments)] { function(arguments...); });
    };
  }

  Process& process_;
  std::unique_ptr<etcd::ModelClient> client_;
  Flaw flaw_;
  etcd::KeyValue leader_;  // as a watch last told of it
};

}  // namespace baton::cluster_sim
