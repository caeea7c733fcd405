// Locks in ZooKeeper, to compare Baton's with: the recipe of its documentation, "Locks", and one that
// hands over faster.
//
//   zookeeper_locks [--by-hand] [--clients C] [--seconds S] [--same-name] HOST:PORT
//
// Lock: a client creates an ephemeral sequential node below the lock's node and lists the children. The
// client with the lowest number holds the lock. Every other client watches the node just before its
// own, so that a release wakes one client. When that node is gone the client lists again: the node's
// owner may have died while it waited itself. Unlock: the client deletes its node. The rules of the
// measurement are in lock_load.h.
//
// --by-hand: a holder changes its node in the transaction that deletes it; a waiter never does that. So
// a client that hears of a change of the node before its own knows that the holder has released the
// lock and that nobody is left before it. It holds the lock without listing again. A deletion without
// a change means what it means in the recipe. Clients of both kinds can share a lock. No library does
// this.
//
// The program is meant to give ZooKeeper its best:
//
// - It sends frames on bare sockets (zookeeper_wire.h), with one thread and one epoll for all
//   sessions. The client library in C has three threads for each session, which compete with the
//   server for the cores.
// - Create and list leave together: the server executes a session's requests in their order. A lock
//   that nobody holds costs one round trip and one synced write. To look first whether anybody is
//   there, or to ask for the number of children alone, would save nothing after that.
// - The client sets the watch by reading the node, not by asking whether it exists, as the
//   documentation has it: on a node that is already gone this leaves no watch behind, and costs the
//   same.
// - The server's settings are those of tools/services.py, the best that were found for two cores. Java
//   compiles what is called often while it runs: run_locks and run_cluster put load on a new server
//   before they measure, and print for how long. Of an ensemble they name the leader alone: it was
//   faster to have all clients there than at all members.
//
// What ZooKeeper could do better than this shows: with a disk of its own for its log and cores of its
// own the server is faster. Its members share both here with each other and with the clients.
//
// A connection that is lost ends the measurement with an error, so that nothing of the recipe's
// repair after it is needed here. The locks' own nodes exist before the measurement begins.
#include "zookeeper_wire.h"

#include <deque>
#include <memory>

#include "io/frames.h"
#include "load_sockets.h"
#include "lock_load.h"

namespace {

using namespace std::chrono_literals;
using peers::Clock;
using zookeeper::Operation;

constexpr auto session_timeout = 30s;
constexpr auto patience = 20s;
constexpr auto warmup_stay = 200us;
constexpr std::string_view root = "/bench";
constexpr std::string_view prefix = "lock-";

[[noreturn]] void fail(std::string_view reason) {
  peers::fail(fmt::format("zookeeper_locks: {}", reason));
}

// A session and its connection.
class Session {
 public:
  explicit Session(const std::string& endpoint) : socket_(peers::connect_to(endpoint)) {
    const auto timeout_ms = std::chrono::milliseconds(session_timeout).count();
    send(zookeeper::connect(static_cast<std::int32_t>(timeout_ms)));
    wait_for_frame([&](std::string_view frame) {
      timeout_ = std::chrono::milliseconds(zookeeper::granted_timeout_ms(frame));
    });
    if (timeout_ <= 0ms) fail(fmt::format("{} opens no session", endpoint));
  }

  // Before the measurement: waits for the reply.
  void ensure(const std::string& path) {
    send(zookeeper::create(next_xid(), path, zookeeper::Kind::persistent));
    wait_for_frame([&](std::string_view frame) {
      zookeeper::Reader fields(frame);
      const zookeeper::ReplyHeader header(fields);
      if (header.error != zookeeper::Error::node_exists) expect_none(header.error, path);
    });
  }

  int socket() const { return socket_.get(); }
  std::int32_t next_xid() { return ++xid_; }

  // It is little: that it does not fit happens only if the server does not read at all.
  void send(const std::string& frames) {
    const auto sent = ::send(socket_.get(), frames.data(), frames.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(frames.size()))
      peers::fail_with_errno("zookeeper_locks: send");
    sent_at_ = Clock::now();
  }

  void keep_alive(Clock::time_point now) {
    if (now - sent_at_ > timeout_ / 3) send(zookeeper::ping());
  }

  // Reads what is there, or waits for something, and calls take(frame) for each frame that is whole.
  // False at the end of the stream.
  template <class Take>
  bool receive(const Take& take, int flags = MSG_DONTWAIT) {
    std::array<char, 16 * 1024> bytes;
    const auto size = recv(socket_.get(), bytes.data(), bytes.size(), flags);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (size < 0) peers::fail_with_errno("zookeeper_locks: recv");
    if (size == 0) return false;
    cutter_.feed({bytes.data(), static_cast<std::size_t>(size)}, [&](std::string_view frame) {
      take(frame);
      return true;
    });
    return true;
  }

