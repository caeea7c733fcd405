// What bench/service/limits needs of the other side: many sessions, many names, a long journal.
//
//   service_driver sessions SOCKET COUNT         opens them, says "ready", keeps them until the end
//                                                of its input
//   service_driver names SOCKET FIRST COUNT      takes and releases each name once
//   service_driver hold SOCKET FIRST COUNT       takes all of them, says "held", releases them
//   after
//                                                a line of input
//   service_driver journal FILE COMMANDS BATCH   writes a journal with so many commands, so many in
//                                                a record, and no snapshot
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "baton/client.pb.h"
#include "io/clock.h"
#include "io/frames.h"
#include "service/journal/sqlite.h"
#include "service/server/engine.h"

namespace baton::bench {
namespace {

constexpr std::int64_t ttl_us = 3'600'000'000;  // nobody need keep it alive meanwhile
constexpr std::uint64_t names_per_turn = 500;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// A connection, and a session.
class Talker {
 public:
  explicit Talker(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path.size() >= sizeof name.sun_path) fail("the path is too long");
    std::memcpy(name.sun_path, path.data(), path.size());
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || connect(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) {
      fail("cannot connect to " + path + ": " + std::strerror(errno));
    }
    proto::ClientMessage hello;
    hello.mutable_hello()->set_protocol(1);
    hello.mutable_hello()->set_program("service_driver");
    add(hello);
    proto::OpenSession& open = *request().mutable_open_session();
    open.set_nonce(std::to_string(getpid()) + "/" + std::to_string(socket_));
    open.set_ttl(ttl_us);
    add(message_);
    send();
    await(1);
  }
  Talker(Talker&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Talker& operator=(Talker&&) = delete;
  ~Talker() {
    if (socket_ >= 0) ::close(socket_);
  }

  void acquire(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < first + count; ++i) {
      request().mutable_acquire()->add_names(name_of(i));
      message_.mutable_request()->mutable_acquire()->set_guard(1);
      add(message_);
    }
    send();
    await(count);
  }
  void release(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < first + count; ++i) {
      request().mutable_release()->add_names(name_of(i));
      message_.mutable_request()->mutable_release()->set_guard(1);
      add(message_);
    }
    send();
    await(count);
  }

 private:
  static std::string name_of(std::uint64_t number) {
    return "bench/limits/" + std::to_string(number);
  }

  proto::Request& request() {
    message_.Clear();
    proto::Request& request = *message_.mutable_request();
    request.set_request(next_++);
    request.set_confirmed(answered_ + 1);
    return request;
  }

  void add(const proto::ClientMessage& message) { io::append_frame(out_, message); }

  void send() {
    for (std::size_t sent = 0; sent < out_.size();) {
      const ssize_t size = ::send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL);
      if (size < 0 && errno != EINTR) fail(std::string("cannot send: ") + std::strerror(errno));
      if (size > 0) sent += static_cast<std::size_t>(size);
    }
    out_.clear();
  }

  // So many replies, of which none says no.
  void await(std::uint64_t count) {
    const std::uint64_t wanted = answered_ + count;
    std::array<char, 64 * 1024> bytes;
    proto::ServerMessage in;
    while (answered_ < wanted) {
      const ssize_t size = recv(socket_, bytes.data(), bytes.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) fail("the server hung up");
      cutter_.feed({bytes.data(), static_cast<std::size_t>(size)}, [&](std::string_view frame) {
        if (!in.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) fail("no message");
        if (in.has_goodbye()) fail("the server hung up: " + in.goodbye().message());
        if (in.has_reply() && in.reply().error() != 0) fail("refused: " + in.reply().message());
        if (in.has_reply()) ++answered_;
        return true;
      });
    }
  }

  int socket_ = -1;
  proto::ClientMessage message_;
  io::FrameCutter cutter_;
  std::string out_;
  std::uint64_t next_ = 1;
  std::uint64_t answered_ = 0;
};

void say(const char* word) {
  std::puts(word);
  std::fflush(stdout);
}

void open_sessions(const std::string& socket, std::uint64_t count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::vector<Talker> all;
  for (std::uint64_t i = 0; i < count; ++i) all.emplace_back(socket);
  say("ready");
  std::string line;
  while (std::getline(std::cin, line)) continue;
}

