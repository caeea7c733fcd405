#include "service/server/answers.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "baton/error.h"
#include "service/server/translate.h"
#include "service/state/valid.h"

namespace baton::server {

namespace {

constexpr std::size_t part_bytes = 1024 * 1024;

// Splits a list into several answers, each of a size that fits into a frame.
class Parts {
 public:
  explicit Parts(const Asked& asked) : asked_(asked) { parts_.emplace_back(); }

  proto::Answer& last() { return parts_.back(); }

  // Counts an entry that was added. False if the list must end here.
  bool added(std::size_t bytes) {
    ++entries_;
    bytes_ += bytes;
    if (entries_ >= most_listed || bytes_ >= most_bytes_listed) return false;
    if (bytes_ - bytes_before_ >= part_bytes) {
      bytes_before_ = bytes_;
      parts_.emplace_back();
    }
    return true;
  }

  void refuse(Error error, std::string message) {
    last().set_error(static_cast<std::uint32_t>(error));
    last().set_message(std::move(message));
  }

  std::vector<proto::Answer> take(std::uint64_t number) {
    for (proto::Answer& part : parts_) {
      part.set_number(number);
      part.set_revision(asked_.state.revision().value);
      part.set_more(&part != &parts_.back());
    }
    return std::move(parts_);
  }

 private:
  const Asked& asked_;
  std::vector<proto::Answer> parts_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
  std::size_t bytes_before_ = 0;
};

// Looks up the client behind each session, once.
class People {
 public:
  explicit People(const service::State& state) : state_(state) {}

  void fill_in(proto::Who& message, service::SessionId session) {
    const auto [at, is_new] = known_.try_emplace(session.value);
    if (is_new) {
      if (const auto info = state_.session(session)) at->second = info->terms.who;
    }
    fill(message, at->second);
  }

