// A model of etcd in virtual time, for simulations: everything that etcd promises and nothing more.
// What happens is a function of the seed and of what the clients do.
//
// What etcd promises, and where the model has it:
// - Requests take effect one after the other, each at one moment between being sent and being
//   answered; reads see all that was answered before they were sent (ModelStore).
// - Requests in flight at once take effect in any order (each has a delay of its own).
// - A request whose outcome is unknown has taken effect, or has not, or will later.
// - A lease does not end before its ttl has passed since the last renewal that etcd processed. It
//   may end later, and begins anew when etcd's leader changes or a majority is back.
// - A watch tells every change in order, those of one revision together; how late is open.
// - Without a majority nothing takes effect.
//
// Callbacks run within advance(). The ModelEtcd outlives its clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "service/etcd/etcd.h"
#include "support/model_store.h"

namespace baton::etcd {

// What befalls one client; chances are in thousandths, of each request or piece of news.
struct ModelFaults {
  // Of each request and of each answer, by itself.
  std::int64_t least_delay_us = 100;
  std::int64_t most_delay_us = 1000;
  unsigned request_lost = 0;
  unsigned answer_lost = 0;
  // It arrives this late, most likely after its sender was told that the outcome is unknown.
  unsigned request_late = 0;
  std::int64_t most_lateness_us = 10'000'000;
  std::int64_t timeout_us = 2'000'000;
  std::int64_t most_watch_lag_us = 2000;
  unsigned watch_cut = 0;
  std::int64_t most_watch_cut_us = 500'000;
};

class ModelEtcd;

class ModelClient : public Etcd {
 public:
  ~ModelClient() override;
  ModelClient(const ModelClient&) = delete;
  ModelClient& operator=(const ModelClient&) = delete;

  void transact(Transaction transaction,
                std::function<void(const Outcome&, TransactionResult)> done) override;
  void range(Range range, std::function<void(const Outcome&, RangeResult)> done) override;
  void grant_lease(std::int64_t ttl_s,
                   std::function<void(const Outcome&, LeaseId, std::int64_t ttl_s)> done) override;
  void renew_lease(LeaseId lease,
                   std::function<void(const Outcome&, std::int64_t ttl_s)> done) override;
  void revoke_lease(LeaseId lease, std::function<void(const Outcome&)> done) override;
  WatchId watch(KeyRange keys, Revision from, std::function<void(Changes)> changes) override;
  void unwatch(WatchId watch) override;
  void compact(Revision revision, std::function<void(const Outcome&)> done) override;
  void members(std::function<void(std::vector<MemberStatus>)> done) override;

  void set_faults(const ModelFaults& faults) { faults_ = faults; }
  // Nothing comes through until it is over. What was under way is lost, or arrives afterwards.
  void set_partitioned(bool is_partitioned);

 private:
  friend class ModelEtcd;

  // Takes what is to happen at the client when the answer arrives.
  using Respond = std::function<void(std::function<void()>)>;
  struct Call {
    bool is_over = false;
    std::uint64_t leader_changes = 0;  // when it was sent
  };
  struct Watch {
    KeyRange keys;
    Revision next = 0;  // to be told; 0: it has not begun
    std::function<void(Changes)> changes;
    bool is_scheduled = false;
  };

  ModelClient(ModelEtcd& etcd, const ModelFaults& faults);
  void ask(std::function<void(const Respond&)> perform,
           std::function<void(const Outcome&)> give_up);
  void deliver(std::function<void()> what);
  void news();
  void schedule_news(WatchId id, std::int64_t lag_us);
  void tell(WatchId id);
  void end_watch(WatchId id, const Outcome& outcome);
  std::int64_t delay();

  ModelEtcd& etcd_;
  ModelFaults faults_;
  bool is_partitioned_ = false;
  std::vector<std::function<void()>> held_up_;  // by the partition
  std::map<WatchId, Watch> watches_;
  WatchId last_watch_ = 0;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

class ModelEtcd {
 public:
  explicit ModelEtcd(std::uint64_t seed, const ModelLimits& limits = {});
  ModelEtcd(const ModelEtcd&) = delete;
  ModelEtcd& operator=(const ModelEtcd&) = delete;

  std::unique_ptr<ModelClient> connect(const ModelFaults& faults = {});

  std::int64_t now_us() const { return now_us_; }
  // When something happens next, for hosts that have timers of their own.
  std::optional<std::int64_t> next_us() const;
  void advance(std::int64_t us);

  // A majority of the members. Without it requests wait; some are done when it is back.
  void set_quorum(bool has_quorum);
  // Requests under way may be unknown for it.
  void change_leader();
  // Nothing can be put any more, and no lease granted; the rest goes on.
  void set_full(bool is_full) { is_full_ = is_full; }
  // Beyond what etcd promises: an old leader of etcd that comes to itself after a pause has been
  // seen to end leases that were renewed at the new one.
  void end_lease_early(LeaseId lease);

  const ModelStore& store() const { return store_; }

 private:
  friend class ModelClient;

  struct Lease {
    std::int64_t ttl_s = 0;
    std::int64_t ends_us = 0;    // not before
    std::uint64_t renewals = 0;  // so that an end that was put off is known as such
    std::vector<std::function<void(std::int64_t)>> waiting;  // renewals that came too late
  };

  void at(std::int64_t time_us, std::function<void()> action);
  void propose(std::function<void()> action);
  void changed();
  Outcome check_space(const Transaction& transaction) const;
  LeaseId grant(std::int64_t ttl_s);
  void renew(LeaseId lease, std::function<void(std::int64_t)> answer);
  bool revoke(LeaseId lease);
  void extend(LeaseId id, Lease& lease);
  void extend_all();
  std::vector<MemberStatus> describe() const;
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::int64_t between(std::int64_t least, std::int64_t most);
  bool chance(unsigned thousandths) { return below(1000) < thousandths; }

  std::mt19937_64 random_;
  ModelLimits limits_;
  ModelStore store_;
  std::int64_t now_us_ = 0;
  std::uint64_t order_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> agenda_;
  std::vector<ModelClient*> clients_;
  bool has_quorum_ = true;
  bool is_full_ = false;
  std::uint64_t leader_changes_ = 0;
  std::vector<std::function<void()>> stuck_;  // for want of a quorum
  std::map<LeaseId, Lease> leases_;
  LeaseId last_lease_ = 1000;
};

}  // namespace baton::etcd
