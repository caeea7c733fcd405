// Random commands of a few sessions for a few names, judged after each by the oracle.
//
// What it is known to catch, each tried by breaking the code in this way: an exclusive request, a
// reader or a slot granted before an earlier request; one slot too many; an upgrade beside other
// readers, or under its old fence; a fence for each reader; nobody woken by a release, a given-up
// request or a downgrade; a second request of an owner not let in with its first; cycles not looked
// for through requests ahead, through sessions within, after a release, after a cancel or at an
// upgrade that need not wait; slots taken for locks in the search; a retry that is carried out; an
// image without re-entries or without ends of holds. (tests/service/state/crash_test.cpp does the same
// for what follows a crash.)
#include <gtest/gtest.h>

#include <random>

#include "service/state/oracle.h"
#include "service/state/world.h"
#include "support/seeds.h"

namespace baton::service {
namespace {

class Campaign {
 public:
  explicit Campaign(std::uint64_t seed, bool all_confirm = true)
      : random_(seed), all_confirm_(all_confirm), despite_(one_in(3)) {
    send({.what = Lead{.fences_from = {1000}}});
    send({.what = Reserve{.below = {1'000'000'000}}});
  }

  // What went wrong, or nothing.
  std::string run(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    while (!open_.empty() && wrong_.empty()) close(open_.begin()->first);
    if (wrong_.empty() && !oracle_.is_all_answered()) wrong_ = "some were never answered";
    if (wrong_.empty()) replay();
    return wrong_;
  }

  const Oracle& oracle() const { return oracle_; }

  // Who holds and who waits, for whoever has to find out.
  std::string situation() const {
    std::string text = "after a command of kind " + std::to_string(commands_.back().what.index()) +
                       " of session " + std::to_string(commands_.back().session.value) + "\n";
    const auto party = [](const Party& p) {
      return std::to_string(p.session.value) + "." + std::to_string(p.owner.value);
    };
    const auto mode = [](Mode m) { return m == Mode::shared ? "s" : "x"; };
    for (const Namespace space : {Namespace::lock, Namespace::election})
      for (const auto& lock : state_.locks(space)) {
        text += (space == Namespace::election ? "election " : "") + lock.name + ": held by";
        for (const auto& holder : lock.holders)
          text += " " + party(holder.party) + mode(holder.terms.mode) +
                  (holder.is_over() ? "(over)" : "");
        text += ", waited for by";
        for (const auto& waiter : lock.queue)
          text += " " + party(waiter.party) + mode(waiter.mode()) + "#" +
                  std::to_string(waiter.id.value) + (waiter.upgrade ? "(upgrade)" : "");
        text += "\n";
      }
    for (const auto& session : state_.sessions())
      if (session.terms.within != no_session)
        text += std::to_string(session.id.value) + " is within " +
                std::to_string(session.terms.within.value) + "\n";
    return text;
  }

 private:
  struct Client {
    bool confirms = true;
    std::uint64_t requests = 0;
    std::vector<Command> sent;
  };

  bool one_in(std::uint64_t n) { return pick(n) == 0; }
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  std::uint32_t under(std::uint32_t n) { return static_cast<std::uint32_t>(pick(n)); }

  // What is due comes first, by itself: a grant that the command takes away at once could not be
  // seen by the oracle.
  void send(Command command) {
    now_ = now_ + Duration{static_cast<std::int64_t>(pick(3) * 100'000)};
    if (const auto due = state_.next_due(); due && *due <= now_) apply({.what = Tick{}});
    apply(std::move(command));
  }

  void apply(Command command) {
    command.now = now_;
    Effects effects;
    state_.apply(command, effects);
    commands_.push_back(command);
    if (twin_) {
      Effects others;
      twin_->apply(command, others);
      if (others != effects) wrong_ = "a restored state does otherwise";
    }
    for (const auto& effect : effects) {
      all_.push_back(effect);
      if (const auto* reply = std::get_if<Reply>(&effect))
        if (const auto* opened = std::get_if<Opened>(&reply->result))
          open_[opened->session].confirms =
              state_.session(opened->session)->terms.latest_answers == 0;
      if (const auto* over = std::get_if<HoldOver>(&effect)) told_.push_back(*over);
    }
    if (wrong_.empty()) wrong_ = oracle_.judge(command, effects, state_);
    for (auto at = open_.begin(); at != open_.end();)
      at = state_.session(at->first) ? std::next(at) : open_.erase(at);
  }

  template <class What>
  void ask(SessionId session, What what) {
    Client& client = open_[session];
    Command command{.session = session, .request = {++client.requests}, .what = std::move(what)};
    if (!client.confirms && one_in(4)) command.request.value += first_unrepeated.value;
    client.sent.push_back(command);
    send(std::move(command));
  }

  void close(SessionId session) { ask(session, CloseSession{}); }

  std::string name() { return std::string(1, static_cast<char>('a' + pick(4))); }
  OwnerId owner() { return {pick(2)}; }
  Duration duration() { return {static_cast<std::int64_t>(pick(20) * 500'000)}; }
  SessionId someone() {
    return std::next(open_.begin(), static_cast<std::ptrdiff_t>(pick(open_.size())))->first;
  }

  void step() {
    if (one_in(40)) twin_.emplace(state_.image());
    if (twin_ && one_in(10) && twin_->image() != state_.image())
      wrong_ = "a restored state is another";
    if (open_.size() < 2 || (open_.size() < 6 && one_in(20))) return open();
    const SessionId session = someone();
    switch (pick(20)) {
      default:
        return acquire(session);
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        return release();
      case 6:
        return ask(session, Downgrade{.name = name(), .owner = owner()});
      case 7:
        return upgrade();
      case 8:
        return operate(session);
      case 9:
        return repeat(session);
      case 10:
        return cancel(session);
      case 11:
        return files(session);
    }
  }

  void open() {
    const SessionId within = !open_.empty() && one_in(4) ? someone() : no_session;
    send({.request = {1},
          .what = OpenSession{.nonce = std::to_string(++nonces_),
                              .ttl = seconds(1 + static_cast<std::int64_t>(pick(3))),
                              .lock_delay = one_in(2) ? Duration{} : duration(),
                              .within = within,
                              .latest_answers = !all_confirm_ && one_in(3) ? 1 + under(5) : 0}});
  }

  void acquire(SessionId session) {
    Acquire acquire{.names = {name()}, .owner = owner()};
    while (one_in(3)) {
      const std::string another = name();
      if (std::find(acquire.names.begin(), acquire.names.end(), another) == acquire.names.end())
        acquire.names.push_back(another);
    }
    if (one_in(3)) {
      acquire.terms.hold.mode = Mode::shared;
    } else if (one_in(4)) {
      acquire.terms.slots = 2;
      for (auto& one : acquire.names) one += "2";
    } else if (one_in(8)) {
      acquire.space = Namespace::election;
      acquire.terms.hold.value = std::to_string(pick(100));
    }
    if (one_in(4)) acquire.wait = duration();
    if (one_in(6)) acquire.wait = Duration{0};
    if (one_in(6)) acquire.terms.hold.max_hold = duration();
    acquire.terms.despite_deadlock = despite_ && one_in(5);
    ask(session, acquire);
  }

  // Of what is really held, or there would be few.
  std::optional<std::pair<LockInfo, Hold>> some_hold() {
    std::vector<std::pair<LockInfo, Hold>> holds;
    for (const Namespace space : {Namespace::lock, Namespace::election})
      for (const auto& lock : state_.locks(space))
        for (const auto& holder : lock.holders)
          if (!holder.expired) holds.emplace_back(lock, holder);
    if (holds.empty()) return std::nullopt;
    return holds[pick(holds.size())];
  }

  void release() {
    const auto hold = some_hold();
    if (!hold) return;
    const auto& [lock, holder] = *hold;
    ask(holder.party.session,
        Release{.space = lock.space, .names = {lock.name}, .owner = holder.party.owner});
  }

  void upgrade() {
    const auto hold = some_hold();
    if (!hold || hold->first.space != Namespace::lock) return;
    const auto& [lock, holder] = *hold;
    Upgrade upgrade{.name = lock.name, .owner = holder.party.owner};
    if (one_in(4)) upgrade.wait = duration();
    upgrade.despite_deadlock = despite_ && one_in(5);
    ask(holder.party.session, upgrade);
  }

  void operate(SessionId session) {
    switch (pick(7)) {
      case 0:
        return send({.what = ExpireSession{session}});
      case 1:
        return close(session);
      case 2:
        return send({.request = {1}, .what = BreakSession{session, one_in(3)}});
      case 3: {
        const auto hold = some_hold();
        if (!hold) return;
        return send(
            {.request = {1}, .what = Break{hold->first.space, hold->first.name, one_in(3)}});
      }
      case 4: {
        if (told_.empty()) return;
        const HoldOver over = told_[pick(told_.size())];
        if (!open_.contains(over.session)) return;
        return ask(over.session, Acknowledge{over.space, over.name, over.owner, over.fence});
      }
      default:
        now_ = now_ + duration();
        return send({.what = Tick{}});
    }
  }

  void repeat(SessionId session) {
    const auto& sent = open_[session].sent;
    if (!sent.empty()) send(sent[pick(sent.size())]);
  }

  void cancel(SessionId session) {
    for (const Namespace space : {Namespace::lock, Namespace::election})
      for (const auto& lock : state_.locks(space))
        for (const auto& waiter : lock.queue)
          if (waiter.party.session == session) return ask(session, Cancel{waiter.id});
  }

  void files(SessionId session) {
    if (one_in(3)) return ask(session, Remove{.key = name()});
    ask(session, Put{.key = name(), .value = name(), .tied = one_in(2)});
  }

  // The same commands make the same state and have the same effects.
  void replay() {
    State again;
    Effects effects;
    for (const auto& command : commands_) again.apply(command, effects);
    if (again.image() != state_.image()) wrong_ = "a replay made another state";
    if (effects != all_) wrong_ = "a replay had other effects";
    if (!state_.locks(Namespace::lock).empty() && !state_.next_due())
      wrong_ = "locks are left without sessions";
  }

  std::mt19937_64 random_;
  bool all_confirm_;  // the answers that they got
  bool despite_;
  State state_;
  std::optional<State> twin_;
  Oracle oracle_;
  Time now_{1};
  std::map<SessionId, Client> open_;
  std::vector<HoldOver> told_;
  std::vector<Command> commands_;
  Effects all_;
  std::uint64_t nonces_ = 0;
  std::string wrong_;
};

TEST(Campaign, TheOracleFindsNothingWrong) {
  int grants = 0;
  int deadlocks = 0;
  int waits = 0;
  const std::uint64_t first = test::from_environment("BATON_FIRST_SEED", 1);
  const std::uint64_t count = test::from_environment("BATON_SEEDS", 3000);
  for (std::uint64_t seed = first; seed != first + count; ++seed) {
    Campaign campaign(seed);
    ASSERT_EQ(campaign.run(90), "") << "seed " << seed << ", " << campaign.situation();
    grants += campaign.oracle().grants;
    deadlocks += campaign.oracle().deadlocks;
    waits += campaign.oracle().waits;
  }
  // The campaign is worth nothing if nothing happens in it.
  EXPECT_GT(grants, 30'000);
  EXPECT_GT(waits, 15'000);
  EXPECT_GT(deadlocks, 3'000);
}

TEST(Campaign, TheOracleFindsNothingWrongWithSessionsThatDoNotConfirm) {
  int forgotten = 0;
  int taken_back = 0;
  const std::uint64_t first = test::from_environment("BATON_FIRST_SEED", 1);
  const std::uint64_t count = test::from_environment("BATON_SEEDS", 3000);
  for (std::uint64_t seed = first; seed != first + count; ++seed) {
    Campaign campaign(seed, false);
    ASSERT_EQ(campaign.run(90), "") << "seed " << seed << ", " << campaign.situation();
    forgotten += campaign.oracle().forgotten;
    taken_back += campaign.oracle().taken_back;
  }
  EXPECT_GT(forgotten, 3'000);
  EXPECT_GT(taken_back, 10);
}

}  // namespace
}  // namespace baton::service