 private:
  const service::State& state_;
  std::unordered_map<std::uint64_t, service::Who> known_;
};

using Others = std::map<std::string, std::vector<const proto::Lock*>>;  // by name

void fill_holder(proto::Holder& message, const service::Hold& it, service::Time now,
                 People& people) {
  message.set_session(it.party.session.value);
  message.set_owner(it.party.owner.value);
  people.fill_in(*message.mutable_who(), it.party.session);
  message.set_label(it.terms.label);
  message.set_mode(proto_of(it.terms.mode));
  message.set_fence(it.fence.value);
  message.set_slot(it.slot);
  message.set_for_time((now - it.since).value);
  message.set_value(it.terms.value);
  message.set_ending(it.is_over());
}

void fill_holder(proto::Holder& message, const service::LeaderElsewhere& it, service::Time now) {
  fill(*message.mutable_who(), it.who);
  message.set_fence(it.fence.value);
  message.set_for_time((now - it.since).value);
  message.set_value(it.value);
}

void fill_waiter(proto::Waiter& message, const service::WaitingRequest& it, service::Time now,
                 People& people) {
  message.set_session(it.party.session.value);
  message.set_owner(it.party.owner.value);
  people.fill_in(*message.mutable_who(), it.party.session);
  message.set_label(it.terms.hold.label);
  message.set_mode(proto_of(it.mode()));
  message.set_ticket(it.ticket);
  message.set_for_time((now - it.since).value);
  for (const std::string& name : it.names) message.add_names(name);
}

// A hold whose session has expired is shown as a lock-delay, not as a holder.
void fill_lock(proto::Lock& message, const service::LockInfo& it, service::Time now,
               People& people) {
  message.set_space(proto_of(it.space));
  message.set_name(it.name);
  message.set_slots(it.slots);
  for (const service::Hold& holder : it.holders) {
    if (holder.expired) {
      const std::int64_t left = (holder.ends - now).value;
      message.set_closed_for(std::max({message.closed_for(), left, std::int64_t{0}}));
    } else {
      fill_holder(*message.add_holders(), holder, now, people);
    }
  }
  if (it.elsewhere) fill_holder(*message.add_holders(), *it.elsewhere, now);
  for (const service::WaitingRequest& waiter : it.queue) {
    fill_waiter(*message.add_waiters(), waiter, now, people);
  }
}

// Adds holders and waiters at other servers. This server may already list a leader elsewhere.
void add_others(proto::Lock& message, const proto::Lock& others) {
  const auto is_known = [&](const proto::Holder& holder) {
    return std::any_of(message.holders().begin(), message.holders().end(),
                       [&](const proto::Holder& one) { return one.fence() == holder.fence(); });
  };
  for (const proto::Holder& holder : others.holders()) {
    if (!is_known(holder)) *message.add_holders() = holder;
  }
  for (const proto::Waiter& waiter : others.waiters()) {
    proto::Waiter& added = *message.add_waiters() = waiter;
    if (added.names_size() == 0) added.add_names(message.name());
  }
  message.set_closed_for(std::max(message.closed_for(), others.closed_for()));
}

// Adds an empty entry, in its place in the order, for each lock that only other servers know.
std::vector<service::LockInfo> with_others(std::vector<service::LockInfo> locks,
                                           const Others& others) {
  if (others.empty()) return locks;
  std::unordered_set<std::string_view> known;
  for (const service::LockInfo& lock : locks) known.insert(lock.name);
  std::vector<service::LockInfo> more;
  for (const auto& [name, all] : others) {
    if (known.contains(name)) continue;
    more.push_back({.space = space_of(all.front()->space()), .name = name});
  }
  for (service::LockInfo& lock : more) locks.push_back(std::move(lock));
  std::sort(locks.begin(), locks.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return locks;
}

void add_edges(const service::State& state, proto::Answer& answer) {
  if (state.waiting_count() > most_waiting_in_graph) {
    answer.set_message("too many requests wait: the server leaves the wait-for graph out");
    return;
  }
  for (const service::WaitEdge& edge : state.wait_edges()) {
    proto::WaitEdge& message = *answer.add_edges();
    message.set_from_session(edge.from.session.value);
    message.set_from_owner(edge.from.owner.value);
    message.set_to_session(edge.to.session.value);
    message.set_to_owner(edge.to.owner.value);
    message.set_space(proto_of(edge.space));
    message.set_name(edge.name);
    message.set_by_queue(edge.why == service::WaitEdge::Why::ahead);
  }
}

constexpr const char* too_long = "the list is too long: ask for a narrower prefix";

std::vector<proto::Answer> answer_locks(const proto::Read& read, const Asked& asked) {
  const auto& wanted = read.locks();
  const service::Namespace space = space_of(wanted.space());
  std::vector<service::LockInfo> locks;
  if (wanted.has_name()) {
    if (auto lock = asked.state.lock(space, wanted.name())) locks.push_back(std::move(*lock));
  } else {
    locks = asked.state.locks(space, wanted.prefix(), most_listed);
  }
  Others others;
  for (const proto::Lock& lock : asked.others.locks) others[lock.name()].push_back(&lock);
  Parts parts(asked);
  People people(asked.state);
  for (const service::LockInfo& lock : with_others(std::move(locks), others)) {
    proto::Lock& message = *parts.last().add_locks();
    fill_lock(message, lock, asked.now, people);
    if (const auto at = others.find(lock.name); at != others.end()) {
      for (const proto::Lock* other : at->second) add_others(message, *other);
    }
    if (parts.added(message.ByteSizeLong())) continue;
    parts.refuse(Error::too_large, too_long);
    break;
  }
  auto all = parts.take(read.number());
  add_edges(asked.state, all.back());
  return all;
}

std::vector<proto::Answer> answer_sessions(const proto::Read& read, const Asked& asked) {
  Parts parts(asked);
  for (const service::SessionInfo& it : asked.state.sessions()) {
    proto::Session& message = *parts.last().add_sessions();
    message.set_session(it.id.value);
    fill(*message.mutable_who(), it.terms.who);
    message.set_ttl(it.terms.ttl.value);
    message.set_lease_left(asked.lease_left(it.id).value);
    message.set_fast(it.terms.fast);
    message.set_within(it.terms.within.value);
    message.set_connected(asked.is_connected(it.id));
    message.set_holds(static_cast<std::uint32_t>(it.holds));
    message.set_waits(static_cast<std::uint32_t>(it.waits));
    message.set_for_time((asked.now - it.since).value);
    if (parts.added(message.ByteSizeLong())) continue;
    parts.refuse(Error::too_large, "there are more sessions than can be listed");
    break;
  }
  return parts.take(read.number());
}

std::vector<proto::Answer> answer_status(const proto::Read& read, const Asked& asked) {
  Parts parts(asked);
  proto::Status& status = *parts.last().mutable_status();
  status.set_sessions(asked.state.session_count());
  status.set_locks(asked.state.lock_count());
  status.set_files(asked.state.file_count());
  status.set_waiters(asked.state.waiting_count());
  status.set_revision(asked.state.revision().value);
  status.set_last_fence(asked.state.next_fence().value - 1);
  for (const service::SessionId session : asked.state.unreported()) {
    status.add_waits_for_reports_of(session.value);
  }
  asked.fill_status(status);
  return parts.take(read.number());
}

void fill_file(proto::File& message, const service::FileInfo& it, bool with_value) {
  message.set_key(it.key);
  if (with_value) message.set_value(it.value);
  message.set_version(it.version);
  message.set_revision(it.revision.value);
  message.set_tied_to(it.tied.value);
}

// Doubles the number of files in each step, so that it does not copy all files first when they are
// too large together.
std::vector<service::FileInfo> files_with(const service::State& state, const std::string& prefix) {
  for (std::size_t limit = 256;; limit *= 2) {
    auto files = state.files(prefix, limit);
    std::size_t bytes = 0;
    for (const service::FileInfo& file : files) bytes += file.value.size();
    if (files.size() < limit || limit >= most_listed || bytes >= most_bytes_listed) return files;
  }
}

std::vector<proto::Answer> answer_files(const proto::Read& read, const Asked& asked) {
  const auto& wanted = read.files();
  Parts parts(asked);
  if (wanted.has_key()) {
    if (const auto file = asked.state.file(wanted.key())) {
      fill_file(*parts.last().add_files(), *file, !wanted.keys_only());
    } else {
      parts.refuse(Error::not_found, "there is no file '" + wanted.key() + "'");
    }
    return parts.take(read.number());
  }
  const auto files = wanted.keys_only() ? asked.state.files(wanted.prefix(), most_listed)
                                        : files_with(asked.state, wanted.prefix());
  for (const service::FileInfo& file : files) {
    proto::File& message = *parts.last().add_files();
    fill_file(message, file, !wanted.keys_only());
    if (parts.added(message.ByteSizeLong())) continue;
    parts.refuse(Error::too_large, too_long);
    break;
  }
  return parts.take(read.number());
}

std::vector<proto::Answer> answer_backup(const proto::Read& read, const Asked& asked) {
  constexpr std::size_t piece_bytes = 1024 * 1024;
  const std::string all = asked.make_backup();
  std::vector<proto::Answer> parts;
  for (std::size_t at = 0; at < all.size(); at += piece_bytes) {
    proto::Answer& part = parts.emplace_back();
    part.set_number(read.number());
    part.add_backup(all.substr(at, piece_bytes));
    part.set_more(at + piece_bytes < all.size());
  }
  return parts;
}

std::optional<service::Refusal> refusal_of(const proto::Read& read) {
  constexpr std::size_t longest = service::longest_name;
  if (read.files().has_key()) return service::refuse_text(read.files().key(), longest, "the key");
  if (read.locks().has_name())
    return service::refuse_text(read.locks().name(), longest, "the name");
  return std::nullopt;
}

std::vector<proto::Answer> refused(const proto::Read& read, const Asked& asked,
                                   service::Refusal why) {
  Parts parts(asked);
  parts.refuse(why.error, std::move(why.message));
  return parts.take(read.number());
}

}  // namespace

std::vector<proto::Answer> answer(const proto::Read& read, const Asked& asked) {
  if (asked.state.is_gated() && (read.has_files() || read.has_backup())) {
    return refused(read, asked, {Error::unsupported, std::string(service::only_exclusive)});
  }
  if (auto why = refusal_of(read)) return refused(read, asked, std::move(*why));
  switch (read.what_case()) {
    case proto::Read::kLocks:
      return answer_locks(read, asked);
    case proto::Read::kSessions:
      return answer_sessions(read, asked);
    case proto::Read::kStatus:
      return answer_status(read, asked);
    case proto::Read::kFiles:
      return answer_files(read, asked);
    case proto::Read::kBackup:
      return answer_backup(read, asked);
    case proto::Read::WHAT_NOT_SET:
      break;
  }
  return refused(read, asked,
                 {Error::bad_request, "this server does not know this kind of question"});
}

}  // namespace baton::server
