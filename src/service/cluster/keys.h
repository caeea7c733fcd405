// The keys of a cluster, below its prefix in etcd. All keys that standbys follow are in one range,
// so that one watch reports their changes in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/etcd/etcd.h"
#include "service/journal/journal.h"

namespace baton::cluster {

class Keys {
 public:
  explicit Keys(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string identity() const { return prefix_ + "/cluster"; }
  etcd::KeyRange followed() const { return etcd::KeyRange::prefix(prefix_ + "/live/"); }
  std::string leader() const { return prefix_ + "/live/leader"; }
  std::string record(journal::Position position) const;
  // Positions from `first` up to and including `last`.
  etcd::KeyRange records(journal::Position first, journal::Position last) const;
  // None: not the key of a record.
  std::optional<journal::Position> position_of(std::string_view key) const;

  std::string snapshot() const { return prefix_ + "/kept/snapshot"; }
  std::string part(journal::Position position, std::size_t number) const;
  etcd::KeyRange parts(journal::Position position) const;
  // Of all snapshots before this one.
  etcd::KeyRange parts_before(journal::Position position) const;
  std::string floor() const { return prefix_ + "/kept/floor"; }

  std::string member(const std::string& name) const { return prefix_ + "/members/" + name; }
  etcd::KeyRange members() const { return etcd::KeyRange::prefix(prefix_ + "/members/"); }

 private:
  std::string records_prefix() const { return prefix_ + "/live/record/"; }
  std::string parts_prefix() const { return prefix_ + "/kept/part/"; }

  std::string prefix_;
};

}  // namespace baton::cluster
