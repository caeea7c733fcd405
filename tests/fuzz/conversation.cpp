#include "fuzz/conversation.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>

namespace baton::fuzz {

namespace {

// Every input that is not UTF-8 would be a line.
[[maybe_unused]] const auto told_before = google::protobuf::SetLogHandler(nullptr);

}  // namespace

void FuzzClient::send(const proto::ServerMessage& message) {
  if (is_gone) return;
  proto::ServerMessage read;
  demand(read.ParseFromString(message.SerializeAsString()), "what is sent can be read");
}

void FuzzClient::hang_up(Error, const std::string& message) {
  demand(!message.empty(), "a client is told why");
  is_gone = true;
  on_gone();
}

Conversation::Conversation(std::shared_ptr<journal::MemoryStore> store) : store_(std::move(store)) {
  begin();
}

Conversation::~Conversation() {
  for (auto& client : clients_) frontend_->leave(*client);
}

void Conversation::begin() {
  server::EngineOptions options;
  options.commands_per_snapshot = 25;
  options.fences_per_reserve = 10;
  life_ = std::make_unique<server::Life>(store_, options);
  life_->host.clock = clock_;
  frontend_ = std::make_unique<server::SessionFrontend>(*life_->engine, life_->host,
                                                        server::FrontendOptions{});
  life_->host.on_deliver = [this](service::Effects& effects) { frontend_->deliver(effects); };
  life_->start();
  frontend_->open();
  for (std::size_t i = 0; i < clients; ++i) welcome(i);
}

void Conversation::welcome(std::size_t client) {
  clients_[client] = std::make_unique<FuzzClient>();
  clients_[client]->on_gone = [this, client] { frontend_->leave(*clients_[client]); };
  frontend_->arrive(*clients_[client]);
}

void Conversation::settle() {
  frontend_->expire();
  life_->settle();
  life_->host.delivered.clear();
}

void Conversation::receive(std::size_t client, std::string_view frame) {
  if (clients_[client]->is_gone) return;
  frontend_->wake();
  frontend_->receive(*clients_[client], frame);
  settle();
}

void Conversation::replace(std::size_t client) {
  frontend_->leave(*clients_[client]);
  welcome(client);
}

void Conversation::pass(std::int64_t time_us) {
  for (; time_us > 0; time_us -= 400'000) {
    clock_ += std::min<std::int64_t>(time_us, 400'000);
    life_->host.clock = clock_;
    frontend_->wake();
    const auto due = life_->engine->state().next_due();
    if (due && *due <= life_->engine->now()) life_->engine->tick();
    settle();
  }
}

void Conversation::pause(std::int64_t time_us) {
  clock_ += time_us;
  life_->host.clock = clock_;
  frontend_->wake();
  settle();
}

void Conversation::crash() {
  for (auto& client : clients_) frontend_->leave(*client);
  frontend_.reset();
  life_.reset();
  begin();
}

void Conversation::stop() {
  frontend_->close();
  life_->stop();
  life_->finish_appends();
  demand(life_->has_stopped, "a server that is told to stop does");
  crash();
}

void Conversation::check() {
  life_->finish_appends();
  const service::StateImage live = state().image();
  demand(server::replayed(*store_) == live, "a restart finds the state as it was");
  demand(server::decode_snapshot(server::encode({1, live})).image == live,
         "a snapshot is read as it was written");
  demand(service::State(live).image() == live, "an image is restored as it was taken");
  for (const service::Namespace space : {service::Namespace::lock, service::Namespace::election}) {
    for (const service::LockInfo& lock : state().locks(space)) {
      const bool is_shared =
          !lock.holders.empty() && lock.holders.front().terms.mode == service::Mode::shared;
      demand(is_shared || lock.holders.size() <= lock.slots, "no more hold a lock than may");
    }
  }
}

}  // namespace baton::fuzz
