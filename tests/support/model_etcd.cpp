#include "support/model_etcd.h"

#include <algorithm>
#include <utility>

namespace baton::etcd {

namespace {

using Kind = Outcome::Kind;

constexpr std::int64_t second_us = 1'000'000;
// etcd looks for leases that are over twice a second, and then has to agree on their end.
constexpr std::int64_t most_expiry_lag_us = second_us;

const Outcome out_of_space{Kind::full, "etcdserver: mvcc: database space exceeded"};

bool has_put(const std::vector<Operation>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
    return operation.kind == Operation::Kind::put;
  });
}

}  // namespace

ModelEtcd::ModelEtcd(std::uint64_t seed, const ModelLimits& limits)
    : random_(seed), limits_(limits), store_(limits) {}

std::unique_ptr<ModelClient> ModelEtcd::connect(const ModelFaults& faults) {
  std::unique_ptr<ModelClient> client(new ModelClient(*this, faults));
  clients_.push_back(client.get());
  return client;
}

std::optional<std::int64_t> ModelEtcd::next_us() const {
  if (agenda_.empty()) return {};
  return agenda_.begin()->first.first;
}

void ModelEtcd::advance(std::int64_t us) {
  const std::int64_t end_us = now_us_ + us;
  while (!agenda_.empty() && agenda_.begin()->first.first <= end_us) {
    const auto next = agenda_.extract(agenda_.begin());
    now_us_ = next.key().first;
    next.mapped()();
  }
  now_us_ = end_us;
}

void ModelEtcd::at(std::int64_t time_us, std::function<void()> action) {
  agenda_.emplace(std::pair{std::max(time_us, now_us_), ++order_}, std::move(action));
}

std::int64_t ModelEtcd::between(std::int64_t least, std::int64_t most) {
  if (most <= least) return least;
  return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
}

// What cannot be agreed on is forgotten, or stays in some member's log and is agreed on when there
// is a majority again.
void ModelEtcd::propose(std::function<void()> action) {
  if (has_quorum_) return action();
  if (below(2) == 0) stuck_.push_back(std::move(action));
}

void ModelEtcd::set_quorum(bool has_quorum) {
  if (std::exchange(has_quorum_, has_quorum) == has_quorum || !has_quorum) return;
  change_leader();
  auto stuck = std::exchange(stuck_, {});
  while (!stuck.empty()) {
    const auto which = stuck.begin() + static_cast<std::ptrdiff_t>(below(stuck.size()));
    const auto action = std::move(*which);
    stuck.erase(which);
    action();
  }
}

// The new leader does not know when leases were renewed, and gives them all their time anew.
void ModelEtcd::change_leader() {
  ++leader_changes_;
  extend_all();
}

void ModelEtcd::changed() {
  for (ModelClient* client : clients_) client->news();
}

// Only what puts something needs space; etcd looks at both branches.
Outcome ModelEtcd::check_space(const Transaction& transaction) const {
  const bool needs_space = has_put(transaction.then) || has_put(transaction.otherwise);
  return is_full_ && needs_space ? out_of_space : Outcome{};
}

LeaseId ModelEtcd::grant(std::int64_t ttl_s) {
  const LeaseId id = ++last_lease_;
  Lease& lease = leases_[id];
  lease.ttl_s = std::max(ttl_s, limits_.least_ttl_s);
  extend(id, lease);
  return id;
}

void ModelEtcd::extend(LeaseId id, Lease& lease) {
  lease.ends_us = now_us_ + lease.ttl_s * second_us;
  const std::uint64_t renewals = ++lease.renewals;
  at(lease.ends_us + between(0, most_expiry_lag_us), [this, id, renewals] {
    const auto found = leases_.find(id);
    if (found == leases_.end() || found->second.renewals != renewals) return;
    // Its end has to be agreed on; whoever leads next gives it its time anew.
    if (has_quorum_) revoke(id);
  });
}

void ModelEtcd::extend_all() {
  for (auto& [id, lease] : leases_) {
    extend(id, lease);
    for (const auto& answer : std::exchange(lease.waiting, {})) answer(lease.ttl_s);
  }
}

// A lease whose time is up is not saved by a renewal: it waits for the end to be agreed on, and is
// told that there is no such lease.
void ModelEtcd::renew(LeaseId id, std::function<void(std::int64_t)> answer) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return answer(0);
  Lease& lease = found->second;
  if (now_us_ >= lease.ends_us) {
    lease.waiting.push_back(std::move(answer));
    return;
  }
  extend(id, lease);
  answer(lease.ttl_s);
}

bool ModelEtcd::revoke(LeaseId id) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return false;
  const auto waiting = std::move(found->second.waiting);
  leases_.erase(found);
  store_.remove_leased(id);
  for (const auto& answer : waiting) answer(0);
  changed();
  return true;
}

void ModelEtcd::end_lease_early(LeaseId lease) { revoke(lease); }

std::vector<MemberStatus> ModelEtcd::describe() const {
  MemberStatus member;
  member.endpoint = "model";
  member.version = "3.4";
  member.leads = has_quorum_;
  if (!has_quorum_) member.problem = "etcdserver: no leader";
  if (has_quorum_ && is_full_) member.problem = "out of space";
  member.is_healthy = member.problem.empty();
  return {member};
}

