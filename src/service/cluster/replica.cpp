#include "service/cluster/replica.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "baton/cluster.pb.h"
#include "core/invariant.h"
#include "service/state/versions.h"

namespace baton::cluster {

namespace {

using etcd::Compare;
using etcd::KeyRange;
using etcd::Operation;

constexpr std::int64_t pause_after_failure_us = 200'000;
constexpr std::int64_t pause_of_campaign_us = 50'000;
constexpr std::int64_t between_looks_us = 500'000;
constexpr std::int64_t between_positions_us = 2'000'000;
constexpr std::int64_t between_looks_at_etcd_us = 1'000'000;
constexpr int followers_look_at_etcd_once_in = 10;
constexpr std::int64_t records_at_once = 200;
constexpr auto last_position = std::numeric_limits<journal::Position>::max();

}  // namespace

Replica::Replica(etcd::Etcd& etcd, ReplicaHost& host, ReplicaOptions options)
    : etcd_(etcd),
      host_(host),
      options_(std::move(options)),
      keys_(options_.prefix),
      leader_lease_(etcd, host, options_.lease_s,
                    {.begun = [this] { enrol(); },
                     .over =
                         [this] {
                           is_enrolled_ = false;
                           if (is_leading()) deposed("its lease in etcd expired");
                         },
                     .renewing = [this] { journal_.look(); },
                     .troubled = [this](const std::string& what) { troubled(what); }}),
      journal_(etcd, host, keys_, options_.journal,
               {.deposed = [this](const std::string& why) { deposed(why); },
                .troubled = [this](const std::string& what) { troubled(what); },
                .is_proven =
                    [this](std::int64_t asked_at_us) {
                      return leader_lease_.is_proven() &&
                             host_.clock_us() - asked_at_us < leader_lease_.length_us();
                    }}),
      quota_(options_.etcd_quota_bytes, [this](const std::string& what) { host_.warn(what); }) {}

void Replica::start() { identify(); }

journal::Position Replica::position() const {
  return is_leading() ? journal_.durable() : position_;
}

std::int64_t Replica::proof_ends_us() const {
  return std::min(leader_lease_.proof_ends_us(),
                  journal_.saw_key_at_us().value_or(0) + leader_lease_.length_us());
}

std::int64_t Replica::proof_left_us() const {
  return journal_.is_sure() ? proof_ends_us() - host_.clock_us() : 0;
}

std::int64_t Replica::seen_all_at_us() const {
  if (!is_leading()) return seen_all_at_us_;
  return std::max(seen_all_at_us_, std::min(proof_ends_us(), host_.clock_us()));
}

void Replica::troubled(const std::string& what) {
  if (trouble_ == what) return;
  const bool is_new = trouble_.empty();
  trouble_ = what;
  if (is_new) host_.warn("etcd: " + what);
}

std::string Replica::trouble() const {
  if (is_leading() && !journal_.is_sure()) {
    return "it cannot prove that it still leads: " +
           (trouble_.empty() ? std::string("etcd does not answer") : trouble_);
  }
  return trouble_;
}

void Replica::give_up(const std::string& why) {
  calls_.drop();
  loading_.drop();
  stage_ = Stage::leaving;
  host_.give_up(why);
}

// --- Being there --------------------------------------------------------------------------------

// The first server at a prefix writes the cluster's name there; the others compare it with theirs.
void Replica::identify() {
  proto::Cluster mine;
  mine.set_name(options_.cluster);
  mine.set_format(service::cluster_format);
  etcd::Transaction transaction;
  transaction.compares = {Compare::is_absent(keys_.identity())};
  transaction.then = {Operation::put(keys_.identity(), mine.SerializeAsString())};
  transaction.otherwise = {Operation::range(KeyRange::one(keys_.identity()))};
  etcd_.transact(
      std::move(transaction), calls_.wrap([this](const etcd::Outcome& outcome, const auto& result) {
        troubled(outcome.message);
        if (!outcome.ok()) {
          host_.after(pause_after_failure_us, calls_.wrap([this] { identify(); }));
          return;
        }
        proto::Cluster found;
        if (!result.held && (result.found.at(0).empty() ||
                             !found.ParseFromString(result.found.at(0).front().value))) {
          return give_up(fmt::format(
              "etcd holds other data under the prefix '{}': use another prefix", options_.prefix));
        }
        if (!result.held && found.name() != options_.cluster) {
          return give_up(fmt::format(
              "the prefix '{}' belongs to the cluster '{}', and this server to '{}': two clusters "
              "must not share one; say --cluster {} to join that one, or use another prefix",
              options_.prefix, found.name(), options_.cluster, found.name()));
        }
        if (!result.held && found.format() > service::cluster_format) {
          return give_up(fmt::format(
              "a newer version of baton runs the cluster '{}': use that version", found.name()));
        }
        leader_lease_.start();
        load("");
        look_for_records();
        tell_position();
        watch_etcd();
      }));
}

// This server's entry in etcd, for the others.
std::string Replica::card() const {
  proto::Replica card;
  card.set_name(options_.name);
  card.set_url(options_.url);
  card.set_nonce(options_.nonce);
  card.set_program(options_.program);
  card.set_position(position());
  card.set_leads(is_leading());
  card.set_lease(options_.lease_s * 1'000'000);
  return card.SerializeAsString();
}

// Creates this server's entry. Two servers must not have one name: the others would take the second
// for the first.
void Replica::enrol() {
  const std::string key = keys_.member(options_.name);
  etcd::Transaction transaction;
  transaction.compares = {Compare::is_absent(key)};
  transaction.then = {Operation::put(key, card(), leader_lease_.lease())};
  transaction.otherwise = {Operation::range(KeyRange::one(key))};
  etcd_.transact(std::move(transaction),
                 calls_.wrap([this](const etcd::Outcome& outcome, const auto& result) {
                   enrolled(outcome, result);
                 }));
}

void Replica::enrolled(const etcd::Outcome& outcome, const etcd::TransactionResult& result) {
  troubled(outcome.message);
  if (outcome.ok()) {
    proto::Replica found;
    const bool is_taken = !result.held && !result.found.at(0).empty();
    if (is_taken) found.ParseFromString(result.found.at(0).front().value);
    const bool is_own = found.nonce() == options_.nonce;
    if (result.held || (is_own && result.found.at(0).front().lease == leader_lease_.lease())) {
      is_enrolled_ = true;
      taken_ = {};
      if (stage_ == Stage::following && !leader_) campaign();
      return;
    }
    if (is_taken && !is_own) wait_for_name(result.found.at(0).front(), result.term);
    if (stage_ == Stage::leaving) return;
  }
  host_.after(pause_after_failure_us, calls_.wrap([this] {
    if (!is_enrolled_ && leader_lease_.lease() != 0) enrol();
  }));
}

// Another entry has this server's name. If that is an earlier process of this server that was
// killed, its lease expires; later if etcd has changed its leader, because the new one starts every
// lease anew. If the lease lasts longer than that, another server that runs renews it.
void Replica::wait_for_name(const etcd::KeyValue& found, std::uint64_t term) {
  proto::Replica other;
  other.ParseFromString(found.value);
  if (taken_.lease != found.lease) {
    host_.warn(fmt::format(
        "the name '{}' still belongs to a server at {}: waiting for its lease to expire",
        options_.name, other.url()));
  }
  if (taken_.lease != found.lease || taken_.term < term) taken_ = {found.lease, term, 0};
  const std::int64_t lease_us = std::max<std::int64_t>(other.lease(), options_.lease_s * 1'000'000);
  const std::int64_t patience_us = 3 * lease_us + 5'000'000;
  if (++taken_.looks <= patience_us / pause_after_failure_us) return;
  give_up(fmt::format(
      "a server named '{}' already runs at {}: give each its own --name, and each cluster its own "
      "prefix in etcd",
      options_.name, other.url()));
}

// Looks now and then at etcd: which member leads it, and how much room it has.
void Replica::watch_etcd() {
  host_.after(between_looks_at_etcd_us, calls_.wrap([this] { watch_etcd(); }));
  if (is_leading() || looks_at_etcd_++ % followers_look_at_etcd_once_in == 0) look_at_etcd();
}

// The leader sends its appends to etcd's own leader: any other member would pass them on to that
// one, and answer later.
void Replica::look_at_etcd() {
  etcd_.members(calls_.wrap([this](const std::vector<etcd::MemberStatus>& members) {
    for (const etcd::MemberStatus& one : members) {
      if (is_leading() && one.leads && one.is_healthy) etcd_.prefer(one.endpoint);
    }
    quota_.look(members);
  }));
}

// For `baton status`: how far each server has come.
void Replica::tell_position() {
  host_.after(between_positions_us, calls_.wrap([this] { tell_position(); }));
  if (!is_enrolled_ || stage_ == Stage::leaving) return;
  if (position() == told_position_ && is_leading() == told_leading_) return;
  told_position_ = position();
  told_leading_ = is_leading();
  etcd::Transaction transaction;
  transaction.then = {Operation::put(keys_.member(options_.name), card(), leader_lease_.lease())};
  etcd_.transact(std::move(transaction), [](const etcd::Outcome&, const auto&) {});
}

void Replica::peers(std::function<void(const std::string&, std::vector<PeerInfo>)> done) {
  etcd_.range({.keys = keys_.members()}, calls_.wrap([done = std::move(done)](
                                                         const etcd::Outcome& outcome,
                                                         const etcd::RangeResult& result) {
    std::vector<PeerInfo> all;
    for (const etcd::KeyValue& item : result.items) {
      proto::Replica one;
      if (!one.ParseFromString(item.value)) continue;
      all.push_back({one.name(), one.url(), one.program(), one.position(), one.leads()});
    }
    done(outcome.message, std::move(all));
  }));
}

// --- Loading ------------------------------------------------------------------------------------

void Replica::load(const std::string& why) {
  loading_.drop();
  if (watch_) etcd_.unwatch(*std::exchange(watch_, std::nullopt));
  stage_ = Stage::loading;
  position_ = 0;
  leader_.reset();
  is_campaigning_ = false;
  host_.forget(why);
  load_snapshot();
}

template <class Next>
void Replica::fetch(etcd::Range range, Next next) {
  etcd::Range copy = range;
  etcd_.range(std::move(copy),
              loading_.wrap([this, range = std::move(range), next = std::move(next)](
                                const etcd::Outcome& outcome, const etcd::RangeResult& result) {
                troubled(outcome.message);
                if (outcome.ok()) return next(result);
                host_.after(pause_after_failure_us, loading_.wrap([this, range, next, outcome] {
                  if (outcome.kind == etcd::Outcome::Kind::compacted) {
                    load("etcd has compacted the revisions that this server was reading");
                  } else {
                    fetch(range, next);
                  }
                }));
              }));
}

// Everything is read as it was at one revision, whatever happens meanwhile.
void Replica::load_snapshot() {
  fetch({.keys = KeyRange::one(keys_.snapshot())}, [this](const etcd::RangeResult& result) {
    const etcd::Revision at = result.revision;
    if (result.items.empty()) return load_records(1, at);
    load_parts(result.items.front().value, at);
  });
}

void Replica::load_parts(const std::string& bytes, etcd::Revision at) {
  proto::SnapshotInfo info;
  if (!info.ParseFromString(bytes)) return give_up("the snapshot in etcd is unreadable");
  snapshot_.clear();
  load_part({info.position(), info.parts(), info.bytes(), at}, 0);
}

// One after the other: each is large.
void Replica::load_part(const Snapshot& snapshot, std::size_t number) {
  if (number == snapshot.parts) return load_state(snapshot);
  fetch({.keys = KeyRange::one(keys_.part(snapshot.position, number)), .at = snapshot.at},
        [this, snapshot, number](const etcd::RangeResult& result) {
          if (!result.items.empty()) snapshot_ += result.items.front().value;
          load_part(snapshot, number + 1);
        });
}

void Replica::load_state(const Snapshot& snapshot) {
  const std::string all = std::exchange(snapshot_, {});
  if (all.size() != snapshot.bytes) return give_up("the snapshot in etcd is not complete");
  if (is_unusable([&] { host_.read_snapshot(snapshot.position, all); })) return;
  position_ = snapshot.position;
  load_records(position_ + 1, snapshot.at);
}

void Replica::load_records(journal::Position from, etcd::Revision at) {
  fetch({.keys = keys_.records(from, last_position), .limit = records_at_once, .at = at},
        [this, at](const etcd::RangeResult& result) {
          if (!read_records(result.items)) return;
          if (result.more) return load_records(position_ + 1, at);
          load_rest(at);
        });
}

bool Replica::read_records(const std::vector<etcd::KeyValue>& items) {
  for (const etcd::KeyValue& item : items) {
    const auto position = keys_.position_of(item.key);
    if (!position) continue;
    if (*position != position_ + 1) {
      give_up(fmt::format(
          "the journal in etcd has a gap before record {}: somebody has removed keys under '{}'; "
          "restore a backup, or begin anew with another prefix",
          *position, options_.prefix));
      return false;
    }
    if (is_unusable([&] { host_.read_record(*position, item.value); })) return false;
    position_ = *position;
  }
  return true;
}

bool Replica::is_unusable(const std::function<void()>& read) {
  try {
    read();
    return false;
  } catch (const journal::Unusable& problem) {
    give_up(problem.what());
    return true;
  }
}

void Replica::load_rest(etcd::Revision at) {
  fetch({.keys = KeyRange::one(keys_.floor()), .at = at},
        [this, at](const etcd::RangeResult& floor) {
          if (!floor.items.empty() && !read_floor(floor.items.front().value)) return;
          fetch({.keys = KeyRange::one(keys_.leader()), .at = at},
                [this, at](const etcd::RangeResult& leader) {
                  begin_to_follow(at + 1);
                  if (leader.items.empty()) return no_leader();
                  take_leader(leader.items.front());
                });
        });
}

bool Replica::read_floor(const std::string& text) {
  std::uint64_t floor = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, floor);
  if (error != std::errc() || read != end) {
    give_up(fmt::format("the next fencing token in etcd is unreadable: somebody has changed '{}'",
                        keys_.floor()));
    return false;
  }
  journal_.set_floor(floor);
  return true;
}