  static void expect_none(zookeeper::Error error, std::string_view what) {
    if (error != zookeeper::Error::none) {
      fail(fmt::format("{}: error {}", what, static_cast<int>(error)));
    }
  }

 private:
  template <class Take>
  void wait_for_frame(const Take& take) {
    bool has_come = false;
    while (!has_come) {
      const bool is_open = receive(
          [&](std::string_view frame) {
            has_come = true;
            take(frame);
          },
          0);
      if (!is_open) fail("the server hung up");
    }
  }

  peers::Descriptor socket_;
  baton::io::FrameCutter cutter_;
  std::chrono::milliseconds timeout_{};
  Clock::time_point sent_at_;
  std::int32_t xid_ = 0;
};

// Ends the program if two clients of one name are inside at once, or if one overtakes another.
class Inside {
 public:
  void enter(const std::string& node) {
    if (is_held_) fail("two clients hold the same lock");
    // The server pads the numbers, so that names are ordered as the numbers are.
    if (node <= last_) fail("a lock was granted out of order");
    is_held_ = true;
    last_ = node;
  }
  void leave() { is_held_ = false; }

 private:
  bool is_held_ = false;
  std::string last_;
};

class Client;

struct Run {
  Run(const peers::LoadOptions& options, bool is_by_hand)
      : window(options), stays_in_warmup(options.same_name), by_hand(is_by_hand) {}

  // In the warm-up a lock that several want is held for a while.
  struct Stay {
    Clock::time_point until;
    Client* client;
  };

  peers::Window window;
  peers::Figures figures;
  bool stays_in_warmup;
  bool by_hand;
  std::deque<Stay> stays;
};

class Client {
 public:
  Client(Session session, Run& run, Inside& inside, std::string folder)
      : session_(std::move(session)), run_(run), inside_(inside), folder_(std::move(folder)) {}

  int socket() const { return session_.socket(); }
  bool is_closed() const { return is_closed_; }
  void keep_alive(Clock::time_point now) { session_.keep_alive(now); }

  void lock(Clock::time_point now) {
    asked_at_ = now;
    expected_ = {Operation::create, Operation::get_children};
    session_.send(zookeeper::create(session_.next_xid(), fmt::format("{}/{}", folder_, prefix),
                                    zookeeper::Kind::ephemeral_sequential) +
                  zookeeper::get_children(session_.next_xid(), folder_));
  }

  void unlock() {
    inside_.leave();
    const std::string path = path_of(node_);
    if (run_.by_hand) {
      expected_ = {Operation::transaction};
      session_.send(zookeeper::change_and_remove(session_.next_xid(), path));
    } else {
      expected_ = {Operation::remove};
      session_.send(zookeeper::remove(session_.next_xid(), path));
    }
  }

  void receive() {
    const bool is_open = session_.receive([&](std::string_view frame) { take(frame); });
    if (is_open) return;
    if (!is_closing_) fail("the server hung up");
    is_closed_ = true;
  }

  // The server removes the session's nodes; whatever is under way no longer matters.
  void close() {
    is_closing_ = true;
    session_.send(zookeeper::close(session_.next_xid()));
  }

 private:
  std::string path_of(std::string_view node) const { return fmt::format("{}/{}", folder_, node); }

  void take(std::string_view frame) {
    if (is_closing_) return;
    zookeeper::Reader fields(frame);
    const zookeeper::ReplyHeader header(fields);
    if (header.xid == zookeeper::ping_xid) return;
    if (header.xid == zookeeper::event_xid) return upon_event(fields);
    if (expected_.empty()) fail("a reply that nobody waits for");
    const Operation operation = expected_.front();
    expected_.pop_front();
    switch (operation) {
      case Operation::create:
        Session::expect_none(header.error, "create");
        node_ = fields.string().substr(folder_.size() + 1);
        return;
      case Operation::get_children:
        Session::expect_none(header.error, "list");
        return upon_children(fields);
      case Operation::get_data:
        return upon_watch(header.error);
      case Operation::remove:
        Session::expect_none(header.error, "delete");
        return upon_unlocked(Clock::now());
      case Operation::transaction:
        Session::expect_none(header.error, "change and delete");
        if (!zookeeper::is_carried_out(fields)) fail("change and delete: refused");
        return upon_unlocked(Clock::now());
      default:
        fail("a reply to what nobody asked");
    }
  }

  void list() {
    expected_ = {Operation::get_children};
    session_.send(zookeeper::get_children(session_.next_xid(), folder_));
  }

