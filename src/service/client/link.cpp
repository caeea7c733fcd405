#include "service/client/link.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>
#include <utility>

#include "io/socket.h"

namespace baton::client {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t read_size = 64 * 1024;
constexpr std::size_t most_addresses = 64;
constexpr std::chrono::microseconds shortest_pause{10'000};
constexpr std::chrono::microseconds longest_pause{1'000'000};
constexpr std::chrono::seconds time_to_leave_silent_alone{3};
constexpr std::chrono::milliseconds longest_patience_with_several{800};

auto into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

}  // namespace

Link::Link(asio::io_context& io, std::mutex& mutex, Listener& listener,
           std::vector<Address> addresses)
    : io_(io),
      mutex_(mutex),
      listener_(listener),
      addresses_(std::move(addresses)),
      socket_(io),
      timeout_(io),
      random_(std::random_device{}()) {}

asio::awaitable<void> Link::run() {
  asio::steady_timer timer(io_);
  while (true) {
    const Address address = next_address();
    const bool is_connected = co_await connect(address);
    {
      const std::lock_guard lock(mutex_);
      listener_.woken();
      if (is_connected && !is_stopped_) {
        is_open_ = true;
        listener_.connected(address.url());
      }
    }
    listener_.settle();
    if (is_open_) co_await converse();
    {
      const std::lock_guard lock(mutex_);
      listener_.woken();
      close();
      if (is_stopped_) co_return;
      failures_ = is_settled_ ? 0 : failures_ + 1;
      listener_.disconnected(address.url() + ": " + why_);
    }
    listener_.settle();
    timer.expires_after(pause());
    error_code ignored;
    co_await timer.async_wait(into(ignored));
  }
}

Address Link::next_address() {
  const std::lock_guard lock(mutex_);
  std::optional<Address> next = std::exchange(preferred_, std::nullopt);
  for (std::size_t tries = 0; !next || (is_silent(*next) && tries < addresses_.size()); ++tries) {
    next = addresses_[next_++ % addresses_.size()];
  }
  current_ = next->url();
  return *next;
}

void Link::note_silence() { silent_[current_] = std::chrono::steady_clock::now(); }

// Others may name it as their leader for as long as they have not noticed.
bool Link::is_silent(const Address& address) const {
  const auto at = silent_.find(address.url());
  return at != silent_.end() &&
         std::chrono::steady_clock::now() - at->second < time_to_leave_silent_alone;
}

// It is also remembered for later: those that were named at first may all be gone by then.
void Link::prefer(Address address) {
  const auto is_same = [&](const Address& other) { return other.url() == address.url(); };
  const bool is_new = std::none_of(addresses_.begin(), addresses_.end(), is_same);
  if (is_new && addresses_.size() < most_addresses) addresses_.push_back(address);
  preferred_ = std::move(address);
}

// Nobody is asked more often than once in a while, and not all at the same moment. Those who have
// several addresses try each of them before they slow down.
std::chrono::microseconds Link::pause() {
  const int rounds = failures_ / static_cast<int>(addresses_.size());
  const bool is_sent_on = preferred_ && failures_ > 0 && rounds < 2;
  if (is_sent_on || (failures_ > 0 && rounds == 0)) return std::chrono::microseconds(0);
  const auto most = std::min(shortest_pause * (1 << std::min(rounds, 10)), longest_pause);
  std::uniform_int_distribution<std::int64_t> some(most.count() / 2, most.count());
  return std::chrono::microseconds(some(random_));
}

void Link::start_timeout() {
  timeout_.expires_after(
      has_several() ? std::min<std::chrono::microseconds>(patience_, longest_patience_with_several)
                    : patience_);
  timeout_.async_wait([this](const error_code& error) {
    if (error) return;
    const std::lock_guard lock(mutex_);
    if (is_settled_) return;
    why_ = "no answer";
    note_silence();
    error_code ignored;
    // Ends whatever is under way on it; the descriptor is given back by close().
    if (is_open_)
      drop(why_);
    else
      socket_.close(ignored);
  });
}

asio::awaitable<bool> Link::connect(const Address& address) {
  {
    const std::lock_guard lock(mutex_);
    is_settled_ = false;
    is_dropped_ = false;
    why_.clear();
    start_timeout();
  }
  if (!address.is_unix()) co_return co_await connect_tcp(address);
  error_code error;
  const asio::local::stream_protocol::endpoint endpoint(address.path);
  socket_.open(asio::generic::stream_protocol(AF_UNIX, 0), error);
  if (!error) co_await socket_.async_connect(endpoint, into(error));
  const std::lock_guard lock(mutex_);
  if (error && why_.empty()) why_ = error.message();
  co_return !error && why_.empty() && socket_.is_open();
}

asio::awaitable<bool> Link::connect_tcp(const Address& address) {
  error_code error;
  asio::ip::tcp::resolver resolver(io_);
  const auto found =
      co_await resolver.async_resolve(address.host, std::to_string(address.port), into(error));
  if (!error) {
    error = asio::error::host_not_found;
    for (const auto& entry : found) {
      const asio::ip::tcp::endpoint endpoint = entry.endpoint();
      if (!why_.empty()) break;
      error_code ignored;
      socket_.close(ignored);
      socket_.open(asio::generic::stream_protocol(endpoint.protocol().family(), 0), error);
      if (!error) co_await socket_.async_connect(endpoint, into(error));
      if (!error) break;
    }
  }
  const std::lock_guard lock(mutex_);
  if (!error && why_.empty() && socket_.is_open()) {
    error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    co_return true;
  }
  if (why_.empty()) why_ = error ? error.message() : "no answer";
  co_return false;
}

asio::awaitable<void> Link::converse() {
  std::vector<char> part(read_size);
  bool goes_on = true;
  while (goes_on) {
    error_code error;
    const std::size_t count = co_await socket_.async_read_some(asio::buffer(part), into(error));
    {
      const std::lock_guard lock(mutex_);
      listener_.woken();
      // Frames that came before the end of the connection still count.
      goes_on = take_frames({part.data(), count}) && !error && !is_dropped_;
      if (error && why_.empty())
        why_ = error == asio::error::eof ? "the connection was closed" : error.message();
    }
    listener_.settle();
  }
}

bool Link::take_frames(std::string_view bytes) {
  if (is_dropped_) return true;
  bool is_understood = true;
  const auto outcome = cutter_.feed(bytes, [&](std::string_view frame) {
    is_understood = listener_.received(frame);
    if (!is_understood && why_.empty()) why_ = "what it says is not to be understood";
    return is_understood && !is_dropped_;
  });
  if (outcome != io::FrameCutter::Outcome::overlong) return is_understood;
  why_ = "a frame of more than " + std::to_string(io::largest_frame) +
         " bytes: this is no Baton server";
  return false;
}

void Link::write(std::string& frames) {
  if (is_open_ && !is_dropped_) {
    if (out_.empty())
      out_.swap(frames);
    else
      out_ += frames;
  }
  frames.clear();
}

void Link::flush() {
  if (!is_open_ || is_dropped_ || waits_for_room_) return;
  switch (io::write(socket_.native_handle(), out_, sent_)) {
    case io::Written::all:
      out_.clear();
      sent_ = 0;
      return;
    case io::Written::some:
      return wait_until_writable();
    case io::Written::failed:
      return drop(std::strerror(errno));
  }
}

void Link::wait_until_writable() {
  waits_for_room_ = true;
  asio::post(io_, [this] {
    const std::lock_guard lock(mutex_);
    if (!is_open_) return;
    socket_.async_wait(Socket::wait_write, [this](const error_code& error) {
      if (error) return;
      const std::lock_guard inner(mutex_);
      waits_for_room_ = false;
      flush();
    });
  });
}

void Link::drop(std::string why) {
  if (!is_open_ || is_dropped_) return;
  is_dropped_ = true;
  if (why_.empty()) why_ = std::move(why);
  // Wakes the reader; what has arrived and is still unread is not looked at.
  ::shutdown(socket_.native_handle(), SHUT_RDWR);
}

void Link::drop_silent() {
  note_silence();
  drop("it does not answer");
}

void Link::stop() {
  is_stopped_ = true;
  drop("it is over");
}

void Link::settled() {
  is_settled_ = true;
  silent_.erase(current_);
  timeout_.cancel();
}

void Link::close() {
  error_code ignored;
  socket_.close(ignored);
  timeout_.cancel();
  is_open_ = false;
  is_dropped_ = false;
  waits_for_room_ = false;
  out_.clear();
  sent_ = 0;
  cutter_ = {};
}

}  // namespace baton::client
