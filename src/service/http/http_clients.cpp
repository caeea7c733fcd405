#include "service/http/http_clients.h"

#include <boost/asio/post.hpp>
#include <boost/json.hpp>
#include <utility>

#include "service/http/refused.h"
#include "service/http/words.h"
#include "service/state/versions.h"

namespace baton::http {

HttpClients::~HttpClients() {
  for (const auto& client : all_) host_.frontend().leave(*client);
}

void HttpClients::add(const std::shared_ptr<HttpClient>& client) {
  all_.insert(client);
  host_.frontend().arrive(*client);
  proto::ClientMessage hello;
  hello.mutable_hello()->set_protocol(service::protocol_version);
  hello.mutable_hello()->set_program("http");
  host_.frontend().receive(*client, hello);
}

void HttpClients::remove(std::shared_ptr<HttpClient> client) {
  later([this, client = std::move(client)] {
    if (all_.erase(client) > 0) host_.frontend().leave(*client);
  });
}

void HttpClients::later(std::function<void()> what) {
  boost::asio::post(host_.io(), std::move(what));
}

void HttpClient::say(proto::ClientMessage& message) {
  server::Host& host = clients_.host();
  host.wake();
  host.frontend().receive(*this, message);
  host.turn();
}

// --- Errands ------------------------------------------------------------------------------------

void OneShot::read(const proto::Read& read, OfAnswer words) {
  of_answer_ = std::move(words);
  proto::ClientMessage message;
  *message.mutable_read() = read;
  say(message);
}

void OneShot::ask(const proto::Request& request, OfReply words) {
  of_reply_ = std::move(words);
  proto::ClientMessage message;
  *message.mutable_request() = request;
  message.mutable_request()->set_request(1);
  say(message);
}

void OneShot::send(const proto::ServerMessage& message) {
  if (is_done_) return;
  if (message.has_reply()) {
    const proto::Reply& reply = message.reply();
    const auto error = static_cast<Error>(reply.error());
    finish(error == Error::none ? of_reply_(reply) : error_response(error, reply.message()));
  } else if (message.has_answer()) {
    parts_.push_back(message.answer());
    if (message.answer().more()) return;
    const auto error = static_cast<Error>(message.answer().error());
    finish(error == Error::none ? of_answer_(parts_)
                                : error_response(error, message.answer().message()));
  }
}

void OneShot::hang_up(Error error, const std::string& message) {
  if (!is_done_) finish(error_response(error, message));
}

void OneShot::finish(const Response& response) {
  is_done_ = true;
  exchange_->answer(response);
  leave();
}

// --- Streams ------------------------------------------------------------------------------------

namespace {

std::string place(std::uint64_t revision) { return "id: " + std::to_string(revision) + "\n\n"; }

}  // namespace

void Stream::watch(const proto::Watch& watch) {
  exchange_->on_gone = [this] { finish(); };
  proto::ClientMessage message;
  *message.mutable_watch() = watch;
  say(message);
}

void Stream::send(const proto::ServerMessage& message) {
  if (!message.has_changes() || is_done_) return;
  const proto::Changes& changes = message.changes();
  if (changes.error() != 0) {
    auto body = boost::json::object{{"error", name_of(static_cast<Error>(changes.error()))},
                                    {"code", changes.error()},
                                    {"message", changes.message()},
                                    {"revision", changes.revision()}};
    Response response = json_response(body);
    response.status = status_of(static_cast<Error>(changes.error()));
    exchange_->answer(response);
    return finish();
  }
  if (!std::exchange(has_begun_, true)) {
    exchange_->begin_events();
    if (changes.changes_size() == 0) exchange_->send_event(": begun\n" + place(changes.revision()));
  }
  for (const proto::Change& change : changes.changes()) exchange_->send_event(event_of(change));
}

// Sends the latest revision, so that a reader can resume from there even if it received no event
// for a long time.
void Stream::beat(service::Revision told) {
  if (has_begun_ && !is_done_) exchange_->send_event(": alive\n" + place(told.value));
}

void Stream::hang_up(Error error, const std::string& message) {
  if (is_done_) return;
  const Response last = error_response(error, message);
  if (has_begun_) {
    exchange_->send_event("event: end\ndata: " + last.body + "\n");
    exchange_->end_events();
  } else {
    exchange_->answer(last);
  }
  finish();
}

void Stream::finish() {
  is_done_ = true;
  exchange_->on_gone = nullptr;
  leave();
}

}  // namespace baton::http
