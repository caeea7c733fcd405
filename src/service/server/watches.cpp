#include "service/server/watches.h"

#include <algorithm>
#include <utility>

#include "service/server/translate.h"

namespace baton::server {

namespace {

constexpr std::size_t most_bytes_at_once = 1024 * 1024;

bool is_of_a_leader(const service::Change& change) {
  return change.kind >= service::Change::Kind::elect;
}

void refuse(ClientPort& client, std::uint64_t number, Error error, const std::string& why,
            service::Revision told) {
  proto::ServerMessage message;
  proto::Changes& changes = *message.mutable_changes();
  changes.set_number(number);
  changes.set_error(static_cast<std::uint32_t>(error));
  changes.set_message(why);
  changes.set_revision(told.value);
  client.send(message);
}

}  // namespace

bool Watches::Watch::concerns(const service::Change& change) const {
  if (is_of_leaders != is_of_a_leader(change)) return false;
  return is_of_leaders ? change.key == prefix : change.key.starts_with(prefix);
}

void Watches::add(ClientPort& client, const proto::Watch& wanted, const service::State& state) {
  remove(client, wanted.number());
  const bool is_of_leaders = wanted.space() == proto::ELECTION;
  if (state.is_gated() && !is_of_leaders) {
    return refuse(client, wanted.number(), Error::unsupported, std::string(service::only_exclusive),
                  told_);
  }
  const auto past = state.changes_since(
      {wanted.after()}, is_of_leaders ? service::Watched::leaders : service::Watched::files,
      wanted.prefix());
  // The client asks for a revision that this server never sent: the client saw it before an
  // operator put back an older copy of the journal. So it must read anew.
  if (!past || wanted.after() > told_.value) {
    return refuse(client, wanted.number(), Error::compacted,
                  "changes after revision " + std::to_string(wanted.after()) +
                      " are not kept: read anew, then watch from the answer's revision",
                  told_);
  }
  Watch watch;
  watch.client = &client;
  watch.number = wanted.number();
  watch.is_of_leaders = is_of_leaders;
  watch.prefix = wanted.prefix();
  for (const service::Change& change : *past) {
    if (change.revision > told_ || !watch.concerns(change)) continue;
    add_change(watch, change);
    if (watch.pending_bytes >= most_bytes_at_once) send(watch);
  }
  send(watch);
  watches_.push_back(std::move(watch));
  ++client.watches_;
}

void Watches::remove(ClientPort& client, std::uint64_t number) {
  if (client.watches_ == 0) return;
  client.watches_ -= std::erase_if(watches_, [&](const Watch& watch) {
    return watch.client == &client && watch.number == number;
  });
}

void Watches::remove_all(ClientPort& client) {
  if (client.watches_ == 0) return;
  std::erase_if(watches_, [&](const Watch& watch) { return watch.client == &client; });
  client.watches_ = 0;
}

void Watches::changed(const service::Change& change) {
  told_ = change.revision;
  for (Watch& watch : watches_) {
    if (!watch.concerns(change)) continue;
    add_change(watch, change);
    has_pending_ = true;
    if (watch.pending_bytes >= most_bytes_at_once) send(watch);
  }
}

void Watches::flush() {
  if (!has_pending_) return;
  has_pending_ = false;
  for (Watch& watch : watches_) {
    if (watch.pending_bytes > 0) send(watch);
  }
}

void Watches::add_change(Watch& watch, const service::Change& change) {
  fill(*watch.pending.mutable_changes()->add_changes(), change);
  watch.pending_bytes += 1 + change.key.size() + change.value.size();
}

void Watches::send(Watch& watch) {
  proto::Changes& changes = *watch.pending.mutable_changes();
  changes.set_number(watch.number);
  const int count = changes.changes_size();
  const bool is_part = watch.pending_bytes >= most_bytes_at_once;
  changes.set_revision(is_part ? changes.changes(count - 1).revision() : told_.value);
  watch.client->send(watch.pending);
  watch.pending.Clear();
  watch.pending_bytes = 0;
}

}  // namespace baton::server
