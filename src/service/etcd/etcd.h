// The parts of etcd that Baton uses: transactions, ranges, leases and watches, all asynchronous.
// The real one speaks gRPC (service/etcd/grpc_etcd.h); tests have a model of its guarantees in
// virtual time (tests/support/model_etcd.h).
//
// Calls return at once, and never call back from within. A callback comes at most once, on the
// thread of the caller's choice, and not at all after the Etcd is gone. Baton's client of etcd
// never retries by itself: it reports an outcome that it does not know as unknown. Only the caller
// can find out, by reading.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace baton::etcd {

// Of the whole store: each transaction that changes something has the next.
using Revision = std::int64_t;
using LeaseId = std::int64_t;

struct KeyValue {
  std::string key;
  std::string value;
  Revision create_revision = 0;  // since when the key has been there without a break
  Revision mod_revision = 0;
  LeaseId lease = 0;
};

// Keys from `key` up to but not including `end`; only `key` itself if there is no end.
struct KeyRange {
  std::string key;
  std::string end;

  static KeyRange one(std::string key) { return {std::move(key), {}}; }
  static KeyRange prefix(const std::string& prefix);
};

struct Compare {
  enum class What : std::uint8_t { create_revision, mod_revision };
  enum class Is : std::uint8_t { equal, greater };

  std::string key;  // one that is not there has the revisions 0
  What what = What::create_revision;
  Is is = Is::equal;
  Revision revision = 0;

  static Compare is_there(std::string key) {
    return {std::move(key), What::create_revision, Is::greater, 0};
  }
  static Compare is_absent(std::string key) {
    return {std::move(key), What::create_revision, Is::equal, 0};
  }
  // Since this revision, without a break.
  static Compare is_there_since(std::string key, Revision revision) {
    return {std::move(key), What::create_revision, Is::equal, revision};
  }
};

struct Operation {
  enum class Kind : std::uint8_t { put, remove, range };

  Kind kind = Kind::range;
  KeyRange keys;
  std::string value;  // of a put
  LeaseId lease = 0;  // of a put; 0: none

  static Operation put(std::string key, std::string value, LeaseId lease = 0);
  static Operation remove(KeyRange keys);
  static Operation range(KeyRange keys);
};

// All of `then` if every comparison holds, all of `otherwise` if not; nothing else in between. No
// key may be put twice in one.
struct Transaction {
  std::vector<Compare> compares;
  std::vector<Operation> then;
  std::vector<Operation> otherwise;
};

struct TransactionResult {
  bool held = false;  // the comparisons
  Revision revision = 0;
  std::uint64_t term = 0;                    // of etcd's own leader: the next one has a larger
  std::vector<std::vector<KeyValue>> found;  // by each operation; of those that are no range: empty
};

struct Range {
  KeyRange keys;
  std::int64_t limit = 0;  // 0: none
  Revision at = 0;         // 0: now
  bool keys_only = false;
};

struct RangeResult {
  std::vector<KeyValue> items;  // by key
  bool more = false;            // the limit has cut some off
  Revision revision = 0;        // of the store when it was read
};

struct Outcome {
  enum class Kind : std::uint8_t {
    ok,
    refused,    // it was not done, and never will be
    unknown,    // it may have been done, or may yet be
    compacted,  // the revision that was asked for is not kept any more
    full        // refused: etcd is out of space
  };
  Kind kind = Kind::ok;
  std::string message;  // for people

  bool ok() const { return kind == Kind::ok; }
};

struct Event {
  bool is_removal = false;
  KeyValue item;  // of a removal: key and mod_revision
};

// The report of a watch: changes in order, none left out, those of one revision together.
struct Changes {
  Outcome outcome;            // not ok: the watch is over
  std::vector<Event> events;  // may be none: only to say how far it has come
  Revision revision = 0;      // everything up to this one has been told
};

// One member, as far as it can be reached.
struct MemberStatus {
  std::string endpoint;
  bool is_healthy = false;
  bool leads = false;
  std::string version;
  std::int64_t store_bytes = 0;
  std::int64_t quota_bytes = 0;  // that its store may have; 0: it does not say
  std::string problem;           // such as "out of space"
};

class Etcd {
 public:
  using WatchId = std::uint64_t;

  virtual ~Etcd() = default;

  virtual void transact(Transaction transaction,
                        std::function<void(const Outcome&, TransactionResult)> done) = 0;
  // Linearizable.
  virtual void range(Range range, std::function<void(const Outcome&, RangeResult)> done) = 0;

  // etcd may make it longer than was asked for; `ttl_s` is what it has become.
  virtual void grant_lease(
      std::int64_t ttl_s,
      std::function<void(const Outcome&, LeaseId, std::int64_t ttl_s)> done) = 0;
  // Once. A ttl of 0: there is no such lease (any more).
  virtual void renew_lease(LeaseId lease,
                           std::function<void(const Outcome&, std::int64_t ttl_s)> done) = 0;
  virtual void revoke_lease(LeaseId lease, std::function<void(const Outcome&)> done) = 0;

  // Every change from the revision `from` on. Goes on by itself after a cut.
  virtual WatchId watch(KeyRange keys, Revision from, std::function<void(Changes)> changes) = 0;
  virtual void unwatch(WatchId watch) = 0;

  // Forgets history up to this revision: of everybody who uses this etcd.
  virtual void compact(Revision revision, std::function<void(const Outcome&)> done) = 0;

  virtual void members(std::function<void(std::vector<MemberStatus>)> done) = 0;
  // Requests go to this one from now on, as long as it answers.
  virtual void prefer(const std::string& /*endpoint*/) {}
};

}  // namespace baton::etcd
