#include "peers/net/link_dialer.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <utility>

namespace baton::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

}  // namespace

LinkDialer::LinkDialer(asio::io_context& io, io::HostPort address, Times times, Connected connected,
                       Failed failed)
    : address_(std::move(address)),
      times_(times),
      connected_(std::move(connected)),
      failed_(std::move(failed)),
      pause_(times.first_retry),
      resolver_(io),
      timer_(io),
      attempt_(std::make_shared<std::uint64_t>(0)) {}

template <class What>
auto LinkDialer::during_this_attempt(What what) {
  return [now = std::weak_ptr(attempt_), number = *attempt_, what](const auto&... arguments) {
    const auto attempt = now.lock();
    if (attempt && *attempt == number) what(arguments...);
  };
}

void LinkDialer::stop() {
  ++*attempt_;
  resolver_.cancel();
  timer_.cancel();
  error_code ignored;
  if (socket_) socket_->close(ignored);
  socket_ = nullptr;
}

void LinkDialer::dial_later() {
  stop();
  timer_.expires_at(dialled_at_ + pause_);
  pause_ = std::min(2 * pause_, times_.last_retry);
  timer_.async_wait(during_this_attempt([this](const error_code&) { dial(); }));
}

void LinkDialer::dial() {
  stop();
  dialled_at_ = std::chrono::steady_clock::now();
  timer_.expires_after(times_.to_connect);
  timer_.async_wait(during_this_attempt([this](const error_code&) { fail("it does not answer"); }));
  error_code is_a_name;
  const auto address = asio::ip::make_address(address_.host, is_a_name);
  if (!is_a_name) {
    const Tcp::endpoint endpoint(address, address_.port);
    return connect(Tcp::resolver::results_type::create(endpoint, address_.host, ""));
  }
  // Each time, as a name may come to mean another machine.
  resolver_.async_resolve(
      address_.host, std::to_string(address_.port),
      during_this_attempt([this](const error_code& error, const auto& addresses) {
        if (error) return fail("there is no host '" + address_.host + "': " + error.message());
        connect(addresses);
      }));
}

void LinkDialer::connect(const Tcp::resolver::results_type& addresses) {
  socket_ = std::make_shared<Tcp::socket>(timer_.get_executor());
  const auto connected = during_this_attempt([this](const error_code& error) {
    if (error) return fail(error.message());
    timer_.cancel();
    error_code failed;
    const int socket = socket_->release(failed);
    if (failed) return fail(failed.message());
    stop();
    connected_(socket);
  });
  // Asio looks at the socket between two addresses, even when the attempt is over.
  asio::async_connect(
      *socket_, addresses,
      [socket = socket_, connected](const error_code& error, const auto&) { connected(error); });
}

void LinkDialer::fail(const std::string& why) {
  stop();
  failed_("cannot connect to " + address_.host_and_port() + ": " + why);
}

}  // namespace baton::net
