#include "service/server/snapshot.h"

#include <google/protobuf/arena.h>

#include <functional>
#include <utility>

#include "baton/journal.pb.h"
#include "service/server/translate.h"

namespace baton::server {

namespace {

constexpr std::size_t piece_bytes = 256 * 1024;

// Entries go into a piece until it is large enough, and then into the next.
class Writer {
 public:
  proto::Snapshot& piece() { return piece_; }

  void added(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ >= piece_bytes) end_piece();
  }
  std::string take() {
    end_piece();
    return std::move(out_);
  }

 private:
  void end_piece() {
    piece_.AppendToString(&out_);
    piece_.Clear();
    bytes_ = 0;
  }

  proto::Snapshot piece_;
  std::size_t bytes_ = 0;
  std::string out_;
};

void fill(proto::Snapshot::Waiting& message, const service::WaitingImage& it) {
  message.set_request(it.request.value);
  message.set_owner(it.owner.value);
  message.set_space(proto_of(it.space));
  for (const std::string& name : it.names) message.add_names(name);
  message.set_mode(proto_of(it.mode));
  message.set_slots(it.slots);
  message.set_upgrade(it.upgrade);
  message.set_once(it.once);
  message.set_ticket(it.ticket);
  message.set_since(it.since.value);
  if (it.deadline) message.set_deadline(it.deadline->value);
  message.set_max_hold(it.max_hold.value);
  message.set_value(it.value);
  message.set_label(it.label);
  message.set_fast(it.fast);
  message.set_despite_deadlock(it.despite_deadlock);
}

service::WaitingImage waiting_of(const proto::Snapshot::Waiting& it) {
  service::WaitingImage image{.request = {it.request()},
                              .owner = {it.owner()},
                              .space = space_of(it.space()),
                              .names = {it.names().begin(), it.names().end()},
                              .mode = mode_of(it.mode()),
                              .slots = it.slots(),
                              .upgrade = it.upgrade(),
                              .once = it.once(),
                              .ticket = it.ticket(),
                              .since = {it.since()},
                              .deadline = {},
                              .max_hold = {it.max_hold()},
                              .value = it.value(),
                              .label = it.label(),
                              .fast = it.fast(),
                              .despite_deadlock = it.despite_deadlock()};
  if (it.has_deadline()) image.deadline = service::Time{it.deadline()};
  return image;
}

void fill(proto::Snapshot::Session& message, const service::SessionImage& it) {
  message.set_id(it.id.value);
  message.set_nonce(it.nonce);
  server::fill(*message.mutable_who(), it.who);
  message.set_ttl(it.ttl.value);
  message.set_lock_delay(it.lock_delay.value);
  message.set_fast(it.fast);
  message.set_within(it.within.value);
  message.set_since(it.since.value);
  message.set_ends(it.ends.value);
  message.set_confirmed(it.confirmed.value);
  message.set_must_report(it.must_report);
  message.set_latest_answers(it.latest_answers);
  for (const service::WaitingImage& waiting : it.waiting) fill(*message.add_waiting(), waiting);
  for (const service::Reply& reply : it.answers) {
    auto* answer = message.add_answers();
    server::fill(*answer->mutable_reply(), reply);
    answer->set_fast(reply.fast);
  }
  for (const service::HoldOver& over : it.endings) server::fill(*message.add_endings(), over);
}

service::SessionImage session_of(const proto::Snapshot::Session& it) {
  service::SessionImage image{.id = {it.id()},
                              .nonce = it.nonce(),
                              .who = who_of(it.who()),
                              .ttl = {it.ttl()},
                              .lock_delay = {it.lock_delay()},
                              .fast = it.fast(),
                              .within = {it.within()},
                              .since = {it.since()},
                              .ends = {it.ends()},
                              .confirmed = {it.confirmed()},
                              .must_report = it.must_report(),
                              .latest_answers = it.latest_answers(),
                              .waiting = {},
                              .answers = {},
                              .endings = {}};
  for (const auto& waiting : it.waiting()) image.waiting.push_back(waiting_of(waiting));
  for (const auto& answer : it.answers()) {
    image.answers.push_back(reply_of(answer.reply(), image.id));
    image.answers.back().fast = answer.fast();
  }
  for (const auto& over : it.endings()) image.endings.push_back(hold_over_of(over, image.id));
  return image;
}

void fill(proto::Snapshot::Hold& message, const service::HoldImage& it) {
  message.set_session(it.party.session.value);
  message.set_owner(it.party.owner.value);
  message.set_mode(proto_of(it.mode));
  message.set_slot(it.slot);
  message.set_fence(it.fence.value);
  message.set_times(it.times);
  message.set_since(it.since.value);
  message.set_max_hold(it.max_hold.value);
  message.set_ends(it.ends.value);
  message.set_expired(it.expired);
  message.set_value(it.value);
  message.set_label(it.label);
  for (const service::RequestId request : it.requests) message.add_requests(request.value);
}

service::HoldImage hold_of(const proto::Snapshot::Hold& it) {
  service::HoldImage image{.party = {{it.session()}, {it.owner()}},
                           .mode = mode_of(it.mode()),
                           .slot = it.slot(),
                           .fence = {it.fence()},
                           .times = it.times(),
                           .since = {it.since()},
                           .max_hold = {it.max_hold()},
                           .ends = {it.ends()},
                           .expired = it.expired(),
                           .value = it.value(),
                           .label = it.label(),
                           .requests = {}};
  for (const std::uint64_t request : it.requests()) image.requests.push_back({request});
  return image;
}

void fill(proto::Snapshot::Lock& message, const service::LockImage& it) {
  message.set_space(proto_of(it.space));
  message.set_name(it.name);
  message.set_slots(it.slots);
  for (const service::HoldImage& hold : it.holds) fill(*message.add_holds(), hold);
}

service::LockImage lock_of(const proto::Snapshot::Lock& it) {
  service::LockImage image{space_of(it.space()), it.name(), it.slots(), {}};
  for (const auto& hold : it.holds()) image.holds.push_back(hold_of(hold));
  return image;
}

void fill(proto::Snapshot::File& message, const service::FileInfo& it) {
  message.set_key(it.key);
  message.set_value(it.value);
  message.set_version(it.version);
  message.set_revision(it.revision.value);
  message.set_tied(it.tied.value);
}

service::FileInfo file_of(const proto::Snapshot::File& it) {
  return {it.key(), it.value(), it.version(), {it.revision()}, {it.tied()}};
}

void fill_head(proto::Snapshot& message, const Kept& kept) {
  const service::StateImage& image = kept.image;
  message.set_version(format_version);
  message.set_epoch(kept.epoch);
  message.set_now(image.now.value);
  message.set_next_fence(image.next_fence.value);
  message.set_reserve(image.reserve.value);
  message.set_fence_floor(image.fence_floor.value);
  message.set_joinable_from(image.joinable_from.value);
  message.set_next_ticket(image.next_ticket);
  message.set_ticket_floor(image.ticket_floor);
  message.set_next_session(image.next_session);
  message.set_stalled(image.stalled);
  message.set_revision(image.revision.value);
}

Kept head_of(const proto::Snapshot& message) {
  Kept kept;
  kept.epoch = message.epoch();
  kept.image.now = {message.now()};
  kept.image.next_fence = {message.next_fence()};
  kept.image.reserve = {message.reserve()};
  kept.image.fence_floor = {message.fence_floor()};
  kept.image.joinable_from = {message.joinable_from()};
  kept.image.next_ticket = message.next_ticket();
  kept.image.ticket_floor = message.ticket_floor();
  kept.image.next_session = message.next_session();
  kept.image.stalled = message.stalled();
  kept.image.revision = {message.revision()};
  return kept;
}

}  // namespace

