#include "fuzz/conversation.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>

namespace baton::fuzz {

namespace {

// Every input that is not UTF-8 would be a line.
[[maybe_unused]] const auto told_before = google::protobuf::SetLogHandler(nullptr);

}  // namespace

service::StateImage replayed(const journal::MemoryStore& store) {
  service::State state;
  if (store.snapshot) {
    state = service::State(server::decode_snapshot(store.snapshot->bytes).image);
  }
  service::Effects ignored;
  for (const auto& record : store.records) {
    if (store.snapshot && record.position <= store.snapshot->position) continue;
    proto::Batch batch;
    demand(batch.ParseFromString(record.bytes), "what was appended can be read");
    service::Time now{batch.now()};
    for (const proto::Command& message : batch.commands()) {
      now = now + service::Duration{message.now()};
      service::Command command = server::command_of(message);
      command.now = now;
      ignored.clear();
      state.apply(command, ignored);
    }
  }
  return state.image();
}

void FuzzGuest::send(const proto::ServerMessage& message) {
  if (is_gone) return;
  proto::ServerMessage read;
  demand(read.ParseFromString(message.SerializeAsString()), "what is sent can be read");
}

void FuzzGuest::hang_up(Error, const std::string& message) {
  demand(!message.empty(), "a guest is told why");
  is_gone = true;
  on_gone();
}

Conversation::Conversation(std::shared_ptr<journal::MemoryStore> store) : store_(std::move(store)) {
  begin();
}

Conversation::~Conversation() {
  for (auto& guest : guests_) desk_->leave(*guest);
}

void Conversation::begin() {
  server::EngineOptions options;
  options.commands_per_snapshot = 25;
  options.fences_per_reserve = 10;
  life_ = std::make_unique<server::Life>(store_, options);
  life_->host.clock = clock_;
  desk_ = std::make_unique<server::Desk>(*life_->engine, life_->host, server::DeskOptions{});
  life_->host.on_deliver = [this](service::Effects& effects) { desk_->deliver(effects); };
  life_->start();
  desk_->open();
  for (std::size_t i = 0; i < guests; ++i) welcome(i);
}

void Conversation::welcome(std::size_t guest) {
  guests_[guest] = std::make_unique<FuzzGuest>();
  guests_[guest]->on_gone = [this, guest] { desk_->leave(*guests_[guest]); };
  desk_->arrive(*guests_[guest]);
}

void Conversation::settle() {
  desk_->expire();
  life_->settle();
  life_->host.delivered.clear();
}

void Conversation::receive(std::size_t guest, std::string_view frame) {
  if (guests_[guest]->is_gone) return;
  desk_->wake();
  desk_->receive(*guests_[guest], frame);
  settle();
}

void Conversation::replace(std::size_t guest) {
  desk_->leave(*guests_[guest]);
  welcome(guest);
}

void Conversation::pass(std::int64_t time_us) {
  for (; time_us > 0; time_us -= 400'000) {
    clock_ += std::min<std::int64_t>(time_us, 400'000);
    life_->host.clock = clock_;
    desk_->wake();
    const auto due = life_->engine->state().next_due();
    if (due && *due <= life_->engine->now()) life_->engine->tick();
    settle();
  }
}

void Conversation::pause(std::int64_t time_us) {
  clock_ += time_us;
  life_->host.clock = clock_;
  desk_->wake();
  settle();
}

void Conversation::crash() {
  for (auto& guest : guests_) desk_->leave(*guest);
  desk_.reset();
  life_.reset();
  begin();
}

void Conversation::stop() {
  desk_->close();
  life_->stop();
  life_->finish_appends();
  demand(life_->has_stopped, "a server that is told to stop does");
  crash();
}

void Conversation::check() {
  life_->finish_appends();
  const service::StateImage live = state().image();
  demand(replayed(*store_) == live, "a restart finds the state as it was");
  const server::Kept kept{1, live};
  demand(server::decode_snapshot(server::encode(kept)).image == live,
         "a snapshot is read as it was written");
  demand(service::State(live).image() == live, "an image is restored as it was taken");
  for (const service::Space space : {service::Space::lock, service::Space::election}) {
    for (const service::LockInfo& lock : state().locks(space)) {
      const bool is_shared =
          !lock.holders.empty() && lock.holders.front().mode == service::Mode::shared;
      demand(is_shared || lock.holders.size() <= lock.slots, "no more hold a lock than may");
    }
  }
}

}  // namespace baton::fuzz
