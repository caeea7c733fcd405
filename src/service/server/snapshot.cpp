#include "service/server/snapshot.h"

#include <google/protobuf/arena.h>

#include <functional>
#include <utility>

#include "baton/journal.pb.h"
#include "service/server/terms.h"
#include "service/state/versions.h"

namespace baton::server {

namespace {

constexpr std::size_t piece_bytes = 256 * 1024;

// Writes entries into a piece until it is large enough, and then into the next.
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

void fill(proto::Snapshot::Waiting& message, const service::WaitingRequest& it) {
  message.set_request(it.id.value);
  message.set_owner(it.party.owner.value);
  fill_terms(message, it.terms);
  message.set_upgrade(it.upgrade);
  message.set_once(it.once);
  message.set_ticket(it.ticket);
  message.set_since(it.since.value);
  if (it.deadline) message.set_deadline(it.deadline->value);
  message.set_space(proto_of(it.space));
  for (const std::string& name : it.names) message.add_names(name);
}

service::WaitingRequest waiting_of(const proto::Snapshot::Waiting& it, service::SessionId session) {
  service::WaitingRequest request{.id = {it.request()},
                                  .party = {session, {it.owner()}},
                                  .terms = request_terms_of(it),
                                  .upgrade = it.upgrade(),
                                  .once = it.once(),
                                  .ticket = it.ticket(),
                                  .since = {it.since()},
                                  .deadline = {},
                                  .space = space_of(it.space()),
                                  .names = {it.names().begin(), it.names().end()}};
  if (it.has_deadline()) request.deadline = service::Time{it.deadline()};
  return request;
}

void fill(proto::Snapshot::Session& message, const service::SessionImage& it) {
  message.set_id(it.id.value);
  fill_terms(message, it.terms);
  message.set_since(it.since.value);
  message.set_ends(it.ends.value);
  message.set_confirmed(it.confirmed.value);
  message.set_must_report(it.must_report);
  for (const service::WaitingRequest& waiting : it.waiting) fill(*message.add_waiting(), waiting);
  for (const service::Reply& reply : it.answers) {
    auto* answer = message.add_answers();
    server::fill(*answer->mutable_reply(), reply);
    answer->set_fast(reply.fast);
  }
  for (const service::HoldOver& over : it.endings) server::fill(*message.add_endings(), over);
}

service::SessionImage session_of(const proto::Snapshot::Session& it) {
  service::SessionImage image{.id = {it.id()},
                              .terms = session_terms_of(it),
                              .since = {it.since()},
                              .ends = {it.ends()},
                              .confirmed = {it.confirmed()},
                              .must_report = it.must_report(),
                              .waiting = {},
                              .answers = {},
                              .endings = {}};
  for (const auto& waiting : it.waiting()) image.waiting.push_back(waiting_of(waiting, image.id));
  for (const auto& answer : it.answers()) {
    image.answers.push_back(reply_of(answer.reply(), image.id));
    image.answers.back().fast = answer.fast();
  }
  for (const auto& over : it.endings()) image.endings.push_back(hold_over_of(over, image.id));
  return image;
}

void fill(proto::Snapshot::Hold& message, const service::Hold& it) {
  message.set_session(it.party.session.value);
  message.set_owner(it.party.owner.value);
  fill_terms(message, it.terms);
  message.set_slot(it.slot);
  message.set_fence(it.fence.value);
  message.set_times(it.times);
  message.set_since(it.since.value);
  message.set_ends(it.ends.value);
  message.set_expired(it.expired);
  for (const service::RequestId request : it.requests) message.add_requests(request.value);
}

service::Hold hold_of(const proto::Snapshot::Hold& it) {
  service::Hold hold = hold_from(it, {it.session()});
  hold.since = {it.since()};
  hold.ends = {it.ends()};
  hold.expired = it.expired();
  for (const std::uint64_t request : it.requests()) hold.requests.push_back({request});
  return hold;
}

void fill(proto::Snapshot::Lock& message, const service::LockImage& it) {
  message.set_space(proto_of(it.space));
  message.set_name(it.name);
  message.set_slots(it.slots);
  for (const service::Hold& hold : it.holds) fill(*message.add_holds(), hold);
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

void fill_head(proto::Snapshot& message, const Snapshot& snapshot) {
  const service::StateImage& image = snapshot.image;
  message.set_version(service::record_format);
  message.set_epoch(snapshot.epoch);
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

Snapshot head_of(const proto::Snapshot& message) {
  Snapshot snapshot;
  snapshot.epoch = message.epoch();
  snapshot.image.now = {message.now()};
  snapshot.image.next_fence = {message.next_fence()};
  snapshot.image.reserve = {message.reserve()};
  snapshot.image.fence_floor = {message.fence_floor()};
  snapshot.image.joinable_from = {message.joinable_from()};
  snapshot.image.next_ticket = message.next_ticket();
  snapshot.image.ticket_floor = message.ticket_floor();
  snapshot.image.next_session = message.next_session();
  snapshot.image.stalled = message.stalled();
  snapshot.image.revision = {message.revision()};
  return snapshot;
}

}  // namespace

std::string encode(const Snapshot& snapshot) {
  Writer writer;
  fill_head(writer.piece(), snapshot);
  const auto write = [&writer](auto& message, const auto& it) {
    fill(message, it);
    writer.added(message.ByteSizeLong());
  };
  for (const auto& it : snapshot.image.sessions) write(*writer.piece().add_sessions(), it);
  for (const auto& it : snapshot.image.locks) write(*writer.piece().add_locks(), it);
  for (const auto& it : snapshot.image.files) write(*writer.piece().add_files(), it);
  for (const auto& it : snapshot.image.changes) {
    auto& message = *writer.piece().add_changes();
    server::fill(message, it);
    writer.added(message.ByteSizeLong());
  }
  return writer.take();
}

Snapshot decode_snapshot(std::string_view bytes) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<proto::Snapshot>(&arena);
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw UnreadableSnapshot("the snapshot of the state is damaged");
  }
  if (message->version() > service::record_format) {
    throw UnreadableSnapshot("a newer version of baton wrote it: use that version");
  }
  Snapshot snapshot = head_of(*message);
  for (const auto& it : message->sessions()) snapshot.image.sessions.push_back(session_of(it));
  for (const auto& it : message->locks()) snapshot.image.locks.push_back(lock_of(it));
  for (const auto& it : message->files()) snapshot.image.files.push_back(file_of(it));
  for (const auto& it : message->changes()) snapshot.image.changes.push_back(change_of(it));
  if (const auto problem = service::what_is_wrong_with(snapshot.image)) {
    throw UnreadableSnapshot("the snapshot of the state is damaged: " + *problem);
  }
  return snapshot;
}

}  // namespace baton::server
