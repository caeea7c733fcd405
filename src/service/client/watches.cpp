#include "service/client/watches.h"

#include <algorithm>

namespace baton::client {

namespace {

proto::ClientMessage message_of(std::uint64_t number, const WatchRequest& request) {
  proto::ClientMessage message;
  proto::Watch& watch = *message.mutable_watch();
  watch.set_number(number);
  watch.set_space(request.space);
  watch.set_prefix(request.prefix);
  watch.set_after(request.after);
  return message;
}

void end(WatchRequest& watch, const Failure& why, Outbox& out) {
  if (watch.ended) out.call([ended = std::move(watch.ended), why] { ended(why); });
}

}  // namespace

proto::ClientMessage Watches::add(WatchRequest request) {
  proto::ClientMessage message = message_of(next_, request);
  all_.emplace(next_++, std::move(request));
  return message;
}

std::optional<WatchRequest> Watches::remove(std::uint64_t number) {
  auto removed = all_.extract(number);
  return removed.empty() ? std::nullopt : std::optional(std::move(removed.mapped()));
}

void Watches::hear(const proto::Changes& changes, Outbox& out) {
  const auto found = all_.find(changes.number());
  if (found == all_.end()) return;
  WatchRequest& watch = found->second;
  if (changes.error() != 0) {
    end(watch, {error_of(changes.error()), changes.message()}, out);
    all_.erase(found);
    return;
  }
  for (const proto::Change& change : changes.changes()) {
    // After a reconnect some may come again.
    if (change.revision() <= watch.after) continue;
    watch.after = change.revision();
    out.call([changed = watch.changed, change] { changed(change); });
  }
  watch.after = std::max(watch.after, changes.revision());
}

void Watches::repeat(Outbox& out) const {
  for (const auto& [number, watch] : all_) out.send(message_of(number, watch));
}

void Watches::fail_all(const Failure& why, Outbox& out) {
  for (auto& [number, watch] : std::exchange(all_, {})) end(watch, why, out);
}

}  // namespace baton::client
