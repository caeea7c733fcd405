// etcd's store as it promises to behave: keys with all their versions since the last compaction,
// and one revision for the whole. A function of the requests in their order; time and failures are
// elsewhere (support/model_etcd.h).
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "service/etcd/etcd.h"

namespace baton::etcd {

bool contains(const KeyRange& keys, const std::string& key);

// What etcd 3.4 refuses unless it is told otherwise.
struct ModelLimits {
  std::size_t request_bytes = 1536 * 1024;
  std::size_t operations = 128;  // in each of the three lists of a transaction
  std::int64_t least_ttl_s = 2;  // shorter leases are made as long as this
  std::int64_t most_ttl_s = 9'000'000'000;
};

class ModelStore {
 public:
  explicit ModelStore(const ModelLimits& limits) : limits_(limits) {}

  Revision revision() const { return revision_; }
  Revision compacted() const { return compacted_; }

  // `has_lease` says whether there is such a lease.
  Outcome transact(const Transaction& transaction, const std::function<bool(LeaseId)>& has_lease,
                   TransactionResult& result);
  Outcome range(const Range& range, RangeResult& result) const;
  Outcome compact(Revision revision);
  // All keys of a lease go in one revision, in their order.
  void remove_leased(LeaseId lease);

  // What has happened to the keys from one revision to another, both included.
  std::vector<Event> events(const KeyRange& keys, Revision from, Revision to) const;

 private:
  struct Version {
    KeyValue item;
    bool is_removal = false;
  };
  using Versions = std::map<std::string, std::vector<Version>>;

  const KeyValue* find(const std::string& key) const;
  bool holds(const Compare& compare) const;
  std::vector<KeyValue> items(const KeyRange& keys, Revision at) const;
  std::vector<KeyValue> apply(const Operation& operation);
  void put(const std::string& key, const std::string& value, LeaseId lease);
  void remove(const KeyRange& keys);
  void add(Version version);
  void end_of_changes();
  Outcome check(const Transaction& transaction) const;

  ModelLimits limits_;
  Revision revision_ = 1;  // of an empty store
  Revision compacted_ = 0;
  bool has_changed_ = false;   // within the present transaction
  Versions versions_;          // of each key, the latest last
  std::deque<Event> history_;  // since the last compaction
};

}  // namespace baton::etcd