// --- Following ----------------------------------------------------------------------------------

void Replica::begin_to_follow(etcd::Revision from) {
  stage_ = Stage::following;
  watch_ = etcd_.watch(keys_.followed(), from,
                       loading_.wrap([this](const etcd::Changes& changes) { changed(changes); }));
}

void Replica::changed(const etcd::Changes& changes) {
  if (!changes.outcome.ok()) {
    watch_.reset();
    const std::string why = "it can no longer follow etcd: " + changes.outcome.message;
    if (is_leading()) return deposed(why);
    return load(why);
  }
  for (const etcd::Event& event : changes.events) {
    if (!take(event)) return;
  }
}

// False: nothing more of this watch counts.
bool Replica::take(const etcd::Event& event) {
  if (event.item.key == keys_.leader()) {
    if (event.is_removal)
      no_leader();
    else
      take_leader(event.item);
    return stage_ != Stage::loading;
  }
  const auto position = keys_.position_of(event.item.key);
  if (!position || event.is_removal || is_leading() || *position <= position_) return true;
  if (*position != position_ + 1) {
    load(fmt::format("record {} came after {}", *position, position_));
    return false;
  }
  if (is_unusable([&] { host_.read_record(*position, event.item.value); })) return false;
  position_ = *position;
  return true;
}

