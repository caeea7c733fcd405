// A server that crashes and loses the end of its journal, or keeps it and loses its answers, and
// clients that know only what they were told. What must hold is judged by what clients believe.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "service/state/world.h"
#include "support/seeds.h"

namespace baton::service {
namespace {

struct Belief {
  std::string name;
  OwnerId owner;
  FencingToken fence;
  Mode mode{};
  std::uint32_t slots = 1;
  std::uint32_t slot = 0;
};

struct Client {
  SessionId id;
  bool fast = false;
  std::uint64_t requests = 0;
  std::map<RequestId, Command> unanswered;
  std::map<RequestId, std::uint64_t> tickets;
  std::map<OwnerId, Belief> held;
};

class CrashingServer {
 public:
  explicit CrashingServer(std::uint64_t seed) : random_(seed) {
    apply({.what = Lead{.fences_from = {1000}}});
    apply({.what = Reserve{.below = {2000}}});
    for (std::uint64_t i = 1; i <= 5; ++i) {
      apply({.request = {1},
             .what = OpenSession{.nonce = std::to_string(i), .ttl = seconds(5), .fast = i <= 3}});
      clients_.push_back({.id = {i}, .fast = i <= 3});
    }
    flush();
  }

  std::string run(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    flush();
    for (int i = 0; i < 200 && wrong_.empty() && !is_idle(); ++i) wind_up();
    if (wrong_.empty() && !is_idle()) wrong_ = "some never got what they waited for";
    if (wrong_.empty() && state_.lock_count() > 0) wrong_ = "something is held by nobody";
    return wrong_;
  }

  int crashes = 0;
  int reclaimed = 0;

 private:
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return pick(n) == 0; }

  // Replies of the fast grade are told at once, all else when the journal has the command.
  void apply(Command command) {
    command.now = now_;
    Effects effects;
    state_.apply(command, effects);
    for (const auto& effect : effects) {
      const auto* reply = std::get_if<Reply>(&effect);
      if (reply != nullptr && reply->fast)
        tell(effect);
      else
        untold_.push_back(effect);
    }
  }

  void flush() {
    durable_ = state_.image();
    const Effects effects = std::exchange(untold_, {});
    for (const auto& effect : effects) tell(effect);
    if (wrong_.empty() && !state_.is_recovering()) judge_quiet();
  }

  void tell(const Effect& effect) {
    if (const auto* queued = std::get_if<Queued>(&effect))
      client(queued->session).tickets[queued->request] = queued->ticket;
    if (const auto* over = std::get_if<HoldOver>(&effect))
      if (client(over->session).held.erase(over->owner) > 0) wrong_ = "a hold was lost";
    if (const auto* reply = std::get_if<Reply>(&effect); reply && reply->session != no_session)
      tell(client(reply->session), *reply);
  }

  void tell(Client& client, const Reply& reply) {
    const auto found = client.unanswered.find(reply.request);
    if (found == client.unanswered.end()) return;  // told before the crash
    const auto* acquire = std::get_if<Acquire>(&found->second.what);
    const auto* granted = std::get_if<Grant>(&reply.result);
    if (acquire != nullptr && granted != nullptr)
      believe(client, {acquire->names[0], acquire->owner, granted->fence, acquire->terms.hold.mode,
                       acquire->terms.slots, granted->slot});
    client.tickets.erase(reply.request);
    client.unanswered.erase(found);
  }

  void believe(Client& client, const Belief& belief) {
    for (const auto& other : clients_)
      for (const auto& [owner, held] : other.held)
        if (held.name == belief.name &&
            !(held.mode == Mode::shared && belief.mode == Mode::shared) &&
            (held.slots == 1 || held.slot == belief.slot))
          wrong_ = "two believe that they hold '" + belief.name + "'";
    auto& highest = highest_[{belief.name, belief.slot}];
    if (belief.fence < highest || (belief.fence == highest && belief.mode == Mode::exclusive))
      wrong_ = "a fence went back";
    highest = std::max(highest, belief.fence);
    client.held[belief.owner] = belief;
  }

  // All is told: the clients believe what the server says, and it still knows what they asked.
  void judge_quiet() {
    std::size_t believed = 0;
    for (const auto& client : clients_)
      for (const auto& [owner, held] : client.held) {
        ++believed;
        bool is_held = false;
        if (const auto lock = state_.lock(Namespace::lock, held.name))
          for (const auto& holder : lock->holders)
            is_held = is_held || (holder.party == Party{client.id, owner} &&
                                  holder.fence == held.fence && holder.terms.mode == held.mode);
        if (!is_held) wrong_ = "'" + held.name + "' was lost";
      }
    std::size_t held = 0;
    for (const auto& session : state_.sessions()) held += session.holds;
    if (held != believed) wrong_ = "a holder does not know that it is one";
    std::size_t unanswered = 0;
    for (const auto& client : clients_) unanswered += client.unanswered.size();
    if (state_.waiting_count() != unanswered) wrong_ = "one waits that should not, or does not";
  }