template <class Turn>
void in_turns(std::uint64_t first, std::uint64_t count, Turn turn) {
  for (std::uint64_t done = 0; done < count; done += names_per_turn) {
    turn(first + done, std::min(names_per_turn, count - done));
  }
}

void take_names(const std::string& socket, std::uint64_t first, std::uint64_t count) {
  Talker talker(socket);
  in_turns(first, count, [&](std::uint64_t from, std::uint64_t some) {
    talker.acquire(from, some);
    talker.release(from, some);
  });
}

void hold_names(const std::string& socket, std::uint64_t first, std::uint64_t count) {
  Talker talker(socket);
  in_turns(first, count, [&](auto from, auto some) { talker.acquire(from, some); });
  say("held");
  std::string line;
  std::getline(std::cin, line);
  in_turns(first, count, [&](auto from, auto some) { talker.release(from, some); });
}

// --- A long journal -----------------------------------------------------------------------------

// Runs an engine on the thread that waits for it.
class Host final : public server::EngineHost {
 public:
  void post(std::function<void()> what) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(what));
    changed_.notify_one();
  }
  void run_aside(std::function<void()> what) override { what(); }
  std::int64_t clock_us() override { return io::boottime_us(); }
  std::int64_t wall_us() override { return io::wall_time_us(); }
  void deliver(service::Effects&) override {}
  void fail(const journal::Fault& fault) override { bench::fail(fault.what); }

  // Until it has happened.
  void run_until(const bool& has_happened) {
    while (!has_happened) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !posted_.empty(); });
      const auto what = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      what();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
};

class Writer {
 public:
  explicit Writer(const std::string& path) : journal_(path) {
    bool is_ready = false;
    engine_.start([&] { is_ready = true; });
    host_.run_until(is_ready);
    proto::Request open;
    open.set_request(next_++);
    open.mutable_open_session()->set_nonce("journal");
    open.mutable_open_session()->set_ttl(ttl_us);
    submit(open, [this](const service::Reply& reply) {
      session_ = std::get<service::Opened>(reply.result).session.value;
    });
    finish_batch();
  }
  ~Writer() { journal_.close(); }

  // A name is taken and released, one command after the other.
  void write(std::uint64_t commands, std::uint64_t batch) {
    for (std::uint64_t i = 0; i < commands; ++i) {
      proto::Request request;
      request.set_session(session_);
      request.set_request(next_);
      request.set_confirmed(next_ - 1);
      ++next_;
      const std::string name = "bench/limits/" + std::to_string(i / 2);
      if (i % 2 == 0) {
        request.mutable_acquire()->add_names(name);
      } else {
        request.mutable_release()->add_names(name);
      }
      submit(request, {});
      if ((i + 1) % batch == 0) finish_batch();
    }
    finish_batch();
  }

 private:
  void submit(proto::Request& request, const server::Engine::Answer& answer) {
    engine_.submit(request, server::command_of(request), answer);
  }
  void finish_batch() {
    bool is_durable = false;
    engine_.when_durable([&] { is_durable = true; });
    engine_.flush();
    host_.run_until(is_durable);
  }

  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  journal::SqliteJournal journal_;
  Host host_;
  server::Engine engine_{
      journal_,
      host_,
      {.server = "driver", .commands_per_snapshot = never, .bytes_per_snapshot = never}};
  std::uint64_t session_ = 0;
  std::uint64_t next_ = 1;
};

int run(const std::vector<std::string>& words) {
  const auto number = [&](std::size_t i) { return std::stoull(words.at(i)); };
  const std::string& what = words.at(0);
  if (what == "sessions") {
    open_sessions(words.at(1), number(2));
  } else if (what == "names") {
    take_names(words.at(1), number(2), number(3));
  } else if (what == "hold") {
    hold_names(words.at(1), number(2), number(3));
  } else if (what == "journal") {
    Writer(words.at(1)).write(number(2), number(3));
  } else {
    fail("neither sessions, names, hold nor journal: " + what);
  }
  return 0;
}

}  // namespace
}  // namespace baton::bench

int main(int count, char** words) {
  try {
    return baton::bench::run({words + 1, words + count});
  } catch (const std::out_of_range&) {
    std::fprintf(stderr, "service_driver: too few words; see the beginning of its source\n");
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "service_driver: %s\n", problem.what());
  }
  return 1;
}
