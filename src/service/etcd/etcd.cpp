#include "service/etcd/etcd.h"

#include <utility>

namespace baton::etcd {

KeyRange KeyRange::prefix(const std::string& prefix) {
  // An end of one zero byte means that there is none; and the empty key is not a key.
  const std::string no_end(1, '\0');
  if (prefix.empty()) return {no_end, no_end};
  std::string end = prefix;
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return {prefix, no_end};
  end.back() = static_cast<char>(end.back() + 1);
  return {prefix, end};
}

Operation Operation::put(std::string key, std::string value, LeaseId lease) {
  return {Kind::put, KeyRange::one(std::move(key)), std::move(value), lease};
}

Operation Operation::remove(KeyRange keys) { return {Kind::remove, std::move(keys), {}, 0}; }

Operation Operation::range(KeyRange keys) { return {Kind::range, std::move(keys), {}, 0}; }

}  // namespace baton::etcd