  Client& client(SessionId id) { return clients_.at(id.value - 1); }

  template <class What>
  void ask(Client& client, What what) {
    Command command{.session = client.id, .request = {++client.requests}, .what = std::move(what)};
    command.confirmed =
        client.unanswered.empty() ? command.request : client.unanswered.begin()->first;
    client.unanswered[command.request] = command;
    apply(command);
  }

  void step() {
    now_ = now_ + Duration{1000};
    Client& client = clients_[pick(clients_.size())];
    switch (pick(12)) {
      case 0:
        return crash();
      case 1:
      case 2:
        return flush();
      case 3:
      case 4:
      case 5:
      case 6:
        return release(client);
      default:
        return acquire(client);
    }
  }

  // Each under an owner of its own.
  void acquire(Client& client) {
    Acquire acquire{.names = {std::string(1, static_cast<char>('a' + pick(3)))},
                    .owner = {client.requests + 1},
                    .terms = {.fast = client.fast && !one_in(3), .despite_deadlock = true}};
    if (one_in(3)) acquire.terms.hold.mode = Mode::shared;
    if (acquire.terms.hold.mode == Mode::exclusive && one_in(3)) {
      acquire.terms.slots = 2;
      acquire.names[0] += "2";
    }
    ask(client, acquire);
  }

  // From then on it does not use it any more.
  void release(Client& client) {
    if (client.held.empty()) return;
    const auto at =
        std::next(client.held.begin(), static_cast<std::ptrdiff_t>(pick(client.held.size())));
    const Belief belief = at->second;
    client.held.erase(at);
    ask(client, Release{.names = {belief.name}, .owner = belief.owner});
  }

  void crash() {
    ++crashes;
    if (one_in(3)) durable_ = state_.image();  // the journal had it, but nobody was told
    untold_.clear();
    state_ = State(durable_);
    apply({.what = Lead{.fences_from = state_.reserve(), .after_crash = true}});
    apply({.what = Reserve{.below = {state_.next_fence().value + 1000}}});
    durable_ = state_.image();
    if (one_in(2))
      for (auto& client : clients_) retry(client);
    std::vector<std::size_t> order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t i : order) report(clients_[i]);
    if (state_.is_recovering()) wrong_ = "it waits for somebody still";
    for (auto& client : clients_) retry(client);
    flush();
  }

  void retry(Client& client) {
    if (client.fast && state_.is_recovering()) return;  // it reports first
    const auto unanswered = client.unanswered;
    for (const auto& [request, command] : unanswered) apply(command);
  }

  void report(Client& client) {
    Reclaim reclaim;
    for (const auto& [owner, held] : client.held) {
      ++reclaimed;
      reclaim.held.push_back({.name = held.name,
                              .slots = held.slots,
                              .hold = {.party = {client.id, owner},
                                       .terms = {.mode = held.mode},
                                       .slot = held.slot,
                                       .fence = held.fence}});
    }
    for (const auto& [request, command] : client.unanswered)
      if (const auto* acquire = std::get_if<Acquire>(&command.what))
        reclaim.waiting.push_back({request, client.tickets[request], *acquire});
    apply({.session = client.id, .what = reclaim});
  }

  bool is_idle() const {
    return std::all_of(clients_.begin(), clients_.end(), [](const Client& client) {
      return client.unanswered.empty() && client.held.empty();
    });
  }

  void wind_up() {
    for (auto& client : clients_)
      while (!client.held.empty()) release(client);
    flush();
  }

  std::mt19937_64 random_;
  State state_;
  StateImage durable_;
  Effects untold_;
  std::vector<Client> clients_;
  std::map<std::pair<std::string, std::uint32_t>, FencingToken> highest_;  // of each slot
  Time now_{1};
  std::string wrong_;
};

TEST(Crash, ClientsNeverContradictEachOther) {
  int crashes = 0;
  int reclaimed = 0;
  const std::uint64_t first = test::from_environment("BATON_FIRST_SEED", 1);
  const std::uint64_t count = test::from_environment("BATON_SEEDS", 1500);
  for (std::uint64_t seed = first; seed != first + count; ++seed) {
    CrashingServer server(seed);
    ASSERT_EQ(server.run(80), "") << "seed " << seed;
    crashes += server.crashes;
    reclaimed += server.reclaimed;
  }
  EXPECT_GT(crashes, 5'000);
  EXPECT_GT(reclaimed, 5'000);
}

}  // namespace
}  // namespace baton::service
