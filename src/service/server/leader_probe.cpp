#include "service/server/leader_probe.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <memory>

#include "baton/client.pb.h"
#include "io/address.h"
#include "io/frames.h"
#include "service/server/session_frontend.h"
#include "service/state/versions.h"

namespace baton::server {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::chrono::milliseconds pause_after_failure{250};
constexpr std::chrono::seconds shortest_between_beliefs{2};
constexpr std::chrono::seconds longest_between_beliefs{60};

bool is_refusal(const error_code& error) {
  return error == asio::error::connection_refused || error == asio::error::connection_reset ||
         error == boost::system::errc::no_such_file_or_directory;
}

}  // namespace

LeaderProbe::LeaderProbe(asio::io_context& io, std::function<void()> is_dead)
    : io_(io), is_dead_(std::move(is_dead)), socket_(io), resolver_(io), timer_(io) {}

void LeaderProbe::watch(const std::string& url) {
  if (url == url_) return;
  url_ = url;
  ++round_;
  error_code ignored;
  socket_.close(ignored);
  resolver_.cancel();
  timer_.cancel();
  if (!url_.empty()) look();
}

void LeaderProbe::look() {
  const std::uint64_t round = ++round_;
  error_code error;
  socket_.close(error);
  io::Address address;
  try {
    address = io::parse_address(url_);
  } catch (const io::AddressError&) {
    return;
  }
  if (!address.is_unix()) return connect_tcp(address.host, address.port, round);
  socket_.open(asio::generic::stream_protocol(AF_UNIX, 0), error);
  socket_.async_connect(asio::local::stream_protocol::endpoint(address.path),
                        [this, round](const error_code& problem) { connected(problem, round); });
}

void LeaderProbe::connect_tcp(const std::string& host, std::uint16_t port, std::uint64_t round) {
  resolver_.async_resolve(
      host, std::to_string(port), [this, round](const error_code& error, const auto& found) {
        if (round != round_) return;
        if (error || found.empty()) return look_later(pause_after_failure);
        const asio::ip::tcp::endpoint endpoint = found.begin()->endpoint();
        error_code ignored;
        socket_.open(asio::generic::stream_protocol(endpoint.protocol().family(), 0), ignored);
        socket_.async_connect(
            endpoint, [this, round](const error_code& problem) { connected(problem, round); });
      });
}

void LeaderProbe::connected(const error_code& error, std::uint64_t round) {
  if (round != round_) return;
  if (is_refusal(error)) return refused();
  if (error) return look_later(pause_after_failure);
  connected_at_ = Clock::now();
  proto::ClientMessage message;
  message.mutable_hello()->set_protocol(service::protocol_version);
  message.mutable_hello()->set_program("baton server");
  auto hello = std::make_shared<std::string>();
  io::append_frame(*hello, message);
  asio::async_write(socket_, asio::buffer(*hello), [hello](const error_code&, std::size_t) {});
  listen(round);
}

void LeaderProbe::listen(std::uint64_t round) {
  socket_.async_read_some(
      asio::buffer(heard_), [this, round](const error_code& error, std::size_t) {
        if (round != round_) return;
        if (!error) return listen(round);
        const bool was_steady = Clock::now() - connected_at_ >= 2 * between_beliefs_;
        if (was_steady) between_beliefs_ = {};
        // The leader accepts connections and ends them at once: pause before the next attempt.
        if (Clock::now() - connected_at_ < pause_after_failure)
          return look_later(pause_after_failure);
        look();
      });
}

void LeaderProbe::refused() {
  const auto now = Clock::now();
  const bool is_believed =
      between_beliefs_ == Clock::duration{} || now - believed_at_ >= between_beliefs_;
  if (is_believed) {
    believed_at_ = now;
    between_beliefs_ = std::clamp<Clock::duration>(2 * between_beliefs_, shortest_between_beliefs,
                                                   longest_between_beliefs);
    is_dead_();
  }
  look_later(pause_after_failure);
}

void LeaderProbe::look_later(Clock::duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this, round = round_](const error_code& error) {
    if (!error && round == round_) look();
  });
}

}  // namespace baton::server
