#include "service/http/connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/version.hpp>
#include <sstream>
#include <utility>

#include "service/http/refused.h"
#include "service/http/text.h"

namespace baton::http {

namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;

constexpr std::size_t most_read_ahead = 64 * 1024;  // while a request is under way
constexpr std::size_t room_kept = 16 * 1024;

std::string field(const beast_http::request<beast_http::string_body>& message,
                  std::string_view name) {
  const auto at = message.find(boost::beast::string_view(name.data(), name.size()));
  return at == message.end() ? std::string() : std::string(at->value());
}

// A peer that is gone without a word, while it waits for an answer, is noticed after a minute.
void notice_silent_end(int socket) {
  const int on = 1;
  const int idle_s = 30;
  const int between_s = 10;
  const int times = 3;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &between_s, sizeof between_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

// Bytes that are not a request, and the answer to them.
struct Failure {
  unsigned status;
  Error error;
  std::string message;
};

Failure failure_of(const boost::system::error_code& error, const Limits& limits) {
  if (error == beast_http::error::header_limit) {
    return {431, Error::too_large,
            "the header has more than " + std::to_string(limits.header_bytes) + " bytes"};
  }
  if (error == beast_http::error::body_limit) {
    return {413, Error::too_large,
            "the body has more than " + std::to_string(limits.body_bytes) + " bytes"};
  }
  return {400, Error::bad_request, "this is not HTTP/1.1: " + error.message()};
}

}  // namespace

struct Connection::Parsing {
  beast_http::request_parser<beast_http::string_body> parser;
  bool has_continued = false;
};

// Passes the answer to the connection, as long as the connection exists.
class Connection::Answering final : public Exchange {
 public:
  Answering(Request asked, std::weak_ptr<Connection> connection)
      : Exchange(std::move(asked)), connection_(std::move(connection)) {}

  void answer(const Response& response) override {
    if (const auto connection = take()) connection->answer(response, route);
  }
  void begin_events() override {
    if (const auto connection = current()) connection->begin_events(route);
  }
  void send_event(std::string_view text) override {
    if (const auto connection = current()) connection->send_chunk(text);
  }
  void end_events() override {
    if (const auto connection = take()) connection->end_events();
  }
  bool is_open() const override { return current() != nullptr; }

  void go() {
    connection_.reset();
    if (const auto told = std::exchange(on_gone, nullptr)) told();
  }

 private:
  std::shared_ptr<Connection> current() const {
    const auto connection = connection_.lock();
    return connection && connection->exchange_.get() == this ? connection : nullptr;
  }
  std::shared_ptr<Connection> take() {
    auto connection = current();
    connection_.reset();
    return connection;
  }

  std::weak_ptr<Connection> connection_;
};

namespace {

std::string peer_of(Server::Socket& socket) {
  asio::ip::tcp::endpoint endpoint;
  auto length = static_cast<socklen_t>(endpoint.capacity());
  if (::getpeername(socket.native_handle(), endpoint.data(), &length) != 0) return "unknown";
  const int family = endpoint.data()->sa_family;
  if (family != AF_INET && family != AF_INET6) return "unix socket";
  endpoint.resize(length);
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

}  // namespace

Connection::Connection(Server& server, Server::Socket socket)
    : server_(server), socket_(std::move(socket)), peer_(peer_of(socket_)), since_(Clock::now()) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  notice_silent_end(socket_.native_handle());
}

Connection::~Connection() = default;

// --- Reading ------------------------------------------------------------------------------------

void Connection::wait_for_input() {
  if (is_waiting_for_input_ || is_closed_) return;
  is_waiting_for_input_ = true;
  socket_.async_wait(Server::Socket::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->is_waiting_for_input_ = false;
                       self->read(error);
                     });
}

