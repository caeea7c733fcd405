// One server of a cluster that shares a journal in etcd. It follows, becomes leader, is deposed.
//
//   loading ──▶ following ──▶ leading
//      ▲           │             │ deposed: what was not written never happened
//      └───────────┴─────────────┘
//
// One watch reports records and the leader's key to a follower, in etcd's order. When the key is
// gone, every follower tries to create it. A follower that sees its own key in the watch has
// already seen every record of earlier leaders, and leads.
//
// A follower that takes the leader for dead may depose it (suspect()): it removes the key of
// exactly that leader. If the follower was wrong, etcd refuses the old leader's next append. The
// old leader may still have renewed sessions without an append, until its proof of its lease ended.
// So the new leader gives every session that has not spoken to it yet that much more time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/calls.h"
#include "service/cluster/etcd_journal.h"
#include "service/cluster/keys.h"
#include "service/cluster/leader_lease.h"
#include "service/cluster/replica_host.h"
#include "service/cluster/storage_quota.h"
#include "service/etcd/etcd.h"

namespace baton::cluster {

struct ReplicaOptions {
  std::string prefix = "baton";
  std::string cluster = "baton";  // whose prefix it is, so that nobody else uses it by mistake
  std::string name;               // of this server; no two have the same
  std::string url;                // where clients find it
  std::string program;
  std::string nonce;  // no two processes have the same
  std::int64_t lease_s = 2;
  std::int64_t etcd_quota_bytes = 2'147'483'648;  // of an etcd that does not say it: its default
  EtcdJournalOptions journal;
};

// As it last said itself.
struct PeerInfo {
  std::string name;
  std::string url;
  std::string program;
  journal::Position position = 0;
  bool leads = false;
};

class Replica {
 public:
  Replica(etcd::Etcd& etcd, ReplicaHost& host, ReplicaOptions options);

  void start();
  // Removes this server's keys and ends its lease, whether it leads or not. Call it last.
  void leave(std::function<void()> done);
  // The host takes the leader for dead: removes that leader's key.
  void suspect(const LeaderInfo& leader);

  EtcdJournal& journal() { return journal_; }
  const std::optional<LeaderInfo>& leader() const { return leader_; }
  bool is_leading() const { return journal_.is_leading(); }
  journal::Position position() const;
  // Why nothing can be done now, such as "etcd does not answer"; empty if something can.
  std::string trouble() const;
  // The last time at which this server had surely seen every record: for a follower its last look,
  // for a leader as long as it can prove that no other server has written.
  std::int64_t seen_all_at_us() const;
  // How long the proof of its lease still lasts.
  std::int64_t proof_left_us() const;
  // The members of etcd, and how much room they have.
  const StorageQuota& quota() const { return quota_; }
  void peers(std::function<void(const std::string& problem, std::vector<PeerInfo>)> done);

 private:
  enum class Stage : std::uint8_t { away, loading, following, leading, leaving };

  void identify();
  void enrol();
  void enrolled(const etcd::Outcome& outcome, const etcd::TransactionResult& result);
  void wait_for_name(const etcd::KeyValue& found, std::uint64_t term);
  void tell_position();
  std::string card() const;

  void load(const std::string& why);
  void load_snapshot();
  struct Snapshot {
    journal::Position position = 0;
    std::size_t parts = 0;
    std::size_t bytes = 0;
    etcd::Revision at = 0;
  };
  void load_parts(const std::string& info, etcd::Revision at);
  void load_part(const Snapshot& snapshot, std::size_t number);
  void load_state(const Snapshot& snapshot);
  void load_records(journal::Position from, etcd::Revision at);
  void load_rest(etcd::Revision at);
  bool read_records(const std::vector<etcd::KeyValue>& items);
  bool read_floor(const std::string& text);
  void begin_to_follow(etcd::Revision after);
  // Reads what cannot be read again in a while.
  template <class Next>
  void fetch(etcd::Range range, Next next);

  void changed(const etcd::Changes& changes);
  bool take(const etcd::Event& event);
  void take_leader(const etcd::KeyValue& item);
  void no_leader();
  void campaign();
  void lead();
  void deposed(const std::string& why);
  void remove_leader(etcd::Revision since);
  void look_for_records();
  void watch_etcd();
  void look_at_etcd();
  void give_up(const std::string& why);
  void troubled(const std::string& what);
  std::int64_t proof_ends_us() const;
  bool is_unusable(const std::function<void()>& read);

  etcd::Etcd& etcd_;
  ReplicaHost& host_;
  ReplicaOptions options_;
  Keys keys_;
  LeaderLease leader_lease_;
  EtcdJournal journal_;
  StorageQuota quota_;
  io::Calls calls_;    // of what is never over
  io::Calls loading_;  // of one time of loading and following

  Stage stage_ = Stage::away;
  std::optional<etcd::Etcd::WatchId> watch_;
  journal::Position position_ = 0;  // the last record that was read
  std::string snapshot_;            // as far as it has come
  std::optional<LeaderInfo> leader_;
  std::int64_t leader_lease_us_ = 0;
  etcd::Revision retired_ = 0;  // a leadership of its own that is over
  bool is_enrolled_ = false;
  // Another server has had its name, under this lease and in this term of etcd, each time that it
  // looked.
  struct Taken {
    etcd::LeaseId lease = 0;
    std::uint64_t term = 0;
    int looks = 0;
  };
  Taken taken_;
  bool is_campaigning_ = false;
  int looks_at_etcd_ = 0;
  std::string trouble_;
  std::int64_t seen_all_at_us_ = 0;
  journal::Position told_position_ = 0;
  bool told_leading_ = false;
};

}  // namespace baton::cluster
