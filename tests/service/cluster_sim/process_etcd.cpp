#include "service/cluster_sim/process_etcd.h"

#include <string_view>

namespace baton::cluster_sim {

namespace {

using etcd::Compare;
using etcd::Outcome;

bool is_record(std::string_view key) { return key.find("/live/record/") != key.npos; }
bool is_leader(std::string_view key) { return key.ends_with("/live/leader"); }

bool is_append(const etcd::Transaction& transaction) {
  return !transaction.then.empty() && transaction.then[0].kind == etcd::Operation::Kind::put &&
         is_record(transaction.then[0].keys.key);
}

bool is_left_out(Flaw flaw, const Compare& compare) {
  switch (flaw) {
    case Flaw::leader_not_compared:
      return is_leader(compare.key);
    case Flaw::order_not_compared:
      return is_record(compare.key) && compare.is == Compare::Is::greater;
    default:
      return false;
  }
}

}  // namespace

void ProcessEtcd::transact(etcd::Transaction transaction,
                           std::function<void(const Outcome&, etcd::TransactionResult)> done) {
  if (is_append(transaction)) {
    std::erase_if(transaction.compares,
                  [&](const Compare& compare) { return is_left_out(flaw_, compare); });
  }
  client_->transact(std::move(transaction), in_turn(std::move(done)));
}

void ProcessEtcd::range(etcd::Range range,
                        std::function<void(const Outcome&, etcd::RangeResult)> done) {
  if (flaw_ == Flaw::mixed_revisions) range.at = 0;
  const bool is_of_leader = is_leader(range.keys.key) && range.at == 0;
  const bool is_look = is_of_leader && !range.keys_only;
  if (is_look && flaw_ == Flaw::keys_not_looked_at) {
    etcd::RangeResult result;
    result.items = {leader_};
    process_.later(1, [done = std::move(done), result] { done({}, result); });
    return;
  }
  client_->range(std::move(range), in_turn(std::move(done)));
}

void ProcessEtcd::grant_lease(
    std::int64_t ttl_s,
    std::function<void(const Outcome&, etcd::LeaseId, std::int64_t ttl_s)> done) {
  client_->grant_lease(ttl_s, in_turn(std::move(done)));
}

void ProcessEtcd::renew_lease(etcd::LeaseId lease,
                              std::function<void(const Outcome&, std::int64_t ttl_s)> done) {
  client_->renew_lease(lease, in_turn(std::move(done)));
}

void ProcessEtcd::revoke_lease(etcd::LeaseId lease, std::function<void(const Outcome&)> done) {
  client_->revoke_lease(lease, in_turn(std::move(done)));
}

etcd::Etcd::WatchId ProcessEtcd::watch(etcd::KeyRange keys, etcd::Revision from,
                                       std::function<void(etcd::Changes)> changes) {
  return client_->watch(std::move(keys), from,
                        in_turn([this, changes = std::move(changes)](const etcd::Changes& news) {
                          for (const etcd::Event& event : news.events) {
                            if (!event.is_removal && is_leader(event.item.key))
                              leader_ = event.item;
                          }
                          changes(news);
                        }));
}

void ProcessEtcd::compact(etcd::Revision revision, std::function<void(const Outcome&)> done) {
  client_->compact(revision, in_turn(std::move(done)));
}

void ProcessEtcd::members(std::function<void(std::vector<etcd::MemberStatus>)> done) {
  client_->members(in_turn(std::move(done)));
}

}  // namespace baton::cluster_sim