void Connection::read(const boost::system::error_code& waited) {
  if (is_closed_) return;
  if (is_going_) return discard_input();
  boost::system::error_code error = waited;
  std::size_t count = 0;
  if (!error) count = socket_.read_some(asio::buffer(server_.buffer_), error);
  if (error == asio::error::would_block || error == asio::error::interrupted) {
    return wait_for_input();
  }
  if (error) return lost();
  if (in_.empty() && parsing_ == nullptr && exchange_ == nullptr) since_ = Clock::now();
  in_.append(server_.buffer_.data(), count);
  take_requests();
  if (exchange_ == nullptr || in_.size() < most_read_ahead) wait_for_input();
}

// Reading on lets the other side see the answer before the socket is closed.
void Connection::discard_input() {
  boost::system::error_code error;
  socket_.read_some(asio::buffer(server_.buffer_), error);
  if (error && error != asio::error::would_block) return close();
  wait_for_input();
}

void Connection::take_requests() {
  while (exchange_ == nullptr && !in_.empty() && !is_going_ && !is_closed_) {
    if (!parse()) return;
    begin_exchange();
  }
}

// True when a whole request has arrived.
bool Connection::parse() {
  if (parsing_ == nullptr) {
    parsing_ = std::make_unique<Parsing>();
    parsing_->parser.header_limit(server_.limits_.header_bytes);
    parsing_->parser.body_limit(server_.limits_.body_bytes);
    parsing_->parser.eager(true);
  }
  auto& parser = parsing_->parser;
  boost::system::error_code error;
  const std::size_t used = parser.put(asio::buffer(in_), error);
  in_.erase(0, used);
  if (error && error != beast_http::error::need_more) {
    const Failure failure = failure_of(error, server_.limits_);
    refuse(failure.status, failure.error, failure.message);
    return false;
  }
  if (parser.is_done()) return true;
  if (parser.is_header_done() && !parsing_->has_continued &&
      boost::beast::iequals(field(parser.get(), "Expect"), "100-continue")) {
    parsing_->has_continued = true;
    write("HTTP/1.1 100 Continue\r\n\r\n");
  }
  return false;
}

void Connection::begin_exchange() {
  auto message = parsing_->parser.release();
  parsing_.reset();
  is_head_ = message.method() == beast_http::verb::head;
  keeps_alive_ = message.keep_alive();
  is_version_1_0_ = message.version() == 10;
  const auto target = parse_target({message.target().data(), message.target().size()});
  if (!target)
    return refuse(400, Error::bad_request,
                  "a percent sign in the address is wrong, or it is not UTF-8");
  Request request;
  request.method = is_head_ ? "GET" : std::string(message.method_string());
  request.path = target->path;
  request.query = target->query;
  request.peer = peer_;
  request.key = field(message, "Idempotency-Key");
  request.session = field(message, "Baton-Session");
  request.is_from_page = message.find(beast_http::field::origin) != message.end();
  if (message.find("Last-Event-ID") != message.end()) {
    request.last_event_id = field(message, "Last-Event-ID");
  }
  request.body = std::move(message.body());
  const auto exchange = std::make_shared<Answering>(std::move(request), weak_from_this());
  exchange_ = exchange;
  server_.api_.handle(exchange);
}

// The other side has gone.
void Connection::lost() {
  const auto self = shared_from_this();
  close();
}

bool Connection::is_overdue(Clock::time_point now) const {
  if (is_closed_ || exchange_ != nullptr) return false;
  if (is_going_) return now - since_ > server_.limits_.time_to_go;
  if (parsing_ != nullptr) return now - since_ > server_.limits_.time_to_ask;
  return now - since_ > server_.limits_.idle_time;
}

void Connection::expire() {
  if (is_going_ || parsing_ == nullptr) return close();
  refuse(408, Error::timed_out, "the request did not arrive in time");
}

// --- Answering ----------------------------------------------------------------------------------

