// The journal in etcd, as the server that leads writes it.
//
// Every append is one transaction. It checks that the leader's key is still the one that this
// server created, that the record before is there, and that this record is not. So etcd itself
// refuses a server that has been deposed, however late that server learns of it, and several
// appends may be under way and still be in order. The journal repeats an append whose outcome is
// not known, the same bytes at the same place, until that place is seen to be taken or leadership
// to be lost: as long as this server leads, nobody else can have taken it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/calls.h"
#include "service/cluster/keys.h"
#include "service/cluster/replica_host.h"
#include "service/etcd/etcd.h"
#include "service/journal/journal.h"

namespace baton::cluster {

struct EtcdJournalOptions {
  std::string name;  // for people
  // More are kept in order, but not faster (docs/decisions/0008-cluster.md).
  std::size_t most_under_way = 1;
  std::size_t record_bytes = 1'000'000;  // etcd takes requests of up to 1.5 MiB
  std::size_t part_bytes = 500'000;      // of a snapshot
  bool is_dedicated = false;             // etcd is ours alone: its history may be forgotten
};

class EtcdJournal final : public journal::Journal {
 public:
  struct Events {
    std::function<void(const std::string&)> deposed;
    std::function<void(const std::string&)> troubled;  // empty: all is well
    // Inside the own lease, if the leader's key was there when it asked at this moment.
    std::function<bool(std::int64_t asked_at_us)> is_proven;
  };

  EtcdJournal(etcd::Etcd& etcd, ReplicaHost& host, Keys keys, EtcdJournalOptions options,
              Events events);

  // This server leads from now on, and has read every record up to `position`.
  void begin(etcd::Revision since, journal::Position position);
  // This server no longer leads: the journal calls no `done` of an append under way.
  void end();
  bool is_leading() const { return since_ != 0; }
  journal::Position durable() const { return durable_; }
  void set_floor(std::uint64_t floor) { found_floor_ = floor; }
  // Asks etcd whether the leader's key is still there. It must do so now and then: a standby that
  // takes this server for dead removes the key, not the lease, and the watch may report that late.
  void look();
  // The time at which it sent the last question whose answer showed that the key was there.
  std::optional<std::int64_t> saw_key_at_us() const { return saw_key_at_us_; }

  // Of journal::Journal. What was read before is told to the ReplicaHost instead.
  journal::Position read(const std::function<void(journal::Position, std::string_view)>&,
                         const std::function<void(journal::Position, std::string_view)>&) override;
  void append(std::string record, Done done) override;
  std::size_t most_under_way() const override { return options_.most_under_way; }
  std::size_t most_record_bytes() const override { return options_.record_bytes; }
  void snapshot(journal::Position position, std::string state, Done done) override;
  void raise_floor(std::uint64_t floor) override { next_floor_ = floor; }
  std::uint64_t floor() const override { return found_floor_; }
  bool is_sure() const override {
    return is_leading() && saw_key_at_us_ && events_.is_proven(*saw_key_at_us_);
  }
  void prove(Done done) override;
  void close() override { end(); }
  std::string describe() const override { return options_.name; }

 private:
  struct Append {
    journal::Position position = 0;
    std::string record;
    std::uint64_t floor = 0;  // to be raised to; 0: not
    Done done;
    bool is_sent = false;
    bool is_done = false;
  };

  void send(Append& append);
  void sent(journal::Position position, std::int64_t asked_at_us, const etcd::Outcome& outcome,
            const etcd::TransactionResult& result);
  void finish_appends();
  Append* find(journal::Position position);

  void write_part(std::size_t number);
  void publish();
  void find_published();
  void published(etcd::Revision revision);
  void remove_records(journal::Position first);
  void end_snapshot();
  // Runs an idempotent transaction that etcd accepts only while this server leads, and repeats it
  // until its outcome is known.
  void change(std::vector<etcd::Operation> what, std::function<void(etcd::Revision)> done);

  void send_proof();
  void depose();
  // Retries after a pause, which grows with each failure.
  void again(std::function<void()> what);
  etcd::Compare leads() const;
  bool is_own(const std::vector<etcd::KeyValue>& leader) const;
  void saw_key(std::int64_t asked_at_us);

  etcd::Etcd& etcd_;
  ReplicaHost& host_;
  Keys keys_;
  EtcdJournalOptions options_;
  Events events_;
  io::Calls calls_;

  etcd::Revision since_ = 0;  // 0: does not lead
  std::optional<std::int64_t> saw_key_at_us_;
  journal::Position appended_ = 0;
  journal::Position durable_ = 0;
  std::deque<Append> appends_;
  std::uint64_t next_floor_ = 0;
  std::uint64_t found_floor_ = 0;

  journal::Position snapshot_position_ = 0;
  std::string snapshot_;
  Done snapshot_done_;
  journal::Position first_kept_ = 0;         // records before are removed
  std::optional<etcd::Revision> published_;  // the latest snapshot; 0: there is none

  std::vector<Done> proving_;       // a proof is under way
  std::vector<Done> to_be_proven_;  // these need one that begins after they came
  int failures_ = 0;
};

}  // namespace baton::cluster
