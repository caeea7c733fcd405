// Locks in Redis, to compare Baton's with: SET name token NX PX, and a script that deletes the name
// if it still holds the token, as Redis's documentation of distributed locks describes for one
// instance.
//
//   redis_locks [--clients C] [--seconds S] [--same-name] ENDPOINT
//
// ENDPOINT is HOST:PORT or the path of a Unix socket. The rules are in lock_load.h. Whether the
// server syncs is the server's business: run_locks starts it in both ways.
//
// It is meant to give Redis its best:
//
// - One thread and one epoll for all connections, as in redis-benchmark, so that the server has the
//   other core for itself. With 32 clients the server is busy all the time and this program is not.
// - hiredis formats and parses; nothing waits for a reply, as in its asynchronous interface. The
//   script is loaded once and called by its hash.
// - Each client is a connection of its own and has one command under way, because what it sends next
//   depends on the answer: there is nothing to send together with it. For all commands that have come
//   at once the server syncs once.
// - There is no queue in Redis: who finds the name taken tries again after a random time, which
//   --retry-us bounds; with one name the order is therefore not that of asking. An attempt that fails
//   is not written to the disk.
//
// What Redis could do better than this shows: with one name both commands of a pair wait for the disk
// one after the other. A script that hands the name to the next of a list of those who wait would
// write once for each hand-off, and keep their order, but is not the documented lock.
#include <hiredis/hiredis.h>

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <random>

#include "load_sockets.h"
#include "lock_load.h"

namespace {

using peers::Clock;

struct Close {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Context = std::unique_ptr<redisContext, Close>;
using Reply = std::unique_ptr<redisReply, Close>;

constexpr const char* compare_and_delete =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

// Far longer than a run: nothing expires here.
constexpr std::string_view lease_ms = "600000";

// It is read only when there is something to read.
Context connect(const std::string& endpoint) {
  redisContext* made = nullptr;
  if (endpoint.find('/') != std::string::npos) {
    made = redisConnectUnix(endpoint.c_str());
  } else {
    const auto colon = endpoint.rfind(':');
    int port = 0;
    if (colon != std::string::npos) {
      std::from_chars(endpoint.data() + colon + 1, endpoint.data() + endpoint.size(), port);
    }
    if (port == 0) peers::fail("redis_locks: ENDPOINT is HOST:PORT or the path of a socket");
    const std::string host = endpoint.substr(0, colon);
    made = redisConnect(host.c_str(), port);
  }
  if (made == nullptr) peers::fail("redis_locks: no memory for a connection");
  Context context(made);
  if (context->err != 0) peers::fail(fmt::format("redis_locks: {}: {}", endpoint, context->errstr));
  return context;
}

// Leaves the script with the server and returns the name by which it is called.
std::string load_script(const std::string& endpoint) {
  const Context context = connect(endpoint);
  const Reply reply(
      static_cast<redisReply*>(redisCommand(context.get(), "SCRIPT LOAD %s", compare_and_delete)));
  if (reply == nullptr) peers::fail(fmt::format("redis_locks: {}", context->errstr));
  if (reply->type != REDIS_REPLY_STRING) peers::fail("redis_locks: the script was refused");
  return {reply->str, reply->len};
}

struct Run {
  explicit Run(const peers::LoadOptions& options)
      : window(options), script(load_script(options.endpoint)) {}

  peers::Window window;
  peers::Figures figures;
  std::string script;
  std::minstd_rand random{1};
  double retry_us = 0;
};

class Client {
 public:
  Client(Run& run, const peers::LoadOptions& options, std::uint32_t self)
      : run_(run),
        context_(connect(options.endpoint)),
        name_(peers::lock_name(options, self)),
        self_(self) {}

  void begin(Clock::time_point now) {
    asked_at_ = now;
    token_ = fmt::format("{}-{}", self_, ++tokens_);
    ask();
  }

  int socket() const { return context_->fd; }
  std::optional<Clock::time_point> retry_at() const { return retry_at_; }
  // Holds nothing and has asked for nothing.
  bool idle() const { return !asked_ && !held_; }

  void retry_if_due(Clock::time_point now) {
    if (!retry_at_ || now < *retry_at_) return;
    retry_at_.reset();
    if (!run_.window.over(now)) ask();
  }

