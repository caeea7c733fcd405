// An engine in a world without threads or a real clock: the test decides when an append is done,
// when time passes, and when the process crashes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "service/server/engine.h"
#include "support/memory_journal.h"

namespace baton::server {

inline constexpr std::int64_t second_us = 1'000'000;

class FakeHost final : public EngineHost {
 public:
  void post(std::function<void()> what) override { posted.push_back(std::move(what)); }
  void run_aside(std::function<void()> what) override { what(); }
  std::int64_t clock_us() override { return clock; }
  std::int64_t wall_us() override { return wall; }
  void turn_in(std::int64_t microseconds) override { wanted_turn = microseconds; }
  void deliver(service::Effects& effects) override {
    for (service::Effect& effect : effects) delivered.push_back(effect);
    if (on_deliver) on_deliver(effects);
  }
  void fail(const journal::Fault& fault) override { faults.push_back(fault); }

  void run_posted() {
    while (!posted.empty()) {
      const auto what = std::move(posted.front());
      posted.pop_front();
      what();
    }
  }

  std::int64_t clock = 1000 * second_us;
  std::int64_t wall = 1'000'000 * second_us;
  std::int64_t wanted_turn = 0;
  std::deque<std::function<void()>> posted;
  service::Effects delivered;
  std::vector<journal::Fault> faults;
  std::function<void(service::Effects&)> on_deliver;
};

// The state that a store leads to, command by command.
inline service::StateImage replayed(const journal::MemoryStore& store) {
  service::State state;
  if (store.snapshot) state = service::State(decode_snapshot(store.snapshot->bytes).image);
  for (const auto& record : store.records) {
    if (store.snapshot && record.position <= store.snapshot->position) continue;
    proto::Batch batch;
    if (!batch.ParseFromString(record.bytes)) throw std::logic_error("an unreadable record");
    service::Time now{batch.now()};
    for (const proto::Command& message : batch.commands()) {
      now = now + service::Duration{message.now()};
      service::Command command = command_of(message);
      command.now = now;
      service::Effects ignored;
      state.apply(command, ignored);
    }
  }
  return state.image();
}

// A server's life, from its start to its crash or clean end, on a store that outlives it.
class Life {
 public:
  explicit Life(std::shared_ptr<journal::MemoryStore> store, EngineOptions options = {},
                journal::MemoryFaults faults = {}, std::int64_t wall = 1'000'000 * second_us)
      : store_(std::move(store)) {
    host.wall = wall;
    faults.later = [this](std::function<void()> step) {
      if (is_slow) {
        waiting.push_back(std::move(step));
      } else {
        step();
      }
    };
    journal = std::make_unique<journal::MemoryJournal>(store_, std::move(faults));
    engine = std::make_unique<Engine>(*journal, host, std::move(options));
  }

  void start() {
    engine->start([this] { is_ready = true; });
    settle();
  }

  // Everything that can happen now.
  void settle() {
    host.run_posted();
    engine->flush();
    host.run_posted();
  }
  // Appends that were slow are done.
  void finish_appends() {
    is_slow = false;
    while (!waiting.empty()) {
      const auto step = std::move(waiting.front());
      waiting.pop_front();
      step();
      settle();
    }
    settle();
  }

  service::SessionId open(const std::string& nonce, bool fast = false,
                          std::int64_t ttl_us = 10 * second_us) {
    proto::Request request;
    request.set_request(1);
    auto& open = *request.mutable_open_session();
    open.set_nonce(nonce);
    open.set_ttl(ttl_us);
    open.set_fast(fast);
    service::SessionId session;
    submit(request, [&session](const service::Reply& reply) {
      if (const auto* opened = std::get_if<service::Opened>(&reply.result)) {
        session = opened->session;
      }
    });
    settle();
    return session;
  }

  void submit(proto::Request& request, const Engine::Answer& answer = {}) {
    engine->submit(request, command_of(request), answer);
  }

  void acquire(service::SessionId session, std::uint64_t number, const std::string& name,
               bool fast = false, std::optional<std::int64_t> wait_us = {}) {
    proto::Request request;
    request.set_session(session.value);
    request.set_request(number);
    request.mutable_acquire()->add_names(name);
    request.mutable_acquire()->set_fast(fast);
    if (wait_us) request.mutable_acquire()->set_wait(*wait_us);
    submit(request);
  }

  void release(service::SessionId session, std::uint64_t number, const std::string& name) {
    proto::Request request;
    request.set_session(session.value);
    request.set_request(number);
    request.mutable_release()->add_names(name);
    submit(request);
  }

  void put(const std::string& key, const std::string& value) {
    proto::Request request;
    request.mutable_put()->set_key(key);
    request.mutable_put()->set_value(value);
    submit(request);
  }

  // What the session was told in answer to a request, if it was told.
  std::optional<service::Reply> reply(service::SessionId session, std::uint64_t number) const {
    for (const service::Effect& effect : host.delivered) {
      const auto* reply = std::get_if<service::Reply>(&effect);
      if (reply != nullptr && reply->session == session && reply->request.value == number) {
        return *reply;
      }
    }
    return std::nullopt;
  }
  std::uint64_t fence(service::SessionId session, std::uint64_t number) const {
    const auto told = reply(session, number);
    const auto* granted = told ? std::get_if<service::Grant>(&told->result) : nullptr;
    return granted == nullptr ? 0 : granted->fence.value;
  }

  void stop() {
    engine->stop([this] { has_stopped = true; });
    settle();
  }

  FakeHost host;
  bool is_slow = false;
  std::deque<std::function<void()>> waiting;
  std::unique_ptr<journal::MemoryJournal> journal;
  std::unique_ptr<Engine> engine;
  bool is_ready = false;
  bool has_stopped = false;

 private:
  std::shared_ptr<journal::MemoryStore> store_;
};

}  // namespace baton::server