void Replica::take_leader(const etcd::KeyValue& item) {
  proto::Leader found;
  found.ParseFromString(item.value);
  const bool is_self = found.nonce() == options_.nonce;
  leader_ = LeaderInfo{found.name(), found.url(), item.create_revision, is_self};
  if (is_self && item.create_revision == retired_) return remove_leader(retired_);
  if (is_self && item.lease == leader_lease_.lease() && leader_lease_.lease() != 0) return lead();
  if (is_leading()) return deposed("another server leads");
  leader_lease_us_ = std::max(leader_lease_us_, found.lease());
  // Its own key of a leadership that is over tells nobody where to go.
  host_.follow(is_self ? nullptr : &*leader_);
}

void Replica::no_leader() {
  leader_.reset();
  if (is_leading()) return deposed("another server took it for dead");
  if (stage_ != Stage::following) return;
  host_.follow(nullptr);
  campaign();
}

void Replica::campaign() {
  if (stage_ != Stage::following || leader_ || !is_enrolled_ || is_campaigning_) return;
  is_campaigning_ = true;
  proto::Leader mine;
  mine.set_name(options_.name);
  mine.set_url(options_.url);
  mine.set_nonce(options_.nonce);
  mine.set_lease(leader_lease_.length_us());
  etcd::Transaction transaction;
  transaction.compares = {Compare::is_absent(keys_.leader())};
  transaction.then = {
      Operation::put(keys_.leader(), mine.SerializeAsString(), leader_lease_.lease())};
  etcd_.transact(std::move(transaction),
                 loading_.wrap([this](const etcd::Outcome& outcome, const auto&) {
                   troubled(outcome.message);
                   // If a server leads now, the watch reports it. If none does, try again.
                   host_.after(outcome.ok() ? 10 * pause_of_campaign_us : pause_of_campaign_us,
                               loading_.wrap([this] {
                                 is_campaigning_ = false;
                                 campaign();
                               }));
                 }));
}