namespace {

using Head = beast_http::response<beast_http::string_body>;

Head head_of(const Response& response, bool keep_alive) {
  Head head{static_cast<beast_http::status>(response.status), 11};
  head.set(beast_http::field::server, "baton");
  head.set(beast_http::field::content_type, response.type);
  head.set(beast_http::field::cache_control, "no-store");
  if (!response.allow.empty()) head.set(beast_http::field::allow, response.allow);
  if (response.status == 503) head.set(beast_http::field::retry_after, "1");
  head.keep_alive(keep_alive);
  return head;
}

std::string text_of(const Head& message) {
  std::ostringstream text;
  text << message;
  return text.str();
}

}  // namespace

void Connection::answer(const Response& response, const std::string& route) {
  server_.count(route, response.status);
  Head head = head_of(response, keeps_alive_);
  head.content_length(response.body.size());
  if (!is_head_) head.body() = response.body;
  write(text_of(head));
  answered(!keeps_alive_);
}

void Connection::refuse(unsigned status, Error error, const std::string& message) {
  Response response = error_response(error, message);
  response.status = status;
  keeps_alive_ = false;
  answer(response, "other");
}

void Connection::answered(bool is_last) {
  exchange_.reset();
  since_ = Clock::now();
  if (is_last) return finish();
  // Not now: whoever answers is in the middle of something.
  asio::post(server_.host_.io(), [self = shared_from_this()] {
    self->take_requests();
    if (!self->is_closed_) self->wait_for_input();
  });
}

void Connection::begin_events(const std::string& route) {
  server_.count(route, 200);
  Head head = head_of({.type = "text/event-stream"}, keeps_alive_ && !is_version_1_0_);
  if (!is_version_1_0_) head.chunked(true);
  const std::string text = text_of(head);
  const std::string_view end = "\r\n\r\n";
  write(std::string_view(text).substr(0, text.find(end) + end.size()));
}

void Connection::send_chunk(std::string_view text) {
  if (is_head_) return;
  if (is_version_1_0_) return write(text);
  std::ostringstream size;
  size << std::hex << text.size();
  write(size.str() + "\r\n" + std::string(text) + "\r\n");
}

void Connection::end_events() {
  if (!is_version_1_0_ && !is_head_) write("0\r\n\r\n");
  answered(true);
}

void Connection::finish() {
  if (is_closed_ || is_going_ || exchange_ != nullptr) return;
  is_going_ = true;
  since_ = Clock::now();
  in_.clear();
  wait_for_input();
  if (out_.empty()) written();
}

// --- Writing ------------------------------------------------------------------------------------

void Connection::write(std::string_view bytes) {
  if (is_closed_) return;
  out_.append(bytes);
  if (std::exchange(is_flush_posted_, true)) return;
  asio::post(server_.host_.io(), [self = shared_from_this()] {
    self->is_flush_posted_ = false;
    self->flush();
  });
}

void Connection::flush() {
  if (is_closed_) return;
  if (out_.size() - out_sent_ > server_.limits_.unsent_bytes) return lost();
  if (is_waiting_to_write_) return;
  boost::system::error_code error;
  while (out_sent_ < out_.size()) {
    const auto rest = asio::buffer(out_.data() + out_sent_, out_.size() - out_sent_);
    out_sent_ += socket_.write_some(rest, error);
    if (error == asio::error::interrupted) continue;
    if (error == asio::error::would_block) {
      is_waiting_to_write_ = true;
      return socket_.async_wait(Server::Socket::wait_write,
                                [self = shared_from_this()](const boost::system::error_code&) {
                                  self->is_waiting_to_write_ = false;
                                  self->flush();
                                });
    }
    if (error) return lost();
  }
  written();
}

void Connection::written() {
  out_sent_ = 0;
  out_.clear();
  if (out_.capacity() > room_kept) std::string().swap(out_);
  boost::system::error_code ignored;
  if (is_going_) socket_.shutdown(Server::Socket::shutdown_send, ignored);
}

void Connection::close() {
  if (std::exchange(is_closed_, true)) return;
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->go();
  server_.remove(*this);
}

void Connection::abandon() {
  is_closed_ = true;
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (exchange_ != nullptr) exchange_->on_gone = nullptr;
  exchange_.reset();
}

}  // namespace baton::http
