#include "service/journal/open.h"

#include <fmt/format.h>

#include "service/journal/null.h"
#include "service/journal/sqlite.h"

namespace baton::journal {

std::unique_ptr<Journal> open(const std::string& name, const Options& options) {
  const std::size_t colon = name.find(':');
  const bool is_path = colon == std::string::npos || name.find('/') < colon;
  const std::string kind = is_path ? "sqlite" : name.substr(0, colon);
  const std::string rest = is_path ? name : name.substr(colon + 1);
  if (kind == "memory" && rest.empty()) return std::make_unique<NullJournal>();
  if (kind == "sqlite" && !rest.empty()) {
    return std::make_unique<SqliteJournal>(rest, SqliteOptions{options.accept_loss, options.warn});
  }
  throw Unusable(fmt::format(
      "'{}' does not name a journal: use memory:, sqlite:PATH, or the path of a file", name));
}

}  // namespace baton::journal
