#include "support/model_store.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace baton::etcd {

namespace {

using Kind = Outcome::Kind;

const std::string no_end(1, '\0');

Outcome refused(const std::string& why) { return {Kind::refused, "etcdserver: " + why}; }

std::size_t bytes(const std::vector<Operation>& operations) {
  std::size_t sum = 0;
  for (const Operation& operation : operations) {
    sum += operation.keys.key.size() + operation.keys.end.size() + operation.value.size() + 16;
  }
  return sum;
}

// A key may be put once, and not both put and removed.
bool has_overlap(const std::vector<Operation>& operations) {
  std::set<std::string> puts;
  for (const Operation& operation : operations) {
    if (operation.kind != Operation::Kind::put) continue;
    if (!puts.insert(operation.keys.key).second) return true;
  }
  return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
    return operation.kind == Operation::Kind::remove &&
           std::any_of(puts.begin(), puts.end(),
                       [&](const std::string& key) { return contains(operation.keys, key); });
  });
}

bool has_empty_key(const std::vector<Operation>& operations) {
  return std::any_of(operations.begin(), operations.end(),
                     [](const Operation& operation) { return operation.keys.key.empty(); });
}

}  // namespace

bool contains(const KeyRange& keys, const std::string& key) {
  if (keys.end.empty()) return key == keys.key;
  return key >= keys.key && (keys.end == no_end || key < keys.end);
}

// etcd looks at these before it does anything, of both branches.
Outcome ModelStore::check(const Transaction& transaction) const {
  const auto& [compares, then, otherwise] = transaction;
  const std::size_t most = std::max({compares.size(), then.size(), otherwise.size()});
  if (most > limits_.operations) return refused("too many operations in txn request");
  const bool no_key = std::any_of(compares.begin(), compares.end(),
                                  [](const Compare& compare) { return compare.key.empty(); });
  if (no_key || has_empty_key(then) || has_empty_key(otherwise)) {
    return refused("key is not provided");
  }
  if (has_overlap(then) || has_overlap(otherwise)) {
    return refused("duplicate key given in txn request");
  }
  if (bytes(then) + bytes(otherwise) > limits_.request_bytes) {
    return refused("request is too large");
  }
  return {};
}

// A transaction happens at one moment: the comparisons see the store as it was, the operations see
// what those before them have done, and everything it changes has the same next revision. One that
// changes nothing has no revision of its own.
Outcome ModelStore::transact(const Transaction& transaction,
                             const std::function<bool(LeaseId)>& has_lease,
                             TransactionResult& result) {
  if (const Outcome outcome = check(transaction); !outcome.ok()) return outcome;
  const bool held = std::all_of(transaction.compares.begin(), transaction.compares.end(),
                                [this](const Compare& compare) { return holds(compare); });
  const auto& operations = held ? transaction.then : transaction.otherwise;
  // A lease that is gone keeps the whole of it from happening.
  for (const Operation& operation : operations) {
    if (operation.lease != 0 && !has_lease(operation.lease)) {
      return refused("requested lease not found");
    }
  }
  result.held = held;
  for (const Operation& operation : operations) result.found.push_back(apply(operation));
  end_of_changes();
  result.revision = revision_;
  return {};
}

bool ModelStore::holds(const Compare& compare) const {
  const KeyValue* item = find(compare.key);
  const bool is_creation = compare.what == Compare::What::create_revision;
  const Revision actual = item == nullptr ? 0
                          : is_creation   ? item->create_revision
                                          : item->mod_revision;
  return compare.is == Compare::Is::equal ? actual == compare.revision : actual > compare.revision;
}

std::vector<KeyValue> ModelStore::apply(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::put:
      put(operation.keys.key, operation.value, operation.lease);
      break;
    case Operation::Kind::remove:
      remove(operation.keys);
      break;
    case Operation::Kind::range:
      return items(operation.keys, revision_ + 1);
  }
  return {};
}

