#include "peers/member/algorithms.h"

#include "peers/net/catalog.h"

namespace baton::test {

std::vector<std::string> all_locks() {
  std::vector<std::string> names;
  for (const AnyClass* one : net::catalog()) {
    const bool is_lock = one->info().kind == Kind::mutual_exclusion;
    if (is_lock && net::objection_to(*one).empty()) names.emplace_back(one->info().name);
  }
  return names;
}

std::string as_identifier(const testing::TestParamInfo<std::string>& algorithm) {
  std::string name = algorithm.param;
  std::erase(name, '-');
  return name;
}

}  // namespace baton::test
