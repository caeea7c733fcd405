#include "service/cluster/leader_lease.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace baton::cluster {

namespace {

constexpr std::int64_t pause_before_another_grant_us = 200'000;
constexpr std::int64_t longest_farewell_us = 1'000'000;

service::ProofTerms terms_of(std::int64_t ttl_s) {
  return service::ProofTerms::of({ttl_s * 1'000'000});
}

}  // namespace

LeaderLease::LeaderLease(etcd::Etcd& etcd, ReplicaHost& host, std::int64_t ttl_s, Events events)
    : etcd_(etcd),
      host_(host),
      ttl_s_(ttl_s),
      events_(std::move(events)),
      terms_(terms_of(ttl_s)),
      proof_(terms_) {}

void LeaderLease::start() { grant(); }

void LeaderLease::grant() {
  const service::Time sent = now();
  etcd_.grant_lease(ttl_s_, calls_.wrap([this, sent](const etcd::Outcome& outcome,
                                                     etcd::LeaseId lease, std::int64_t ttl_s) {
    events_.troubled(outcome.message);
    if (!outcome.ok()) {
      host_.after(pause_before_another_grant_us, calls_.wrap([this] { grant(); }));
      return;
    }
    lease_ = lease;
    terms_ = terms_of(ttl_s);
    proof_ = service::LeaderProof(terms_);
    proof_.begin(now(), sent);
    go_on();
    events_.begun();
  }));
}

// The next goes out also if this one is not answered.
void LeaderLease::go_on() {
  host_.after(terms_.interval.value, calls_.wrap([this] {
    if (is_proven()) {
      renew();
    } else {
      look();
    }
    go_on();
  }));
}

void LeaderLease::renew() {
  const service::Time sent = now();
  proof_.sent(sent);
  etcd_.renew_lease(lease_,
                    calls_.wrap([this, sent](const etcd::Outcome& outcome, std::int64_t ttl_s) {
                      events_.troubled(outcome.message);
                      if (!outcome.ok()) return;
                      if (ttl_s == 0) return lose();
                      host_.renewed(std::max<std::int64_t>((proof_.until() - now()).value, 0));
                      proof_.renewed(now(), sent);
                    }));
  events_.renewing();
}

// If renewals reach etcd but no answer comes back, a leader without a proof would keep its lease,
// and with it the leadership, for ever. So without a proof this asks etcd a question that does not
// renew the lease, and renews only after an answer.
void LeaderLease::look() {
  const auto found = [this](const etcd::Outcome& outcome, const etcd::RangeResult&) {
    if (outcome.kind == etcd::Outcome::Kind::unknown) return events_.troubled(outcome.message);
    if (!is_proven() && now() >= proof_.next_wake()) renew();
  };
  etcd_.range({.keys = etcd::KeyRange::one("anything"), .keys_only = true}, calls_.wrap(found));
}

void LeaderLease::lose() {
  calls_.drop();
  lease_ = 0;
  proof_.end();
  grant();
  events_.over();
}

void LeaderLease::end(std::function<void()> done) {
  calls_.drop();
  proof_.end();
  if (lease_ == 0) return done();
  auto once = std::make_shared<std::function<void()>>(std::move(done));
  auto finish = calls_.wrap([once] {
    if (auto call = std::exchange(*once, nullptr)) call();
  });
  etcd_.revoke_lease(std::exchange(lease_, 0),
                     [finish](const etcd::Outcome&) mutable { finish(); });
  host_.after(longest_farewell_us, finish);
}

bool LeaderLease::is_proven() const { return proof_.holds(now()); }

}  // namespace baton::cluster
