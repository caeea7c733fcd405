#include "service/etcd/grpc_etcd.h"

#include <atomic>
#include <memory>
#include <unordered_map>
#include <utility>

#include "service/etcd/connection.h"
#include "service/etcd/convert.h"
#include "service/etcd/renewal.h"
#include "service/etcd/unary.h"
#include "service/etcd/watching.h"

namespace baton::etcd {

namespace {

class GrpcEtcd : public Etcd {
 public:
  explicit GrpcEtcd(const EtcdOptions& options) : connection_(options) {}

  void transact(Transaction transaction,
                std::function<void(const Outcome&, TransactionResult)> done) override {
    ask<pb::TxnRequest, pb::TxnResponse>(
        [](Endpoint& where, grpc::ClientContext* context, const pb::TxnRequest& request,
           grpc::CompletionQueue* queue) {
          return where.kv->PrepareAsyncTxn(context, request, queue);
        },
        to_etcd(std::move(transaction)),
        [done = std::move(done)](const Outcome& outcome, pb::TxnResponse&& answer) {
          done(outcome, from_etcd(std::move(answer)));
        });
  }

  void range(Range range, std::function<void(const Outcome&, RangeResult)> done) override {
    ask<pb::RangeRequest, pb::RangeResponse>(
        [](Endpoint& where, grpc::ClientContext* context, const pb::RangeRequest& request,
           grpc::CompletionQueue* queue) {
          return where.kv->PrepareAsyncRange(context, request, queue);
        },
        to_etcd(std::move(range)),
        [done = std::move(done)](const Outcome& outcome, pb::RangeResponse&& answer) {
          done(outcome, from_etcd(std::move(answer)));
        });
  }

  void grant_lease(std::int64_t ttl_s,
                   std::function<void(const Outcome&, LeaseId, std::int64_t ttl_s)> done) override {
    pb::LeaseGrantRequest request;
    request.set_ttl(ttl_s);
    ask<pb::LeaseGrantRequest, pb::LeaseGrantResponse>(
        [](Endpoint& where, grpc::ClientContext* context, const pb::LeaseGrantRequest& what,
           grpc::CompletionQueue* queue) {
          return where.lease->PrepareAsyncLeaseGrant(context, what, queue);
        },
        std::move(request),
        [done = std::move(done)](const Outcome& outcome, pb::LeaseGrantResponse&& answer) {
          done(outcome, answer.id(), answer.ttl());
        });
  }

  void renew_lease(LeaseId lease,
                   std::function<void(const Outcome&, std::int64_t ttl_s)> done) override {
    connection_.start(std::make_unique<Renewal>(
        connection_, lease,
        [this, done = std::move(done)](const Outcome& outcome, std::int64_t ttl_s) {
          connection_.post([done, outcome, ttl_s] { done(outcome, ttl_s); });
        }));
  }

  void revoke_lease(LeaseId lease, std::function<void(const Outcome&)> done) override {
    pb::LeaseRevokeRequest request;
    request.set_id(lease);
    ask<pb::LeaseRevokeRequest, pb::LeaseRevokeResponse>(
        [](Endpoint& where, grpc::ClientContext* context, const pb::LeaseRevokeRequest& what,
           grpc::CompletionQueue* queue) {
          return where.lease->PrepareAsyncLeaseRevoke(context, what, queue);
        },
        std::move(request),
        [done = std::move(done)](const Outcome& outcome, pb::LeaseRevokeResponse&&) {
          done(outcome);
        });
  }

  WatchId watch(KeyRange keys, Revision from, std::function<void(Changes)> changes) override;
  void unwatch(WatchId watch) override;

  void compact(Revision revision, std::function<void(const Outcome&)> done) override {
    pb::CompactionRequest request;
    request.set_revision(revision);
    ask<pb::CompactionRequest, pb::CompactionResponse>(
        [](Endpoint& where, grpc::ClientContext* context, const pb::CompactionRequest& what,
           grpc::CompletionQueue* queue) {
          return where.kv->PrepareAsyncCompact(context, what, queue);
        },
        std::move(request),
        [done = std::move(done)](const Outcome& outcome, pb::CompactionResponse&&) {
          done(outcome);
        });
  }

  void members(std::function<void(std::vector<MemberStatus>)> done) override;
  void prefer(const std::string& endpoint) override { connection_.prefer(endpoint); }

 private:
  struct Watched {
    Watching* job = nullptr;  // none: it is over
    std::shared_ptr<std::atomic<bool>> is_wanted;
  };

  template <class Request, class Response, class Done>
  void ask(typename Unary<Request, Response>::Prepare prepare, Request request, Done done) {
    connection_.start(std::make_unique<Unary<Request, Response>>(
        connection_, prepare, std::move(request),
        [this, done = std::move(done)](const Outcome& outcome, Response& answer) {
          connection_.post([done, outcome, answer = std::make_shared<Response>(std::move(answer))] {
            done(outcome, std::move(*answer));
          });
        }));
  }

  std::unordered_map<WatchId, Watched> watches_;  // under the connection's lock
  WatchId last_watch_ = 0;
  Connection connection_;
};

Etcd::WatchId GrpcEtcd::watch(KeyRange keys, Revision from, std::function<void(Changes)> changes) {
  WatchId id = 0;
  auto is_wanted = std::make_shared<std::atomic<bool>>(true);
  connection_.with_lock([&] { id = ++last_watch_; });
  auto told = [this, id, is_wanted, changes = std::move(changes)](Changes news) {
    if (!news.outcome.ok()) watches_.erase(id);
    connection_.post([is_wanted, changes, news = std::make_shared<Changes>(std::move(news))] {
      if (*is_wanted) changes(std::move(*news));
    });
  };
  auto job = std::make_unique<Watching>(connection_, std::move(keys), from, std::move(told));
  connection_.with_lock([&] { watches_[id] = {job.get(), is_wanted}; });
  connection_.start(std::move(job));
  return id;
}

void GrpcEtcd::unwatch(WatchId watch) {
  connection_.with_lock([&] {
    const auto found = watches_.find(watch);
    if (found == watches_.end()) return;
    *found->second.is_wanted = false;
    Watching* job = found->second.job;
    watches_.erase(found);
    job->stop();
  });
}

void GrpcEtcd::members(std::function<void(std::vector<MemberStatus>)> done) {
  struct Gathered {
    std::vector<MemberStatus> members;
    std::size_t outstanding = 0;
  };
  const std::size_t count = connection_.endpoint_count();
  auto gathered = std::make_shared<Gathered>();
  gathered->members.resize(count);
  gathered->outstanding = count;
  for (std::size_t i = 0; i < count; ++i) {
    connection_.start_at(
        i, std::make_unique<Unary<pb::StatusRequest, pb::StatusResponse>>(
               connection_,
               [](Endpoint& where, grpc::ClientContext* context, const pb::StatusRequest& request,
                  grpc::CompletionQueue* queue) {
                 return where.maintenance->PrepareAsyncStatus(context, request, queue);
               },
               pb::StatusRequest{},
               [this, i, gathered, done](const Outcome& outcome, const pb::StatusResponse& answer) {
                 gathered->members[i] = member(connection_.address(i), outcome, answer);
                 if (--gathered->outstanding > 0) return;
                 connection_.post([gathered, done] { done(std::move(gathered->members)); });
               }));
  }
}

}  // namespace

std::unique_ptr<Etcd> connect(const EtcdOptions& options) {
  return std::make_unique<GrpcEtcd>(options);
}

}  // namespace baton::etcd
