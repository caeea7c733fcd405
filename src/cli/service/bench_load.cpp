#include "cli/service/bench_load.h"

#include <netdb.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "baton/client.pb.h"
#include "baton/error.h"
#include "io/address.h"
#include "io/clock.h"
#include "io/descriptor.h"
#include "io/frames.h"
#include "io/socket.h"
#include "service/lease/lease.h"
#include "service/state/versions.h"

namespace baton::cli {

namespace {

using io::Descriptor;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::int64_t ttl_us = 60'000'000;
constexpr std::int64_t between_looks_at_leases = 50'000;
constexpr std::chrono::seconds patience{10};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

Descriptor connect_to_path(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), std::min(path.size(), sizeof name.sun_path - 1));
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) {
    fail("cannot connect to " + path + ": " + std::strerror(errno));
  }
  return socket;
}

Descriptor connect_to_port(const io::Address& address) {
  addrinfo* found = nullptr;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) !=
      0) {
    fail("there is no host '" + address.host + "'");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0) {
    fail("cannot connect to " + address.url() + ": " + std::strerror(errno));
  }
  io::send_at_once(socket.get());
  return socket;
}

Descriptor connect_to(const io::Address& address) {
  return address.is_unix() ? connect_to_path(address.path) : connect_to_port(address);
}

class LoadClient {
 public:
  LoadClient(const io::Address& address, std::string name, bool fast)
      : socket_(connect_to(address)), name_(std::move(name)), fast_(fast) {
    proto::ClientMessage message;
    message.mutable_hello()->set_protocol(service::protocol_version);
    message.mutable_hello()->set_program("baton bench");
    send(message);
  }

  int descriptor() const { return socket_.get(); }
  bool is_open() const { return is_open_; }
  bool is_over() const { return is_over_; }

  // Reads what is there and does what comes next.
  void serve(LoadResult& result) {
    std::array<char, 16 * 1024> bytes;
    const ssize_t size = recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) fail("the server hung up");
    cutter_.feed({bytes.data(), static_cast<std::size_t>(size)}, [&](std::string_view frame) {
      if (!in_.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
        fail("the server says what makes no sense");
      }
      take(result);
      return true;
    });
  }

  void begin() {
    is_running_ = true;
    acquire();
  }
  // What is under way is finished first.
  void stop() { is_running_ = false; }
  // Keeps the session alive as often as the lease demands that was granted.
  void look_at_lease(service::Time now) {
    if (lease_ && !is_closing_) carry_out(lease_->wake(now));
  }

 private:
  void take(LoadResult& result) {
    if (in_.has_welcome()) return open();
    if (in_.has_alive()) return hear(in_.alive());
    if (in_.has_session_over() && !is_closing_)
      fail("the session is over: " + in_.session_over().reason());
    if (in_.has_goodbye()) fail("the server hung up: " + in_.goodbye().message());
    if (!in_.has_reply()) return;
    const proto::Reply& reply = in_.reply();
    if (reply.error() != 0) fail("the server refused: " + reply.message());
    if (reply.has_opened()) {
      begin_lease(reply.opened());
      is_open_ = true;
    } else if (reply.has_granted()) {
      granted_ = steady_clock::now();
      release();
    } else if (is_running_) {
      result.acquires.push_back(granted_ - asked_);
      result.pairs.push_back(steady_clock::now() - asked_);
      acquire();
    } else if (!is_closing_) {
      close();
    } else {
      is_over_ = true;
    }
  }

  proto::Request& request() {
    out_.Clear();
    proto::Request& request = *out_.mutable_request();
    request.set_request(next_);
    request.set_confirmed(next_ - 1);
    ++next_;
    return request;
  }

  void begin_lease(const proto::Reply::Opened& opened) {
    session_ = {opened.session()};
    lease_.emplace(nonce_, service::LeaseTerms::of({opened.ttl()}, {}), fast_);
    lease_->set_holding(true);
    const service::Welcome welcome{{epoch_}, nonce_, session_, opening_sent_};
    carry_out(lease_->receive({io::boottime_us()}, welcome));
  }

  // The number of a keepalive is the time at which it was sent.
  void hear(const proto::Alive& alive) {
    if (!lease_ || is_closing_) return;
    const service::Alive message{
        {alive.epoch()}, session_, {static_cast<std::int64_t>(alive.number())}};
    carry_out(lease_->receive({io::boottime_us()}, message));
  }

  void carry_out(const service::LeaseClient::Step& step) {
    if (step.event == service::LeaseClient::Event::lost) {
      fail("the server has kept a session waiting until its lease was over");
    }
    if (!step.send) return;
    proto::ClientMessage message;
    const auto& keep_alive = std::get<service::KeepAlive>(*step.send);
    message.mutable_keep_alive()->set_number(static_cast<std::uint64_t>(keep_alive.sent.value));
    send(message);
  }

  void open() {
    epoch_ = in_.welcome().epoch();
    nonce_.resize(16);
    [[maybe_unused]] const ssize_t size = getrandom(nonce_.data(), nonce_.size(), 0);
    opening_sent_ = {io::boottime_us()};
    proto::OpenSession& open = *request().mutable_open_session();
    open.set_nonce(nonce_);
    open.set_ttl(ttl_us);
    open.set_fast(fast_);
    open.mutable_who()->set_process(static_cast<std::uint32_t>(getpid()));
    open.mutable_who()->set_label("baton bench");
    send(out_);
  }

  void acquire() {
    proto::Acquire& acquire = *request().mutable_acquire();
    acquire.add_names(name_);
    acquire.set_owner(1);
    acquire.set_fast(fast_);
    asked_ = steady_clock::now();
    send(out_);
  }

  void release() {
    proto::Release& release = *request().mutable_release();
    release.add_names(name_);
    release.set_owner(1);
    send(out_);
  }

  void close() {
    is_closing_ = true;
    request().mutable_close_session();
    send(out_);
  }

  // It is little: that it does not fit happens only if the server does not read at all.
  void send(const proto::ClientMessage& message) {
    bytes_.clear();
    io::append_frame(bytes_, message);
    if (::send(socket_.get(), bytes_.data(), bytes_.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes_.size())) {
      fail(std::string("cannot send to the server: ") + std::strerror(errno));
    }
  }

  Descriptor socket_;
  std::string name_;
  bool fast_;
  std::string nonce_;
  std::uint64_t epoch_ = 0;
  service::SessionId session_;
  service::Time opening_sent_;
  std::optional<service::LeaseClient> lease_;  // once it is granted
  io::FrameCutter cutter_;
  proto::ServerMessage in_;
  proto::ClientMessage out_;
  std::string bytes_;
  std::uint64_t next_ = 1;
  bool is_open_ = false;
  bool is_running_ = false;
  bool is_closing_ = false;
  bool is_over_ = false;
  steady_clock::time_point asked_;
  steady_clock::time_point granted_;
};