  void upon_children(zookeeper::Reader& fields) {
    std::string_view before;
    bool is_listed = false;
    for (std::int32_t left = fields.int32(); left > 0; --left) {
      const std::string_view other = fields.string();
      is_listed |= other == node_;
      if (other < node_ && other > before) before = other;
    }
    if (!is_listed) fail("a client's node is gone while it waits");
    if (before.empty()) return upon_locked(Clock::now());
    before_ = path_of(before);
    expected_ = {Operation::get_data};
    session_.send(zookeeper::get_data(session_.next_xid(), before_, true));
  }

  void upon_watch(zookeeper::Error error) {
    if (error == zookeeper::Error::no_node) return list();
    Session::expect_none(error, "watch");
  }

  void upon_event(zookeeper::Reader& fields) {
    const auto event = static_cast<zookeeper::Event>(fields.int32());
    fields.int32();  // the session's state
    if (fields.string() != before_) return;
    // The reply to the request that has set the watch comes before its event.
    if (!expected_.empty()) fail("an event before its watch");
    if (event == zookeeper::Event::data_changed && run_.by_hand) return upon_locked(Clock::now());
    list();
  }

  void upon_locked(Clock::time_point now) {
    inside_.enter(node_);
    latency_ = now - asked_at_;
    if (run_.stays_in_warmup && !run_.window.begun(now)) {
      run_.stays.push_back({now + warmup_stay, this});
    } else {
      unlock();
    }
  }

  void upon_unlocked(Clock::time_point now) {
    if (run_.window.counts(now)) run_.figures.count(latency_);
    if (!run_.window.over(now)) lock(now);
  }

  Session session_;
  Run& run_;
  Inside& inside_;
  std::string folder_;
  std::deque<Operation> expected_;  // replies, in their order
  std::string node_;
  std::string before_;  // the path of the node that is watched
  bool is_closing_ = false;
  bool is_closed_ = false;
  Clock::time_point asked_at_;
  Clock::duration latency_{};
};

class Load {
 public:
  Load(const peers::LoadOptions& options, bool by_hand) : run_(options, by_hand) {
    inside_.resize(options.same_name ? 1 : options.clients);
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      Session session(options.endpoint);
      std::string folder = fmt::format("{}/{}", root, peers::lock_name(options, i));
      session.ensure(std::string(root));
      session.ensure(folder);
      clients_.push_back(std::make_unique<Client>(std::move(session), run_,
                                                  inside_[i % inside_.size()], std::move(folder)));
      readable_.watch(clients_.back()->socket(), i);
    }
    open_ = clients_.size();
    // The sessions may have taken a while.
    run_.window = peers::Window(options);
  }

  peers::Figures run() {
    heard_at_ = Clock::now();
    for (auto& client : clients_) client->lock(Clock::now());
    while (!run_.window.over(Clock::now())) step(run_.window.end());
    run_.stays.clear();
    for (auto& client : clients_) client->close();
    while (open_ > 0) step(Clock::now() + 1s);
    return std::move(run_.figures);
  }

 private:
  void step(Clock::time_point until) {
    auto now = Clock::now();
    until = std::min(until, now + 1s);
    if (!run_.stays.empty()) until = std::min(until, run_.stays.front().until);
    readable_.wait(until, [&](std::size_t index) { receive(*clients_[index]); });
    now = Clock::now();
    if (now - heard_at_ > patience) fail("no answer");
    while (!run_.stays.empty() && run_.stays.front().until <= now) {
      Client& client = *run_.stays.front().client;
      run_.stays.pop_front();
      client.unlock();
    }
    if (now < next_look_) return;
    next_look_ = now + 1s;
    for (auto& client : clients_) {
      if (!client->is_closed()) client->keep_alive(now);
    }
  }

  void receive(Client& client) {
    heard_at_ = Clock::now();
    client.receive();
    if (!client.is_closed()) return;
    readable_.forget(client.socket());
    --open_;
  }

  Run run_;
  std::vector<Inside> inside_;
  peers::Readable readable_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::size_t open_ = 0;
  Clock::time_point heard_at_;
  Clock::time_point next_look_;
};

}  // namespace

int main(int argc, char** argv) {
  peers::LoadOptions options;
  options.peer = "zookeeper";
  baton::cli::Command app("zookeeper_locks", "Measures locks in ZooKeeper.");
  peers::add_load_options(app, options);
  bool by_hand = false;
  app.add_flag("--by-hand", by_hand, "a release tells who is next that it was the holder's");
  app.add_option("ENDPOINT", options.endpoint, "HOST:PORT").required();
  peers::parse(app, argc, argv);

  try {
    Load(options, by_hand).run().print(options.peer, options.seconds);
  } catch (const zookeeper::Malformed& error) {
    fail(error.what());
  }
}