// The create revision stays while the key is there, and is new when it comes again. A put without a
// lease takes the key from the lease it had.
void ModelStore::put(const std::string& key, const std::string& value, LeaseId lease) {
  const KeyValue* item = find(key);
  const Revision created = item == nullptr ? revision_ + 1 : item->create_revision;
  add({{key, value, created, revision_ + 1, lease}, false});
}

void ModelStore::remove(const KeyRange& keys) {
  for (const KeyValue& item : items(keys, revision_ + 1)) {
    add({{item.key, {}, 0, revision_ + 1, 0}, true});
  }
}

void ModelStore::remove_leased(LeaseId lease) {
  for (const KeyValue& item : items(KeyRange::prefix(""), revision_)) {
    if (item.lease == lease) remove(KeyRange::one(item.key));
  }
  end_of_changes();
}

void ModelStore::add(Version version) {
  has_changed_ = true;
  history_.push_back({version.is_removal, version.item});
  versions_[version.item.key].push_back(std::move(version));
}

void ModelStore::end_of_changes() {
  if (std::exchange(has_changed_, false)) ++revision_;
}

const KeyValue* ModelStore::find(const std::string& key) const {
  const auto found = versions_.find(key);
  if (found == versions_.end() || found->second.back().is_removal) return nullptr;
  return &found->second.back().item;
}

std::vector<KeyValue> ModelStore::items(const KeyRange& keys, Revision at) const {
  std::vector<KeyValue> result;
  for (auto key = versions_.lower_bound(keys.key); key != versions_.end(); ++key) {
    if (!contains(keys, key->first)) break;
    const auto& versions = key->second;
    const auto version = std::find_if(versions.rbegin(), versions.rend(), [&](const Version& one) {
      return one.item.mod_revision <= at;
    });
    if (version != versions.rend() && !version->is_removal) result.push_back(version->item);
  }
  return result;
}

// Old revisions can be read back to the compacted one, and that one itself.
Outcome ModelStore::range(const Range& range, RangeResult& result) const {
  if (range.keys.key.empty()) return refused("key is not provided");
  if (range.at > revision_) return refused("mvcc: required revision is a future revision");
  if (range.at > 0 && range.at < compacted_) {
    return {Kind::compacted, "etcdserver: mvcc: required revision has been compacted"};
  }
  result.items = items(range.keys, range.at > 0 ? range.at : revision_);
  result.revision = revision_;
  const auto limit = static_cast<std::size_t>(range.limit);
  if (range.limit > 0 && result.items.size() > limit) {
    result.items.resize(limit);
    result.more = true;
  }
  if (range.keys_only) {
    for (KeyValue& item : result.items) item.value.clear();
  }
  return {};
}

// What a key was at the compacted revision stays, and everything later. A removal at that very
// revision goes: a watch that begins there is not told of it (as in etcd 3.4).
Outcome ModelStore::compact(Revision revision) {
  if (revision <= compacted_) {
    return {Kind::compacted, "etcdserver: mvcc: required revision has been compacted"};
  }
  if (revision > revision_) return refused("mvcc: required revision is a future revision");
  compacted_ = revision;
  for (auto key = versions_.begin(); key != versions_.end();) {
    auto& versions = key->second;
    auto later = std::find_if(versions.begin(), versions.end(), [&](const Version& version) {
      return version.item.mod_revision > revision;
    });
    if (later != versions.begin() && !std::prev(later)->is_removal) --later;
    versions.erase(versions.begin(), later);
    key = versions.empty() ? versions_.erase(key) : std::next(key);
  }
  std::erase_if(history_, [&](const Event& event) {
    return event.item.mod_revision < revision ||
           (event.is_removal && event.item.mod_revision == revision);
  });
  return {};
}

std::vector<Event> ModelStore::events(const KeyRange& keys, Revision from, Revision to) const {
  auto event = std::partition_point(history_.begin(), history_.end(),
                                    [&](const Event& one) { return one.item.mod_revision < from; });
  std::vector<Event> result;
  for (; event != history_.end() && event->item.mod_revision <= to; ++event) {
    if (contains(keys, event->item.key)) result.push_back(*event);
  }
  return result;
}

}  // namespace baton::etcd