std::string encode(const Kept& kept) {
  Writer writer;
  fill_head(writer.piece(), kept);
  const auto write = [&writer](auto& message, const auto& it) {
    fill(message, it);
    writer.added(message.ByteSizeLong());
  };
  for (const auto& it : kept.image.sessions) write(*writer.piece().add_sessions(), it);
  for (const auto& it : kept.image.locks) write(*writer.piece().add_locks(), it);
  for (const auto& it : kept.image.files) write(*writer.piece().add_files(), it);
  for (const auto& it : kept.image.changes) {
    auto& message = *writer.piece().add_changes();
    server::fill(message, it);
    writer.added(message.ByteSizeLong());
  }
  return writer.take();
}

Kept decode_snapshot(std::string_view bytes) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<proto::Snapshot>(&arena);
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw UnreadableSnapshot("the snapshot of the state is damaged");
  }
  if (message->version() > format_version) {
    throw UnreadableSnapshot("it was written by a newer version of baton: use that one");
  }
  Kept kept = head_of(*message);
  for (const auto& it : message->sessions()) kept.image.sessions.push_back(session_of(it));
  for (const auto& it : message->locks()) kept.image.locks.push_back(lock_of(it));
  for (const auto& it : message->files()) kept.image.files.push_back(file_of(it));
  for (const auto& it : message->changes()) kept.image.changes.push_back(change_of(it));
  if (const auto problem = service::what_is_wrong_with(kept.image)) {
    throw UnreadableSnapshot("the snapshot of the state is damaged: " + *problem);
  }
  return kept;
}

}  // namespace baton::server