ModelClient::ModelClient(ModelEtcd& etcd, const ModelFaults& faults)
    : etcd_(etcd), faults_(faults) {}

ModelClient::~ModelClient() {
  *is_alive_ = false;
  std::erase(etcd_.clients_, this);
}

std::int64_t ModelClient::delay() {
  return etcd_.between(faults_.least_delay_us, faults_.most_delay_us);
}

// Over the network, in either direction, now that it would arrive.
void ModelClient::deliver(std::function<void()> what) {
  if (!is_partitioned_) return what();
  if (etcd_.below(2) == 0) held_up_.push_back(std::move(what));
}

void ModelClient::set_partitioned(bool is_partitioned) {
  is_partitioned_ = is_partitioned;
  if (is_partitioned) return;
  for (auto& what : std::exchange(held_up_, {})) {
    etcd_.at(etcd_.now_us() + delay(), [is_alive = is_alive_, what = std::move(what)] {
      if (*is_alive) what();
    });
  }
  news();
}

// A request, what etcd does with it, and the answer. Its sender is told that the outcome is unknown
// when its time is up, or before if the connection is seen to be cut.
void ModelClient::ask(std::function<void(const Respond&)> perform,
                      std::function<void(const Outcome&)> give_up) {
  auto call = std::make_shared<Call>();
  call->leader_changes = etcd_.leader_changes_;
  const auto unknown = [call, is_alive = is_alive_, give_up](const std::string& why) {
    if (*is_alive && !std::exchange(call->is_over, true)) give_up({Kind::unknown, why});
  };
  const bool is_lost = etcd_.chance(faults_.request_lost);
  const bool answer_is_lost = etcd_.chance(faults_.answer_lost);
  const bool is_late = etcd_.chance(faults_.request_late);
  const std::int64_t sent_us = etcd_.now_us();
  etcd_.at(sent_us + faults_.timeout_us, [unknown] { unknown("request timed out"); });
  if ((is_lost || answer_is_lost || is_late) && etcd_.below(2) == 0) {
    const std::int64_t cut_us = etcd_.between(faults_.most_delay_us, faults_.timeout_us);
    etcd_.at(sent_us + cut_us, [unknown] { unknown("connection cut"); });
  }
  if (is_lost) return;

  // From here on the client may be gone: etcd does what it was asked for all the same.
  const Respond respond = [this, is_alive = is_alive_, call, answer_is_lost,
                           unknown](std::function<void()> answer) {
    if (!*is_alive || answer_is_lost) return;
    if (call->leader_changes != etcd_.leader_changes_ && etcd_.below(2) == 0) {
      return unknown("etcdserver: leader changed");
    }
    etcd_.at(etcd_.now_us() + delay(), [this, is_alive, call, answer = std::move(answer)] {
      if (!*is_alive) return;
      deliver([call, answer] {
        if (!std::exchange(call->is_over, true)) answer();
      });
    });
  };
  const auto arrive = [etcd = &etcd_, perform = std::move(perform), respond] {
    etcd->propose([perform, respond] { perform(respond); });
  };
  const std::int64_t lateness_us = is_late ? etcd_.between(0, faults_.most_lateness_us) : 0;
  etcd_.at(sent_us + delay() + lateness_us, [this, is_alive = is_alive_, arrive] {
    if (!*is_alive) return arrive();
    deliver(arrive);
  });
}

void ModelClient::transact(Transaction transaction,
                           std::function<void(const Outcome&, TransactionResult)> done) {
  ask(
      [etcd = &etcd_, transaction = std::move(transaction), done](const Respond& respond) {
        TransactionResult result;
        Outcome outcome = etcd->check_space(transaction);
        if (outcome.ok()) {
          const auto has_lease = [etcd](LeaseId lease) { return etcd->leases_.contains(lease); };
          outcome = etcd->store_.transact(transaction, has_lease, result);
          result.term = etcd->leader_changes_ + 1;
        }
        etcd->changed();
        respond([done, outcome, result = std::move(result)] { done(outcome, result); });
      },
      [done](const Outcome& outcome) { done(outcome, {}); });
}

void ModelClient::range(Range range, std::function<void(const Outcome&, RangeResult)> done) {
  ask(
      [etcd = &etcd_, range = std::move(range), done](const Respond& respond) {
        RangeResult result;
        const Outcome outcome = etcd->store_.range(range, result);
        respond([done, outcome, result = std::move(result)] { done(outcome, result); });
      },
      [done](const Outcome& outcome) { done(outcome, {}); });
}

