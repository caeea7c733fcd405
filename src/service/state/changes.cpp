#include "service/state/changes.h"

namespace baton::service {
namespace {

std::size_t size_of(const Change& change) {
  return sizeof(Change) + change.key.size() + change.value.size();
}

bool is_seen(const Change& change, Watched watched, std::string_view prefix) {
  const bool is_file = change.kind == Change::Kind::put || change.kind == Change::Kind::remove;
  return is_file == (watched == Watched::files) &&
         std::string_view(change.key).substr(0, prefix.size()) == prefix;
}

}  // namespace

Changes::Changes(Revision last, const std::vector<Change>& kept) : last_(last) {
  for (const auto& change : kept) keep(change);
}

const Change& Changes::add(Change change) {
  change.revision = {++last_.value};
  keep(std::move(change));
  return kept_.back();
}

void Changes::keep(Change change) {
  bytes_ += size_of(change);
  kept_.push_back(std::move(change));
  while (kept_.size() > most_changes || bytes_ > most_change_bytes) {
    bytes_ -= size_of(kept_.front());
    kept_.pop_front();
  }
}

std::optional<std::vector<Change>> Changes::since(Revision after, Watched watched,
                                                  std::string_view prefix) const {
  std::vector<Change> found;
  if (after >= last_) return found;
  const std::uint64_t missed = last_.value - after.value;
  if (missed > kept_.size()) return std::nullopt;
  for (std::size_t i = kept_.size() - missed; i < kept_.size(); ++i)
    if (is_seen(kept_[i], watched, prefix)) found.push_back(kept_[i]);
  return found;
}

}  // namespace baton::service
