#include "service/cluster_sim/wire.h"

#include <algorithm>

#include "service/cluster_sim/sim_client.h"
#include "service/cluster_sim/sim_server.h"

namespace baton::cluster_sim {

// --- One direction ------------------------------------------------------------------------------

void Pipe::push(std::function<void()> what) {
  if (is_cut_) return;
  const std::int64_t due_us =
      scene_.timeline.now_us() + scene_.between(20, scene_.longest_delay_us);
  last_due_us_ = std::max(last_due_us_, due_us);
  items_.push_back({last_due_us_, std::move(what)});
  schedule();
}

void Pipe::set_blocked(bool is_blocked) {
  is_blocked_ = is_blocked;
  if (!is_blocked) schedule();
}

void Pipe::cut(std::function<void()> over) {
  if (is_cut_) return;
  if (!items_.empty()) items_.resize(scene_.below(items_.size() + 1));
  push(std::move(over));
  is_cut_ = true;
}

void Pipe::schedule() {
  if (is_scheduled_ || is_blocked_ || items_.empty()) return;
  is_scheduled_ = true;
  scene_.timeline.at(items_.front().due_us, [this] { arrive(); });
}

void Pipe::arrive() {
  is_scheduled_ = false;
  if (is_blocked_ || items_.empty()) return;
  if (items_.front().due_us <= scene_.timeline.now_us()) {
    const std::function<void()> what = std::move(items_.front().what);
    items_.pop_front();
    what();
  }
  schedule();
}

// --- Both ---------------------------------------------------------------------------------------

Wire::Wire(Scene& scene, SimClient& client, SimServer& server)
    : scene_(scene), client_(client), server_(server), to_server_(scene), to_client_(scene) {}

void Wire::connect() {
  to_server_.push([this] {
    if (!server_.is_listening()) {
      is_arriving_ = false;
      return to_client_.push([this] { end_at_client(); });
    }
    server_.run([self = shared_from_this()] {
      if (!std::exchange(self->is_arriving_, false)) return;
      self->server_.accept(self);
    });
  });
}

void Wire::say(const proto::ClientMessage& message) {
  to_server_.push([this, frame = message.SerializeAsString()] {
    server_.run([self = shared_from_this(), frame] {
      if (self->is_at_server_) self->server_.receive(*self, frame);
    });
  });
}

void Wire::hang_up_by_client() {
  is_at_client_ = false;
  to_server_.push([this] { end_at_server(); });
}

void Wire::send(const proto::ServerMessage& message) {
  if (!is_at_server_) return;
  server_.notice(*this, message);
  to_client_.push([this, message] {
    client_.run([self = shared_from_this(), message] {
      if (self->is_at_client_) self->client_.hear(message);
    });
  });
}

void Wire::hang_up(Error error, const std::string& text) {
  if (!is_at_server_) return;
  proto::ServerMessage message;
  message.mutable_goodbye()->set_error(static_cast<std::uint32_t>(error));
  message.mutable_goodbye()->set_message(text);
  send(message);
  is_at_server_ = false;
  server_.left(*this);
  to_client_.push([this] { end_at_client(); });
}

void Wire::lose_server() {
  is_at_server_ = false;
  is_arriving_ = false;
  to_client_.cut([this] { end_at_client(); });
}

void Wire::cut() {
  to_client_.cut([this] { end_at_client(); });
  to_server_.cut([this] { end_at_server(); });
}

void Wire::set_blocked(bool is_blocked) {
  to_client_.set_blocked(is_blocked);
  to_server_.set_blocked(is_blocked);
}

void Wire::end_at_client() {
  client_.run([self = shared_from_this()] {
    if (std::exchange(self->is_at_client_, false)) self->client_.disconnected();
  });
}

void Wire::end_at_server() {
  is_arriving_ = false;
  server_.run([self = shared_from_this()] {
    if (std::exchange(self->is_at_server_, false)) self->server_.left(*self);
  });
}

}  // namespace baton::cluster_sim
