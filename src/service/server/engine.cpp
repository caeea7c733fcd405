#include "service/server/engine.h"
#include "service/state/versions.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <utility>

#include "core/invariant.h"

namespace baton::server {

namespace {

constexpr std::size_t most_lingering_bytes = 1024 * 1024;

// The client gives something up. The reply may go out before the journal has the command: if a
// crash loses the command, the client's report after the crash does not name what it gave up.
bool lets_go(const service::Command& command) {
  return std::holds_alternative<service::Release>(command.what) ||
         std::holds_alternative<service::Cancel>(command.what) ||
         std::holds_alternative<service::Downgrade>(command.what) ||
         std::holds_alternative<service::Acknowledge>(command.what);
}

// The command may end a hold against its holder's will. A timer that is due may do so too; apply()
// looks at that.
bool is_ending(const service::Command& command) {
  return std::holds_alternative<service::ExpireSession>(command.what) ||
         std::holds_alternative<service::Break>(command.what) ||
         std::holds_alternative<service::BreakSession>(command.what);
}

// No engine ever counts so far, so a record with a larger number is damaged. The sum of two numbers
// below this limit still fits into 64 bits.
constexpr std::uint64_t beyond_all = std::uint64_t{1} << 61;

bool is_possible(const proto::Command& message, service::Time before) {
  const auto fits = [](std::int64_t time) {
    return time >= 0 && static_cast<std::uint64_t>(time) < beyond_all;
  };
  return fits(before.value) && fits(message.now()) && message.lead().fences_from() < beyond_all &&
         message.reserve().below() < beyond_all && message.open().fence() < beyond_all;
}

bool is_fast_acquire(const service::Command& command) {
  const auto* acquire = std::get_if<service::Acquire>(&command.what);
  return acquire != nullptr && acquire->terms.fast && acquire->space == service::Namespace::lock;
}

}  // namespace

Engine::Engine(journal::Journal& journal, EngineHost& host, EngineOptions options)
    : journal_(journal),
      host_(host),
      options_(std::move(options)),
      self_(std::make_shared<Engine*>(this)) {
  piece_.add_commands();
}

Engine::~Engine() { *self_ = nullptr; }

// --- Beginning to lead --------------------------------------------------------------------------

void Engine::start(std::function<void()> ready) {
  appended_ = journal_.read(
      [this](journal::Position position, std::string_view bytes) {
        read_snapshot(position, bytes);
      },
      [this](journal::Position position, std::string_view bytes) { read_record(position, bytes); });
  lead(std::move(ready));
}

void Engine::read_snapshot(journal::Position position, std::string_view bytes) {
  try {
    const Snapshot snapshot = decode_snapshot(bytes);
    epoch_ = snapshot.epoch;
    state_ = service::State(snapshot.image);
  } catch (const UnreadableSnapshot& problem) {
    throw journal::Unusable(journal_.describe() + ": " + problem.what());
  }
  appended_ = position;
  read_at_us_ = host_.clock_us();
  ended_cleanly_ = false;
}

void Engine::lead(std::function<void()> ready) {
  for (const service::SessionInfo& session : state_.sessions()) {
    if (session.terms.fast) fast_.insert(session.id.value);
  }
  add_lead();
  when_durable([this, ready = std::move(ready)] {
    is_leading_ = true;
    ready();
  });
  flush();
}

void Engine::read_record(journal::Position position, std::string_view record) {
  google::protobuf::Arena arena;
  auto* batch = google::protobuf::Arena::CreateMessage<proto::Batch>(&arena);
  if (!batch->ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    throw journal::Unusable(journal_.describe() + ": a record is unreadable");
  }
  if (batch->version() > service::record_format) {
    throw journal::Unusable(journal_.describe() +
                            " was written by a newer version of baton: use that version");
  }
  service::Time now{batch->now()};
  for (const proto::Command& message : batch->commands()) replay_one(message, now);
  appended_ = position;
  read_at_us_ = host_.clock_us();
  commands_since_snapshot_ += static_cast<std::size_t>(batch->commands_size());
  bytes_since_snapshot_ += record.size();
}

void Engine::replay_one(const proto::Command& message, service::Time& now) {
  using proto::Command;
  const bool is_known =
      message.what_case() != Command::WHAT_NOT_SET &&
      !(message.has_request() && message.request().what_case() == proto::Request::WHAT_NOT_SET);
  if (!is_known) {
    throw journal::Unusable(journal_.describe() +
                            " has commands that this version of baton does not know");
  }
  if (!is_possible(message, now)) {
    throw journal::Unusable(journal_.describe() +
                            " has commands with impossible times or fences: it is damaged");
  }
  now = now + service::Duration{message.now()};
  ended_cleanly_ = message.what_case() == Command::kFarewell;
  if (message.has_lead()) epoch_ = std::max(epoch_, message.lead().epoch());
  service::Command command = command_of(message);
  command.now = now;
  new_effects_.clear();
  state_.apply(command, new_effects_);
  ++counters_.replayed;
}

void Engine::add_lead() {
  clock_origin_us_ = host_.clock_us() - state_.now().value;
  batch_time_ = state_.now();
  leading_since_ = state_.now();
  // The date makes sure that the epoch and the fencing tokens are larger than all before, even if
  // an operator restored an older copy of the journal, or none.
  const std::int64_t wall_us = std::max<std::int64_t>(host_.wall_us(), 0);
  epoch_ = std::max(epoch_ + 1, static_cast<std::uint64_t>(wall_us / 1'000'000));
  const std::uint64_t fences_from =
      std::max({state_.next_fence().value, state_.reserve().value, journal_.floor(),
                static_cast<std::uint64_t>(wall_us), std::uint64_t{1}});

  service::Command command;
  command.what = service::Lead{{fences_from}, !ended_cleanly_, options_.gated};
  proto::Lead& lead = *begin(command).mutable_lead();
  lead.set_fences_from(fences_from);
  lead.set_after_crash(!ended_cleanly_);
  lead.set_epoch(epoch_);
  lead.set_server(options_.server);
  lead.set_gated(options_.gated);
  gather(command);
  apply(command, {});
  add_reserve();
}

void Engine::add_reserve() {
  is_reserving_ = true;
  const std::uint64_t below = state_.next_fence().value + options_.fences_per_reserve;
  journal_.raise_floor(below);
  service::Command command;
  command.what = service::Reserve{{below}};
  begin(command).mutable_reserve()->set_below(below);
  gather(command);
  gathering_.reserve = below;
  apply(command, {});
}

// --- Commands -----------------------------------------------------------------------------------

service::Time Engine::now() const {
  if (clock_origin_us_) return service::Time{host_.clock_us() - *clock_origin_us_};
  // A standby estimates the leader's time: the time of the last record, plus its age.
  return state_.now() + service::Duration{read_at_us_ ? host_.clock_us() - *read_at_us_ : 0};
}

void Engine::submit(proto::Request& request, service::Command command, const Answer& answer) {
  if (has_failed_) return;
  drop_unknown_fields(request);
  proto::Command& message = begin(command);
  message.unsafe_arena_set_allocated_request(&request);
  gather(command);
  message.unsafe_arena_release_request();
  apply(command, answer);
}

void Engine::expire(service::SessionId session) {
  if (has_failed_) return;
  service::Command command;
  command.what = service::ExpireSession{session};
  begin(command).mutable_expire_session()->set_session(session.value);
  gather(command);
  apply(command, {});
}

void Engine::tick() {
  if (has_failed_) return;
  service::Command command;
  begin(command).mutable_tick();
  gather(command);
  apply(command, {});
}

void Engine::submit(const service::Open& open) {
  if (has_failed_) return;
  service::Command command;
  command.what = open;
  fill(*begin(command).mutable_open(), open);
  gather(command);
  apply(command, {});
}

void Engine::submit(const service::Revoke& revoke) {
  if (has_failed_) return;
  service::Command command;
  command.what = revoke;
  fill(*begin(command).mutable_revoke(), revoke);
  gather(command);
  apply(command, {});
}

void Engine::submit(const service::Elsewhere& elsewhere) {
  if (has_failed_) return;
  service::Command command;
  command.what = elsewhere;
  fill(*begin(command).mutable_elsewhere(), elsewhere);
  gather(command);
  apply(command, {});
}

void Engine::stop(std::function<void()> done) {
  service::Command command;
  begin(command).mutable_farewell();
  gather(command);
  apply(command, {});
  when_durable(std::move(done));
  flush();
}

// Sets the command's time. The caller fills in the rest of the message for the journal.
proto::Command& Engine::begin(service::Command& command) {
  command.now = std::max(now(), batch_time_);
  proto::Command& message = *piece_.mutable_commands(0);
  message.Clear();
  message.set_now((command.now - batch_time_).value);
  return message;
}

// Protobuf reads several serialized batches in a row as one batch. So the engine can write a record
// piece by piece.
void Engine::gather(const service::Command& command) {
  const std::size_t most = journal_.most_record_bytes();
  if (most != 0 && record_.size() + piece_.ByteSizeLong() > most) seal();
  if (record_.empty()) {
    proto::Batch head;
    head.set_version(service::record_format);
    head.set_now(batch_time_.value);
    head.AppendToString(&record_);
    record_since_ = command.now;
  }
  if (journal_.keeps()) piece_.AppendToString(&record_);
  batch_time_ = command.now;
  ++gathering_.commands;
  ++commands_since_snapshot_;
  ++counters_.commands;
}

void Engine::apply(const service::Command& command, const Answer& answer) {
  const auto due = state_.next_due();
  if (is_ending(command) || (due && *due <= command.now)) note_ending();
  new_effects_.clear();
  state_.apply(command, new_effects_);
  invariant(state_.next_fence() <= state_.reserve(), "a fencing token is beyond the reserve");
  early_.clear();
  for (service::Effect& effect : new_effects_) {
    note(command, effect);
    const auto* reply = std::get_if<service::Reply>(&effect);
    if (reply != nullptr && reply->session == service::no_session) {
      answer_when_durable(*reply, answer);
    } else if (std::holds_alternative<service::Wanted>(effect) ||
               std::holds_alternative<service::Unwanted>(effect)) {
      for_gate_.push_back(std::move(effect));
    } else if (may_go_early(command, effect)) {
      early_.push_back(std::move(effect));
    } else {
      gathering_.effects.push_back(std::move(effect));
    }
  }
  if (!early_.empty()) {
    counters_.early_replies += early_.size();
    host_.deliver(early_);
  }
  if (!for_gate_.empty()) tell_gate();
}

// Tells the gate in order, even if the gate's answer causes more effects.
void Engine::tell_gate() {
  if (std::exchange(is_telling_gate_, true)) return;
  while (!for_gate_.empty()) {
    const service::Effect effect = std::move(for_gate_.front());
    for_gate_.pop_front();
    if (const auto* wanted = std::get_if<service::Wanted>(&effect)) host_.want(*wanted);
    if (const auto* unwanted = std::get_if<service::Unwanted>(&effect)) host_.leave(*unwanted);
  }
  is_telling_gate_ = false;
}

void Engine::note_ending() {
  if (!std::exchange(gathering_.has_ending, true)) ++endings_;
}

// Keeps the set of sessions of the fast grade up to date.
void Engine::note(const service::Command& command, const service::Effect& effect) {
  if (const auto* over = std::get_if<service::SessionOver>(&effect)) {
    fast_.erase(over->session.value);
  } else if (std::holds_alternative<service::CloseSession>(command.what)) {
    fast_.erase(command.session.value);
  } else if (const auto* open = std::get_if<service::OpenSession>(&command.what)) {
    const auto* reply = std::get_if<service::Reply>(&effect);
    const auto* opened = reply == nullptr ? nullptr : std::get_if<service::Opened>(&reply->result);
    if (opened != nullptr && open->fast) fast_.insert(opened->session.value);
  }
}

bool Engine::may_go_early(const service::Command& command, const service::Effect& effect) const {
  if (options_.gated) return true;
  if (const auto* reply = std::get_if<service::Reply>(&effect)) {
    const auto* grant = std::get_if<service::Grant>(&reply->result);
    if (grant != nullptr) {
      return reply->fast && grant->fence.value < durable_reserve_ && endings_ == 0 &&
             is_fast(reply->session) && is_sure();
    }
    return reply->session == command.session && reply->request == command.request &&
           (lets_go(command) || is_fast_acquire(command)) && is_fast(reply->session) && is_sure();
  }
  const auto* queued = std::get_if<service::Queued>(&effect);
  return queued != nullptr && queued->session == command.session && is_fast_acquire(command) &&
         queued->ticket < durable_reserve_ && is_fast(queued->session);
}

void Engine::answer_when_durable(const service::Reply& reply, const Answer& answer) {
  if (!answer) return;
  gathering_.then.push_back([reply, answer] { answer(reply); });
}

void Engine::when_durable(std::function<void()> what) {
  if (has_failed_) return;
  if (!record_.empty()) {
    gathering_.then.push_back(std::move(what));
  } else if (!sealed_.empty()) {
    sealed_.back().held.then.push_back(std::move(what));
  } else if (!under_way_.empty()) {
    under_way_.back().then.push_back(std::move(what));
  } else {
    what();
  }
}

void Engine::when_proven(std::function<void()> what) {
  if (has_failed_) return;
  const auto on_engine = [this, what = std::move(what)] { when_durable(what); };
  journal_.prove([on_engine](const journal::Fault& fault) {
    if (!fault) on_engine();
  });
}

// --- The journal --------------------------------------------------------------------------------

void Engine::flush() {
  const bool has_begun_to_lead = clock_origin_us_.has_value();
  if (has_failed_ || !has_begun_to_lead) return;
  const std::uint64_t left = state_.reserve().value - state_.next_fence().value;
  const bool is_half_used = left <= options_.fences_per_reserve / 2;
  if (!is_reserving_ && state_.needs_reserve() && is_half_used) add_reserve();
  if (is_held_back()) return;
  while (under_way_.size() < journal_.most_under_way()) {
    const bool is_due = !may_linger() || now() >= record_since_ + options_.longest_linger;
    if (sealed_.empty() && is_due) seal();
    if (sealed_.empty()) return;
    Sealed next = std::move(sealed_.front());
    sealed_.pop_front();
    sealed_bytes_ -= next.record.size();
    send(std::move(next.record), std::move(next.held));
  }
}

bool Engine::may_linger() const {
  return options_.longest_linger.value > 0 && gathering_.effects.empty() &&
         gathering_.then.empty() && !gathering_.reserve && !gathering_.has_ending &&
         record_.size() < most_lingering_bytes;
}

// The clients that receive their replies now are likely to send new requests soon. See engine.h.
void Engine::hold_back(const Held& done) {
  if (options_.appends_per_holdback == 0 || done.commands < 2 || !sealed_.empty()) return;
  const std::int64_t now_us = host_.clock_us();
  const std::int64_t for_us = (now_us - done.sent_us) / options_.appends_per_holdback;
  held_back_until_us_ = now_us + for_us;
  enough_commands_ = gathering_.commands + done.commands;
  host_.turn_in(for_us);
}

bool Engine::is_held_back() {
  if (held_back_until_us_ == 0) return false;
  if (gathering_.commands < enough_commands_ && host_.clock_us() < held_back_until_us_) return true;
  held_back_until_us_ = 0;
  return false;
}

// Closes the gathered batch: it becomes a record that waits to be sent.
void Engine::seal() {
  if (record_.empty()) return;
  counters_.batch_commands.add(static_cast<double>(gathering_.commands));
  sealed_bytes_ += record_.size();
  sealed_.push_back({std::exchange(record_, {}), std::exchange(gathering_, {})});
}

void Engine::send(std::string record, Held held) {
  bytes_since_snapshot_ += record.size();
  counters_.batch_bytes += record.size();
  ++counters_.batches;
  ++appended_;
  held.sent_us = host_.clock_us();
  under_way_.push_back(std::move(held));
  journal_.append(std::move(record), on_engine_thread(&Engine::batch_done));
  const bool is_all_sent = sealed_.empty() && record_.empty();
  if (is_all_sent) consider_snapshot();
}

void Engine::batch_done(const journal::Fault& fault) {
  if (has_failed_) return;
  if (fault) return fail(fault);
  invariant(!under_way_.empty(), "the journal has kept a record that it was not given");
  Held held = std::move(under_way_.front());
  under_way_.pop_front();
  counters_.append_seconds.add(static_cast<double>(host_.clock_us() - held.sent_us) / 1e6);
  if (held.reserve) {
    durable_reserve_ = *held.reserve;
    is_reserving_ = false;
  }
  invariant(!held.has_ending || endings_ > 0, "more ends of holds are durable than there were");
  if (held.has_ending) --endings_;
  check_durable(held);
  hold_back(held);
  // Start the next append first: it runs while the host delivers this one's effects.
  flush();
  host_.deliver(held.effects);
  for (const auto& what : held.then) what();
}

// A durable reserve must cover every token that goes out; otherwise the next leader could give out
// the same token.
void Engine::check_durable(const Held& held) const {
  if (options_.gated) return;
  for (const service::Effect& effect : held.effects) {
    const auto* reply = std::get_if<service::Reply>(&effect);
    const auto* granted = reply == nullptr ? nullptr : std::get_if<service::Grant>(&reply->result);
    invariant(granted == nullptr || granted->fence.value < durable_reserve_,
              "a fencing token is given out that the journal does not reserve");
  }
}

void Engine::fail(const journal::Fault& fault) {
  has_failed_ = true;
  is_leading_ = false;
  host_.fail(fault);
}

journal::Journal::Done Engine::on_engine_thread(void (Engine::*what)(const journal::Fault&)) {
  return [&host = host_, self = self_, what](const journal::Fault& fault) {
    host.post([self, what, fault] {
      if (*self != nullptr) ((*self)->*what)(fault);
    });
  };
}

// --- Snapshots ----------------------------------------------------------------------------------

// The engine writes a large state less often: the records since the last snapshot should be worth
// its size.
void Engine::consider_snapshot() {
  if (is_writing_snapshot_ || !journal_.keeps()) return;
  const bool are_many = commands_since_snapshot_ >= options_.commands_per_snapshot;
  const bool are_large =
      bytes_since_snapshot_ >=
      std::max<std::size_t>(options_.bytes_per_snapshot, counters_.snapshot_bytes / 2);
  if (are_many || are_large) write_snapshot();
}

// The engine takes the image at once, because the state changes. Another thread turns the image
// into bytes, and the journal receives them when every command in the image is durable.
void Engine::write_snapshot() {
  is_writing_snapshot_ = true;
  commands_since_snapshot_ = 0;
  bytes_since_snapshot_ = 0;
  auto snapshot = std::make_shared<Snapshot>(Snapshot{epoch_, state_.image()});
  const journal::Position position = appended_;
  auto send = [this, position](std::string bytes) {
    counters_.snapshot_bytes = bytes.size();
    journal_.snapshot(position, std::move(bytes), on_engine_thread(&Engine::snapshot_done));
  };
  when_durable([this, snapshot, send] {
    host_.run_aside([&host = host_, self = self_, snapshot, send] {
      auto bytes = std::make_shared<std::string>(encode(*snapshot));
      host.post([self, bytes, send] {
        if (*self != nullptr) send(std::move(*bytes));
      });
    });
  });
}

void Engine::snapshot_done(const journal::Fault& fault) {
  if (has_failed_) return;
  if (fault) return fail(fault);
  is_writing_snapshot_ = false;
  ++counters_.snapshots;
}

}  // namespace baton::server
