// Locks in ZooKeeper, to compare Baton's with: the recipe of its documentation, "Locks".
//
//   zookeeper_locks [--clients C] [--seconds S] [--same-name] HOST:PORT
//
// Lock: create an ephemeral sequential node below the lock's node; list the children; whoever has
// the lowest number holds the lock; any other watches the node just before its own and lists again
// when that one is gone. Unlock: delete the own node. The watch is set by reading the node, not by
// asking whether it exists: on a node that is already gone this leaves no watch behind. The rules
// of the measurement are in lock_load.h.
//
// Each client is a session and a connection of its own with a thread that uses the synchronous
// calls of libzookeeper_mt. A connection that is lost ends the measurement with an error, so that
// nothing of the recipe's repair after it is needed here. The locks' own nodes exist before the
// measurement begins.
// Declares the synchronous calls.
#define THREADED
#include <zookeeper/zookeeper.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "lock_load.h"

namespace {

using namespace std::chrono_literals;
using peers::Clock;

constexpr int session_timeout_ms = 30'000;
constexpr auto patience = 20s;
constexpr auto warmup_stay = 200us;
constexpr const char* root = "/bench";
constexpr std::string_view prefix = "lock-";

void expect(int result, std::string_view what) {
  if (result != ZOK) peers::fail(fmt::format("zookeeper_locks: {}: {}", what, zerror(result)));
}

// What another thread says and one waits for.
class Signal {
 public:
  void reset() {
    const std::lock_guard guard(mutex_);
    given_ = false;
  }
  void give() {
    const std::lock_guard guard(mutex_);
    given_ = true;
    changed_.notify_one();
  }
  void wait(std::string_view what) {
    std::unique_lock guard(mutex_);
    if (!changed_.wait_for(guard, patience, [this] { return given_; })) {
      peers::fail(fmt::format("zookeeper_locks: {}: no answer", what));
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

struct Close {
  void operator()(zhandle_t* handle) const { zookeeper_close(handle); }
};

class Session {
 public:
  explicit Session(const std::string& endpoint)
      : handle_(zookeeper_init(endpoint.c_str(), upon_session, session_timeout_ms, nullptr,
                               &connected_, 0)) {
    if (handle_ == nullptr) peers::fail("zookeeper_locks: cannot make a session");
    connected_.wait(endpoint);
  }

  void ensure(const std::string& path) {
    const int result = zoo_create(handle_.get(), path.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE,
                                  ZOO_PERSISTENT, nullptr, 0);
    if (result != ZNODEEXISTS) expect(result, path);
  }

  std::string create_sequential(const std::string& path) {
    std::string created(path.size() + 32, '\0');
    expect(zoo_create(handle_.get(), path.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE,
                      ZOO_EPHEMERAL_SEQUENTIAL, created.data(), static_cast<int>(created.size())),
           "create");
    created.resize(created.find('\0'));
    return created;
  }

  std::vector<std::string> children(const std::string& path) {
    String_vector found{};
    expect(zoo_get_children(handle_.get(), path.c_str(), 0, &found), "list");
    std::vector<std::string> names(found.data, found.data + found.count);
    deallocate_String_vector(&found);
    return names;
  }

  void wait_gone(const std::string& path) {
    gone_.reset();
    char data[1];
    int length = sizeof data;
    const int result =
        zoo_wget(handle_.get(), path.c_str(), upon_event, &gone_, data, &length, nullptr);
    if (result == ZNONODE) return;
    expect(result, "watch");
    gone_.wait("the node before");
  }

  void remove(const std::string& path) {
    expect(zoo_delete(handle_.get(), path.c_str(), -1), "delete");
  }

 private:
  static void upon_session(zhandle_t*, int type, int state, const char*, void* connected) {
    if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE) {
      static_cast<Signal*>(connected)->give();
    }
  }

  static void upon_event(zhandle_t*, int type, int, const char*, void* gone) {
    if (type != ZOO_SESSION_EVENT) static_cast<Signal*>(gone)->give();
  }

  Signal connected_;
  Signal gone_;
  std::unique_ptr<zhandle_t, Close> handle_;
};

class Client {
 public:
  Client(const peers::LoadOptions& options, std::uint32_t self)
      : session_(options.endpoint),
        folder_(fmt::format("{}/{}", root, peers::lock_name(options, self))) {
    session_.ensure(root);
    session_.ensure(folder_);
  }

  void lock() {
    mine_ = session_.create_sequential(fmt::format("{}/{}", folder_, prefix));
    const std::string name = mine_.substr(folder_.size() + 1);
    while (true) {
      std::string before;
      for (std::string& other : session_.children(folder_)) {
        // The server pads the numbers, so that names are ordered as the numbers are.
        if (other < name && other > before) before = std::move(other);
      }
      if (before.empty()) return;
      session_.wait_gone(fmt::format("{}/{}", folder_, before));
    }
  }

  void unlock() { session_.remove(mine_); }

 private:
  Session session_;
  std::string folder_;
  std::string mine_;
};

// Sees it if two clients of one name are inside at once.
class Inside {
 public:
  void visit(std::chrono::microseconds stay) {
    if (held_.exchange(true)) peers::fail("zookeeper_locks: two clients hold the same lock");
    if (stay.count() > 0) std::this_thread::sleep_for(stay);
    held_.store(false);
  }

 private:
  std::atomic<bool> held_ = false;
};

peers::Figures run(Client& client, Inside& inside, const peers::Window& window) {
  peers::Figures figures;
  for (auto now = Clock::now(); !window.over(now);) {
    const auto asked_at = now;
    client.lock();
    const auto had_at = Clock::now();
    inside.visit(window.begun(had_at) ? 0us : warmup_stay);
    client.unlock();
    now = Clock::now();
    if (window.counts(now)) figures.count(had_at - asked_at);
  }
  return figures;
}

peers::Figures run_all(const peers::LoadOptions& options) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    clients.push_back(std::make_unique<Client>(options, i));
  }
  std::vector<Inside> inside(options.same_name ? 1 : options.clients);
  std::vector<peers::Figures> figures(options.clients);
  const peers::Window window(options);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      threads.emplace_back(
          [&, i] { figures[i] = run(*clients[i], inside[i % inside.size()], window); });
    }
  }
  peers::Figures all;
  for (const auto& one : figures) all.add(one);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  peers::LoadOptions options;
  options.peer = "zookeeper";
  baton::cli::Command app("zookeeper_locks", "Measures locks in ZooKeeper.");
  peers::add_load_options(app, options);
  app.add_option("ENDPOINT", options.endpoint, "HOST:PORT").required();
  peers::parse(app, argc, argv);

  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  run_all(options).print(options.peer, options.seconds);
}