void Replica::lead() {
  if (stage_ == Stage::leaving || is_leading()) return;
  invariant(leader_ && leader_->is_self && leader_->since != retired_,
            "this server is to lead without a key of its own in etcd");
  stage_ = Stage::leading;
  const std::int64_t wait_us = std::max(leader_lease_us_, leader_lease_.length_us());
  journal_.begin(leader_->since, position_);
  look_at_etcd();
  host_.lead(wait_us);
}

// This server no longer leads. An append that is under way may still arrive while its key exists,
// so it must never lead again under that key.
void Replica::deposed(const std::string& why) {
  retired_ = leader_ && leader_->is_self ? leader_->since : retired_;
  journal_.end();
  if (stage_ == Stage::leaving) return;
  load(why);
}

void Replica::suspect(const LeaderInfo& leader) {
  if (stage_ != Stage::following || !leader_ || leader_->is_self || !is_enrolled_) return;
  if (leader_->since == leader.since) remove_leader(leader.since);
}

void Replica::remove_leader(etcd::Revision since) {
  etcd::Transaction transaction;
  transaction.compares = {Compare::is_there_since(keys_.leader(), since)};
  transaction.then = {Operation::remove(KeyRange::one(keys_.leader()))};
  etcd_.transact(std::move(transaction),
                 loading_.wrap([this, since](const etcd::Outcome& outcome, const auto&) {
                   if (outcome.ok()) return;
                   host_.after(pause_after_failure_us, loading_.wrap([this, since] {
                     if (leader_ && leader_->since == since) remove_leader(since);
                   }));
                 }));
}

