#include "service/cluster/etcd_journal.h"

#include <algorithm>
#include <utility>

#include "baton/cluster.pb.h"
#include "core/invariant.h"

namespace baton::cluster {

namespace {

using etcd::Compare;
using etcd::Operation;

constexpr std::int64_t shortest_pause_us = 10'000;
constexpr int most_doublings = 5;
constexpr journal::Position removed_at_once = 1000;

}  // namespace

EtcdJournal::EtcdJournal(etcd::Etcd& etcd, ReplicaHost& host, Keys keys, EtcdJournalOptions options,
                         Events events)
    : etcd_(etcd),
      host_(host),
      keys_(std::move(keys)),
      options_(std::move(options)),
      events_(std::move(events)) {}

void EtcdJournal::begin(etcd::Revision since, journal::Position position) {
  invariant(!is_leading(), "leadership begins before the one before has ended");
  since_ = since;
  saw_key_at_us_.reset();
  appended_ = durable_ = position;
  first_kept_ = 0;
  published_.reset();
  failures_ = 0;
}

void EtcdJournal::end() {
  calls_.drop();
  since_ = 0;
  appends_.clear();
  snapshot_.clear();
  snapshot_done_ = nullptr;
  proving_.clear();
  to_be_proven_.clear();
}

void EtcdJournal::depose() {
  if (!is_leading()) return;
  end();
  events_.deposed("another server leads");
}

Compare EtcdJournal::leads() const { return Compare::is_there_since(keys_.leader(), since_); }

bool EtcdJournal::is_own(const std::vector<etcd::KeyValue>& leader) const {
  return !leader.empty() && leader.front().create_revision == since_;
}

void EtcdJournal::saw_key(std::int64_t asked_at_us) {
  saw_key_at_us_ = std::max(saw_key_at_us_.value_or(asked_at_us), asked_at_us);
}

void EtcdJournal::again(std::function<void()> what) {
  const std::int64_t pause_us = shortest_pause_us << std::min(failures_++, most_doublings);
  host_.after(pause_us, calls_.wrap(std::move(what)));
}

journal::Position EtcdJournal::read(
    const std::function<void(journal::Position, std::string_view)>&,
    const std::function<void(journal::Position, std::string_view)>&) {
  return appended_;
}

// --- Appends ------------------------------------------------------------------------------------

void EtcdJournal::append(std::string record, Done done) {
  if (!is_leading()) return;
  appends_.push_back({.position = ++appended_,
                      .record = std::move(record),
                      .floor = std::exchange(next_floor_, 0),
                      .done = std::move(done)});
  send(appends_.back());
}

void EtcdJournal::send(Append& append) {
  append.is_sent = true;
  etcd::Transaction transaction;
  transaction.compares = {leads(), Compare::is_absent(keys_.record(append.position))};
  if (append.position > 1 && append.position - 1 > durable_) {
    transaction.compares.push_back(Compare::is_there(keys_.record(append.position - 1)));
  }
  transaction.then = {Operation::put(keys_.record(append.position), append.record)};
  if (append.floor != 0) {
    transaction.then.push_back(Operation::put(keys_.floor(), std::to_string(append.floor)));
  }
  transaction.otherwise = {Operation::range(etcd::KeyRange::one(keys_.leader())),
                           Operation::range(etcd::KeyRange::one(keys_.record(append.position)))};
  etcd_.transact(std::move(transaction),
                 calls_.wrap([this, position = append.position, asked_at_us = host_.clock_us()](
                                 const etcd::Outcome& outcome, const auto& result) {
                   sent(position, asked_at_us, outcome, result);
                 }));
}

EtcdJournal::Append* EtcdJournal::find(journal::Position position) {
  const auto at = std::find_if(appends_.begin(), appends_.end(),
                               [&](const Append& one) { return one.position == position; });
  return at == appends_.end() ? nullptr : &*at;
}

void EtcdJournal::sent(journal::Position position, std::int64_t asked_at_us,
                       const etcd::Outcome& outcome, const etcd::TransactionResult& result) {
  Append* append = find(position);
  if (append == nullptr || append->is_done) return;
  append->is_sent = false;
  events_.troubled(outcome.message);
  if (!outcome.ok()) {
    return again([this, position] {
      Append* waiting = find(position);
      if (waiting != nullptr && !waiting->is_sent && !waiting->is_done) send(*waiting);
    });
  }
  if (!result.held && !is_own(result.found.at(0))) return depose();
  saw_key(asked_at_us);
  if (!result.held) {
    // Otherwise the one before is still missing: this one follows when that is there.
    if (result.found.at(1).empty()) {
      if (position == durable_ + 1) send(*append);
      return;
    }
  }
  append->is_done = true;
  failures_ = 0;
  finish_appends();
}

void EtcdJournal::finish_appends() {
  while (!appends_.empty() && appends_.front().is_done) {
    const Append append = std::move(appends_.front());
    appends_.pop_front();
    invariant(append.position == durable_ + 1, "records become durable out of order");
    durable_ = append.position;
    append.done({});
    if (!is_leading()) return;
  }
  if (!appends_.empty() && !appends_.front().is_sent) send(appends_.front());
}

// --- Snapshots ----------------------------------------------------------------------------------

void EtcdJournal::snapshot(journal::Position position, std::string state, Done done) {
  if (!is_leading()) return;
  snapshot_position_ = position;
  snapshot_ = std::move(state);
  snapshot_done_ = std::move(done);
  write_part(0);
}

void EtcdJournal::write_part(std::size_t number) {
  const std::size_t begin = number * options_.part_bytes;
  if (begin >= snapshot_.size()) return publish();
  change({Operation::put(keys_.part(snapshot_position_, number),
                         snapshot_.substr(begin, options_.part_bytes))},
         [this, number](etcd::Revision) { write_part(number + 1); });
}

// Once: an attempt that was given up may still arrive when there is a later snapshot, whose place
// it must not take.
void EtcdJournal::publish() {
  if (!published_) return find_published();
  const std::size_t parts = (snapshot_.size() + options_.part_bytes - 1) / options_.part_bytes;
  proto::SnapshotInfo info;
  info.set_position(snapshot_position_);
  info.set_parts(static_cast<std::uint32_t>(parts));
  info.set_bytes(snapshot_.size());
  etcd::Transaction transaction;
  transaction.compares = {
      leads(), {keys_.snapshot(), Compare::What::mod_revision, Compare::Is::equal, *published_}};
  transaction.then = {Operation::put(keys_.snapshot(), info.SerializeAsString()),
                      Operation::remove(keys_.parts_before(snapshot_position_))};
  transaction.otherwise = {Operation::range(etcd::KeyRange::one(keys_.leader())),
                           Operation::range(etcd::KeyRange::one(keys_.snapshot()))};
  etcd_.transact(std::move(transaction), calls_.wrap([this](const etcd::Outcome& outcome,
                                                            const etcd::TransactionResult& result) {
    events_.troubled(outcome.message);
    if (!outcome.ok()) return again([this] { publish(); });
    failures_ = 0;
    if (result.held) return published(result.revision);
    if (!is_own(result.found.at(0))) return depose();
    const auto& snapshot = result.found.at(1);
    if (snapshot.empty()) {
      published_ = 0;
      return publish();
    }
    // An attempt before this one has done it.
    published(snapshot.front().mod_revision);
  }));
}

// Finds the snapshot that an earlier leader has left.
void EtcdJournal::find_published() {
  etcd_.range({.keys = etcd::KeyRange::one(keys_.snapshot()), .keys_only = true},
              calls_.wrap([this](const etcd::Outcome& outcome, const etcd::RangeResult& result) {
                if (!outcome.ok()) return again([this] { publish(); });
                published_ = result.items.empty() ? 0 : result.items[0].mod_revision;
                publish();
              }));
}

void EtcdJournal::published(etcd::Revision revision) {
  const etcd::Revision before = published_.value_or(0);
  published_ = revision;
  // Compacts only up to the snapshot before this one: a standby may still be reading that one.
  if (options_.is_dedicated && before != 0) etcd_.compact(before, [](const etcd::Outcome&) {});
  remove_records(first_kept_);
}

// Some at a time: etcd does nothing else meanwhile.
void EtcdJournal::remove_records(journal::Position first) {
  if (first > snapshot_position_) return end_snapshot();
  if (first == 0) {
    // Finds the first record that an earlier leader has left.
    etcd::Range oldest{.keys = keys_.records(0, snapshot_position_), .limit = 1, .keys_only = true};
    etcd_.range(std::move(oldest),
                calls_.wrap([this](const etcd::Outcome& outcome, const etcd::RangeResult& result) {
                  if (!outcome.ok()) return again([this] { remove_records(0); });
                  const auto position =
                      result.items.empty() ? std::nullopt : keys_.position_of(result.items[0].key);
                  remove_records(position.value_or(snapshot_position_ + 1));
                }));
    return;
  }
  const journal::Position last = std::min(first + removed_at_once - 1, snapshot_position_);
  change({Operation::remove(keys_.records(first, last))},
         [this, last](etcd::Revision) { remove_records(last + 1); });
}

void EtcdJournal::end_snapshot() {
  first_kept_ = snapshot_position_ + 1;
  snapshot_.clear();
  std::exchange(snapshot_done_, nullptr)({});
}

void EtcdJournal::change(std::vector<Operation> what, std::function<void(etcd::Revision)> done) {
  etcd::Transaction transaction;
  transaction.compares = {leads()};
  transaction.then = what;
  etcd_.transact(
      std::move(transaction),
      calls_.wrap([this, what = std::move(what), done = std::move(done)](
                      const etcd::Outcome& outcome, const etcd::TransactionResult& result) mutable {
        events_.troubled(outcome.message);
        if (!outcome.ok()) {
          return again([this, what = std::move(what), done = std::move(done)]() mutable {
            change(std::move(what), std::move(done));
          });
        }
        if (!result.held) return depose();
        failures_ = 0;
        done(result.revision);
      }));
}

// --- Proofs -------------------------------------------------------------------------------------

void EtcdJournal::prove(Done done) {
  if (!is_leading()) return;
  to_be_proven_.push_back(std::move(done));
  if (proving_.empty()) send_proof();
}

void EtcdJournal::send_proof() {
  proving_ = std::exchange(to_be_proven_, {});
  const auto proven = [this, asked_at_us = host_.clock_us()](const etcd::Outcome& outcome,
                                                             const etcd::RangeResult& result) {
    events_.troubled(outcome.message);
    if (!outcome.ok()) {
      return again([this] {
        // Also for those that came meanwhile.
        for (Done& done : std::exchange(proving_, {})) to_be_proven_.push_back(std::move(done));
        send_proof();
      });
    }
    if (!is_own(result.items)) return depose();
    saw_key(asked_at_us);
    const auto all = std::exchange(proving_, {});
    if (!to_be_proven_.empty()) send_proof();
    for (const Done& done : all) done({});
  };
  etcd_.range({.keys = etcd::KeyRange::one(keys_.leader()), .keys_only = true},
              calls_.wrap(proven));
}

// The next goes out also if this one is not answered.
void EtcdJournal::look() {
  if (!is_leading()) return;
  etcd_.range({.keys = etcd::KeyRange::one(keys_.leader())},
              calls_.wrap([this, asked_at_us = host_.clock_us()](const etcd::Outcome& outcome,
                                                                 const etcd::RangeResult& result) {
                if (!outcome.ok()) return;
                if (!is_own(result.items)) return depose();
                saw_key(asked_at_us);
              }));
}

}  // namespace baton::cluster