  void receive() {
    if (redisBufferRead(context_.get()) != REDIS_OK) fail();
    void* next = nullptr;
    while (redisGetReplyFromReader(context_.get(), &next) == REDIS_OK && next != nullptr) {
      upon_reply(*Reply(static_cast<redisReply*>(next)));
      next = nullptr;
    }
    if (context_->err != 0) fail();
  }

 private:
  [[noreturn]] void fail() { peers::fail(fmt::format("redis_locks: {}", context_->errstr)); }

  template <std::size_t words>
  void send(const std::array<std::string_view, words>& command) {
    std::array<const char*, words> text;
    std::array<std::size_t, words> length;
    for (std::size_t i = 0; i < words; ++i) {
      text[i] = command[i].data();
      length[i] = command[i].size();
    }
    if (redisAppendCommandArgv(context_.get(), words, text.data(), length.data()) != REDIS_OK) {
      fail();
    }
    for (int done = 0; done == 0;) {
      if (redisBufferWrite(context_.get(), &done) != REDIS_OK) fail();
    }
  }

  void ask() {
    asked_ = true;
    send(std::array<std::string_view, 6>{"SET", name_, token_, "NX", "PX", lease_ms});
  }
  void release() {
    send(std::array<std::string_view, 5>{"EVALSHA", run_.script, "1", name_, token_});
  }

  void upon_reply(const redisReply& reply) {
    const auto now = Clock::now();
    if (reply.type == REDIS_REPLY_ERROR) peers::fail(fmt::format("redis_locks: {}", reply.str));
    asked_ = false;
    if (held_) {
      upon_release(reply, now);
    } else if (reply.type == REDIS_REPLY_NIL) {
      std::uniform_real_distribution<double> delay(0, run_.retry_us / 1e6);
      retry_at_ = now + peers::duration(delay(run_.random));
    } else {
      held_ = true;
      latency_ = now - asked_at_;
      release();
    }
  }

  // The name still held this client's token, which no other has: nobody had the lock in between.
  void upon_release(const redisReply& reply, Clock::time_point now) {
    if (reply.type != REDIS_REPLY_INTEGER || reply.integer != 1) {
      peers::fail("redis_locks: a lock was lost while it was held");
    }
    held_ = false;
    if (run_.window.counts(now)) run_.figures.count(latency_);
    if (!run_.window.over(now)) begin(now);
  }

  Run& run_;
  Context context_;
  std::string name_;
  std::string token_;
  std::uint64_t tokens_ = 0;
  std::uint32_t self_;
  bool asked_ = false;
  bool held_ = false;
  Clock::time_point asked_at_;
  Clock::duration latency_{};
  std::optional<Clock::time_point> retry_at_;
};

class Load {
 public:
  Load(const peers::LoadOptions& options, double retry_us) : run_(options) {
    run_.retry_us = retry_us;
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      clients_.push_back(std::make_unique<Client>(run_, options, i));
      readable_.watch(clients_.back()->socket(), i);
    }
  }

  peers::Figures run() {
    for (auto& client : clients_) client->begin(Clock::now());
    while (!run_.window.over(Clock::now())) step(run_.window.end());
    give_back();
    return std::move(run_.figures);
  }

 private:
  void step(Clock::time_point until) {
    for (const auto& client : clients_) until = std::min(until, client->retry_at().value_or(until));
    readable_.wait(until, [&](std::size_t index) { clients_[index]->receive(); });
    const auto now = Clock::now();
    for (auto& client : clients_) client->retry_if_due(now);
  }

  // Waits for the answers that are under way, so that no lock stays held for the next run.
  void give_back() {
    const auto until = run_.window.end() + std::chrono::seconds(10);
    const auto idle = [](const auto& client) { return client->idle(); };
    while (!std::all_of(clients_.begin(), clients_.end(), idle)) {
      if (Clock::now() >= until) peers::fail("redis_locks: no answer for 10 s");
      step(until);
    }
  }

  Run run_;
  peers::Readable readable_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace

int main(int argc, char** argv) {
  peers::LoadOptions options;
  options.peer = "redis";
  double retry_us = 500;
  baton::cli::Command app("redis_locks", "Measures locks in Redis.");
  peers::add_load_options(app, options);
  app.add_option("--retry-us", retry_us, "try again after a random time below this")
      .between(0.0, 1e6);
  app.add_option("ENDPOINT", options.endpoint, "HOST:PORT or the path of a socket").required();
  peers::parse(app, argc, argv);

  Load(options, retry_us).run().print(options.peer, options.seconds);
}