// Asks etcd for a later record or snapshot. If there is none, this follower has seen every record
// that existed when it asked.
void Replica::look_for_records() {
  host_.after(between_looks_us, calls_.wrap([this] { look_for_records(); }));
  if (stage_ != Stage::following) return;
  const std::int64_t asked_at_us = host_.clock_us();
  etcd::Transaction transaction;
  transaction.then = {Operation::range(KeyRange::one(keys_.record(position_ + 1))),
                      Operation::range(KeyRange::one(keys_.snapshot()))};
  etcd_.transact(
      std::move(transaction),
      loading_.wrap([this, asked_at_us, asked_for = position_ + 1](
                        const etcd::Outcome& outcome, const etcd::TransactionResult& result) {
        if (!outcome.ok() || !result.found.at(0).empty()) return;
        proto::SnapshotInfo info;
        if (!result.found.at(1).empty()) info.ParseFromString(result.found.at(1).front().value);
        if (info.position() < asked_for) seen_all_at_us_ = asked_at_us;
      }));
}

void Replica::leave(std::function<void()> done) {
  stage_ = Stage::leaving;
  calls_.drop();
  loading_.drop();
  if (watch_) etcd_.unwatch(*std::exchange(watch_, std::nullopt));
  journal_.end();
  leader_lease_.end(std::move(done));
}

}  // namespace baton::cluster
