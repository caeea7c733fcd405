#include "service/cluster/keys.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace baton::cluster {

namespace {

// In the order of the numbers.
std::string digits(std::uint64_t number) { return fmt::format("{:016x}", number); }

}  // namespace

std::string Keys::record(journal::Position position) const {
  return records_prefix() + digits(position);
}

etcd::KeyRange Keys::records(journal::Position first, journal::Position last) const {
  const bool is_to_the_end = last == std::numeric_limits<journal::Position>::max();
  if (is_to_the_end) return {record(first), etcd::KeyRange::prefix(records_prefix()).end};
  return {record(first), record(last + 1)};
}

std::optional<journal::Position> Keys::position_of(std::string_view key) const {
  const std::string prefix = records_prefix();
  if (key.size() != prefix.size() + digits(0).size() || !key.starts_with(prefix)) {
    return std::nullopt;
  }
  journal::Position position = 0;
  const char* end = key.data() + key.size();
  const auto result = std::from_chars(key.data() + prefix.size(), end, position, 16);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return position;
}

std::string Keys::part(journal::Position position, std::size_t number) const {
  return parts_prefix() + digits(position) + "/" + digits(number);
}

etcd::KeyRange Keys::parts(journal::Position position) const {
  return etcd::KeyRange::prefix(parts_prefix() + digits(position) + "/");
}

etcd::KeyRange Keys::parts_before(journal::Position position) const {
  return {parts_prefix(), parts_prefix() + digits(position)};
}

}  // namespace baton::cluster