class Load {
 public:
  explicit Load(const LoadOptions& options)
      : options_(options), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    const io::Address address = io::parse_url(options.url).front();
    const std::string base = "bench/" + std::to_string(getpid());
    for (std::size_t i = 0; i < options.clients; ++i) {
      const std::string name = options.same_name ? base : base + "/" + std::to_string(i);
      clients_.push_back(std::make_unique<LoadClient>(address, name, options.fast));
      epoll_event event{.events = EPOLLIN, .data = {.ptr = clients_.back().get()}};
      epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, clients_.back()->descriptor(), &event);
    }
  }

  LoadResult run() {
    wait_for_all([](const LoadClient& client) { return client.is_open(); });
    for (auto& client : clients_) client->begin();
    // What comes first finds caches and files cold.
    serve_until(steady_clock::now() +
                std::min<nanoseconds>(options_.length / 5, std::chrono::milliseconds(500)));
    result_ = {};
    const auto begin = steady_clock::now();
    serve_until(begin + options_.length);
    LoadResult result = std::move(result_);
    result.length = steady_clock::now() - begin;
    result_ = {};
    for (auto& client : clients_) client->stop();
    wait_for_all([](const LoadClient& client) { return client.is_over(); });
    std::sort(result.pairs.begin(), result.pairs.end());
    std::sort(result.acquires.begin(), result.acquires.end());
    return result;
  }

 private:
  void serve(std::chrono::milliseconds longest) {
    std::array<epoll_event, 256> ready;
    const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()),
                                 static_cast<int>(longest.count()));
    for (int i = 0; i < count; ++i) static_cast<LoadClient*>(ready[i].data.ptr)->serve(result_);
    const std::int64_t now = io::boottime_us();
    if (now < next_look_at_leases_) return;
    next_look_at_leases_ = now + between_looks_at_leases;
    for (auto& client : clients_) client->look_at_lease({now});
  }

  void serve_until(steady_clock::time_point end) {
    while (steady_clock::now() < end) serve(std::chrono::milliseconds(10));
  }

  template <class Condition>
  void wait_for_all(Condition condition) {
    const auto deadline = steady_clock::now() + patience;
    while (!std::all_of(clients_.begin(), clients_.end(),
                        [&](const auto& client) { return condition(*client); })) {
      if (steady_clock::now() > deadline) fail("the server does not answer");
      serve(std::chrono::milliseconds(100));
    }
  }

  const LoadOptions& options_;
  Descriptor epoll_;
  std::vector<std::unique_ptr<LoadClient>> clients_;
  LoadResult result_;
  std::int64_t next_look_at_leases_ = 0;
};

}  // namespace

nanoseconds percentile(const std::vector<nanoseconds>& times, double percent) {
  if (times.empty()) return nanoseconds(0);
  const double rank = std::ceil(percent / 100 * static_cast<double>(times.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return times[std::min(index, times.size() - 1)];
}

LoadResult run_load(const LoadOptions& options) { return Load(options).run(); }

}  // namespace baton::cli