void ModelClient::grant_lease(
    std::int64_t ttl_s, std::function<void(const Outcome&, LeaseId, std::int64_t ttl_s)> done) {
  ask(
      [etcd = &etcd_, ttl_s, done](const Respond& respond) {
        Outcome outcome = etcd->is_full_ ? out_of_space : Outcome{};
        if (ttl_s > etcd->limits_.most_ttl_s) {
          outcome = {Kind::refused, "etcdserver: too large lease TTL"};
        }
        const LeaseId lease = outcome.ok() ? etcd->grant(ttl_s) : 0;
        const std::int64_t granted_s = outcome.ok() ? etcd->leases_[lease].ttl_s : 0;
        respond([done, outcome, lease, granted_s] { done(outcome, lease, granted_s); });
      },
      [done](const Outcome& outcome) { done(outcome, 0, 0); });
}

void ModelClient::renew_lease(LeaseId lease,
                              std::function<void(const Outcome&, std::int64_t ttl_s)> done) {
  ask(
      [etcd = &etcd_, lease, done](const Respond& respond) {
        etcd->renew(lease, [done, respond](std::int64_t ttl_s) {
          respond([done, ttl_s] { done({}, ttl_s); });
        });
      },
      [done](const Outcome& outcome) { done(outcome, 0); });
}

void ModelClient::revoke_lease(LeaseId lease, std::function<void(const Outcome&)> done) {
  ask(
      [etcd = &etcd_, lease, done](const Respond& respond) {
        Outcome outcome;
        if (!etcd->revoke(lease)) {
          outcome = {Kind::refused, "etcdserver: requested lease not found"};
        }
        respond([done, outcome] { done(outcome); });
      },
      done);
}

void ModelClient::compact(Revision revision, std::function<void(const Outcome&)> done) {
  ask(
      [etcd = &etcd_, revision, done](const Respond& respond) {
        const Outcome outcome = etcd->store_.compact(revision);
        respond([done, outcome] { done(outcome); });
      },
      done);
}

// Every member is asked by itself, and answers also without the others.
void ModelClient::members(std::function<void(std::vector<MemberStatus>)> done) {
  auto is_over = std::make_shared<bool>(false);
  const auto answer = [is_alive = is_alive_, is_over,
                       done](const std::vector<MemberStatus>& members) {
    if (*is_alive && !std::exchange(*is_over, true)) done(members);
  };
  etcd_.at(etcd_.now_us() + 2 * delay(), [this, is_alive = is_alive_, answer] {
    if (*is_alive && !is_partitioned_) answer(etcd_.describe());
  });
  etcd_.at(etcd_.now_us() + faults_.timeout_us, [answer] {
    MemberStatus member;
    member.endpoint = "model";
    member.problem = "no answer";
    answer({member});
  });
}

Etcd::WatchId ModelClient::watch(KeyRange keys, Revision from,
                                 std::function<void(Changes)> changes) {
  const WatchId id = ++last_watch_;
  watches_[id] = {std::move(keys), from, std::move(changes), false};
  schedule_news(id, delay());
  return id;
}

void ModelClient::unwatch(WatchId watch) { watches_.erase(watch); }

// The store has changed, or can be reached again.
void ModelClient::news() {
  for (const auto& [id, watch] : watches_) {
    schedule_news(id, etcd_.between(0, faults_.most_watch_lag_us));
  }
}

void ModelClient::schedule_news(WatchId id, std::int64_t lag_us) {
  if (std::exchange(watches_.at(id).is_scheduled, true)) return;
  etcd_.at(etcd_.now_us() + lag_us, [this, is_alive = is_alive_, id] {
    if (*is_alive && watches_.contains(id)) tell(id);
  });
}

// After a cut the watch goes on where it was, and finds out if that is not kept any more. How much
// comes at once is etcd's affair, except that one revision is not torn apart. Now and then it says
// how far it has come although nothing has happened to its keys.
void ModelClient::tell(WatchId id) {
  Watch& watch = watches_.at(id);
  watch.is_scheduled = false;
  if (is_partitioned_) return;
  if (etcd_.chance(faults_.watch_cut)) {
    return schedule_news(id, etcd_.between(0, faults_.most_watch_cut_us));
  }
  const ModelStore& store = etcd_.store_;
  if (watch.next == 0) watch.next = store.revision() + 1;
  if (watch.next < store.compacted()) {
    return end_watch(id, {Kind::compacted, "etcd has forgotten what was before revision " +
                                               std::to_string(store.compacted())});
  }
  if (watch.next > store.revision()) return;
  const bool is_all = etcd_.below(2) == 0;
  const Revision to = is_all ? store.revision() : etcd_.between(watch.next, store.revision());
  Changes changes;
  changes.events = store.events(watch.keys, watch.next, to);
  const bool says_how_far = to == store.revision() && etcd_.below(4) == 0;
  if (to < store.revision()) {
    schedule_news(id, etcd_.between(0, faults_.most_watch_lag_us));
  }
  if (changes.events.empty() && !says_how_far) return;
  changes.revision = changes.events.empty() ? to : changes.events.back().item.mod_revision;
  watch.next = changes.revision + 1;
  // The watch may be gone when this returns.
  const auto hear = watch.changes;
  hear(std::move(changes));
}

void ModelClient::end_watch(WatchId id, const Outcome& outcome) {
  const Watch watch = std::move(watches_.at(id));
  watches_.erase(id);
  watch.changes({outcome, {}, watch.next - 1});
}

}  // namespace baton::etcd
