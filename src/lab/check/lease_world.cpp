#include "lab/check/lease_world.h"

#include <algorithm>
#include <stdexcept>

#include "lab/check/lease_terms.h"
#include "lab/check/lease_turn.h"

namespace baton::check {

using namespace lease_terms;
using service::Epoch;
using service::LeaseClient;
using service::LeaseRule;
using service::LeaseServer;
using service::Time;

LeaseWorld::LeaseWorld(const LeaseBounds& bounds)
    : bounds_(bounds),
      client_("", terms, false, bounds.omitted),
      server_(Epoch{}, now, longest_turn, bounds.omitted),
      proof_(proof_terms, bounds.omitted) {}

LeaseClient& LeaseWorld::client(const State& state, std::size_t i) {
  client_.assume(state.client[i].lease);
  return client_;
}

LeaseServer& LeaseWorld::server(const State& state, std::size_t k) {
  server_.assume(state.server[k].lease);
  return server_;
}

bool LeaseWorld::has_proof(const State& state, std::size_t k) {
  if (!state.is_contested(k)) return true;
  proof_.assume(state.server[k].proof);
  return proof_.holds(now);
}

bool LeaseWorld::answers(const State& state, std::size_t k) {
  const Server& s = state.server[k];
  if (s.stopping && !omits(LeaseRule::farewell_last)) return false;
  return s.leads() && has_proof(state, k);
}

LeaseWorld::State LeaseWorld::first(bool fast_first, bool fast_second) {
  State state;
  state.faults_left = static_cast<Number>(bounds_.faults);
  state.cuts_left = static_cast<Number>(bounds_.cuts);
  state.lates_left = static_cast<Number>(bounds_.late);
  state.crashes_left = static_cast<Number>(bounds_.crashes);
  state.pauses_left = static_cast<Number>(bounds_.pauses);
  state.drifts_left = static_cast<Number>(bounds_.drifts);
  state.takeovers_left = static_cast<Number>(bounds_.servers > 1 ? bounds_.takeovers : 0);
  state.partings_left = state.takeovers_left;
  state.servers = static_cast<Number>(bounds_.servers);
  state.durable.epoch = 1;
  state.durable.reserve = 1 + reserved_at_once;
  LeaseServer lease(Epoch{1}, now, longest_turn, bounds_.omitted);
  for (std::size_t i = 0; i < clients; ++i) {
    Client& c = state.client[i];
    c.fast = i == 0 ? fast_first : fast_second;
    state.durable.alive[i] = true;
    // The session has just been opened.
    lease.open(now, session_of(i), terms.ttl);
    LeaseClient opened("", terms, c.fast);
    opened.connected(now);
    opened.receive(now, service::Welcome{Epoch{1}, "", session_of(i), now});
    c.lease = opened.state();
  }
  Server& leader = state.server[0];
  leader.lease = lease.state();
  leader.kept = state.durable;
  state.leader = 1;
  state.missed = omits(LeaseRule::read_up_to_key) ? state.durable : Kept{};
  service::LeaderProof proof(proof_terms);
  proof.begin(now, now);
  leader.proof = proof.state();
  state.key_until = now + proof_terms.ttl;
  tidy(state);
  return state;
}

// --- What may happen ----------------------------------------------------------------------------

bool LeaseWorld::is_due(const State& state, std::size_t i) {
  if (state.client[i].paused) return false;
  const auto wake = client(state, i).next_wake();
  return wake && *wake <= now;
}

// True if everything that is due in this unit has been done.
bool LeaseWorld::may_pass(const State& state) {
  for (std::size_t i = 0; i < clients; ++i) {
    const Server& s = state.server[state.client[i].server];
    if (is_due(state, i)) return false;
    if (!state.client[i].paused && !state.to_client[i].empty()) return false;
    if (s.runs() && !state.to_server[i].empty()) return false;
  }
  for (std::size_t k = 0; k < state.servers; ++k) {
    const Server& s = state.server[k];
    if (!s.leads()) continue;
    if (s.paused && s.paused_for >= longest_pause) return false;
    if (s.paused) continue;
    if (!s.turned || !(s.journal.empty() || s.cut_off)) return false;
  }
  // The successor waits no longer than it must.
  const bool may_lead = state.leader == 0 || state.key_until <= now;
  return state.takeovers_left == 0 || !may_lead;
}

// True if a takeover is over: no message of the old leader is left, the new leader knows everything
// that it should, and nothing is under way. The rest would be the world of one server.
bool LeaseWorld::is_settled(const State& state) {
  constexpr std::size_t successor = 1;
  const Server& s = state.server[successor];
  if (state.leader != successor + 1 || state.server[0].leads()) return false;
  if (!state.late.empty() || !state.under_way.empty() || s.paused || !may_pass(state)) return false;
  for (const auto& lease : s.lease.leases) {
    if (lease.unreported) return false;
  }
  for (std::size_t i = 0; i < clients; ++i) {
    const Client& c = state.client[i];
    if (c.stage == Stage::over && !omits(LeaseRule::final_loss)) continue;
    if (c.cut_off && c.lease.phase == LeaseClient::Phase::doubt) continue;
    const bool listens = !c.paused && !c.cut_off && !c.refused && c.server == successor;
    if (!listens || c.lease.epoch != s.lease.epoch) return false;
  }
  return true;
}

namespace {

// True if the client hears so little from its server that it should try the other.
bool may_move(const LeaseWorld::State& state, std::size_t i) {
  const LeaseWorld::Client& c = state.client[i];
  const bool in_jeopardy =
      c.lease.phase == LeaseClient::Phase::jeopardy || c.lease.phase == LeaseClient::Phase::doubt;
  return state.servers > 1 && in_jeopardy && !state.server[c.server].runs() && !c.cut_off;
}

bool has(const LeaseWorld::State& state, Number budget) {
  return budget > 0 && state.faults_left > 0;
}

class Steps {
 public:
  explicit Steps(std::vector<LeaseWorld::Step>& steps) : steps_(steps) {}

  void add(LeaseWorld::Action action, std::size_t which = 0, std::size_t how = 0) {
    steps_.push_back({action, static_cast<Number>(which), static_cast<Number>(how)});
  }

 private:
  std::vector<LeaseWorld::Step>& steps_;
};

}  // namespace

void LeaseWorld::possible(const State& state, std::vector<Step>& steps) {
  if (is_settled(state)) return;
  for (std::size_t i = 0; i < clients; ++i) add_of_client(state, i, steps);
  for (std::size_t at = 0; at < state.late.size; ++at) {
    const Late& late = state.late.items[at];
    const Server& s = state.server[late.server];
    const bool arrives = late.to_server ? s.runs() && s.leads() : !state.client[late.client].paused;
    if (arrives) Steps(steps).add(Action::late_arrives, at);
  }
  for (std::size_t k = 0; k < state.servers; ++k) add_of_server(state, k, steps);
  add_of_takeover(state, steps);
  if (may_pass(state)) add_of_time(state, steps);
}

void LeaseWorld::add_of_client(const State& state, std::size_t i, std::vector<Step>& steps) {
  using enum Action;
  Steps to(steps);
  const Client& c = state.client[i];
  const Server& s = state.server[c.server];
  const bool several = state.servers > 1;
  const bool may_be_late = has(state, state.lates_left);
  if (c.paused) {
    to.add(client_resumes, i);
  } else {
    // Messages under way come first.
    const bool prompt = state.to_client[i].empty() && (!s.runs() || state.to_server[i].empty());
    if (is_due(state, i) && prompt) {
      to.add(client_wakes, i);
      if (may_be_late && s.runs() && !c.cut_off) {
        to.add(client_wakes_in_vain, i);
        to.add(client_wakes_unanswered, i);
      }
      if (may_move(state, i)) to.add(client_moves, i);
    }
    const bool may_ask = c.stage == Stage::idle && c.request < 2 * bounds_.requests;
    if (may_ask && client(state, i).has_lease(now)) to.add(client_asks, i);
    if (c.stage == Stage::holding) to.add(client_releases, i);
    if (!state.to_client[i].empty()) to.add(to_client, i);
    const bool may_pause = has(state, state.pauses_left) && c.stage != Stage::over;
    if (may_pause && !several) to.add(client_pauses, i);
    const bool may_break = has(state, state.cuts_left) && c.stage != Stage::over && s.up;
    if (may_break && (!several || !c.cut_off)) to.add(connection_breaks, i);
    for (std::size_t k = 0; c.cut_off && k < state.servers; ++k) {
      to.add(connection_returns, i, k);
      if (several && may_be_late && state.server[k].runs())
        to.add(connection_returns_in_vain, i, k);
    }
  }
  if (!state.to_client[i].empty() && may_be_late) to.add(to_client_late, i);
  if (!state.to_server[i].empty()) {
    if (s.runs()) to.add(to_server, i);
    if (may_be_late) to.add(to_server_late, i);
  }
}

void LeaseWorld::add_of_server(const State& state, std::size_t k, std::vector<Step>& steps) {
  using enum Action;
  Steps to(steps);
  const Server& s = state.server[k];
  if (!s.up && state.servers == 1) to.add(server_starts, k);
  if (!s.leads()) return;
  const bool several = state.servers > 1;
  const bool is_at_stake = !several || (state.leader == k + 1 && state.takeovers_left > 0);
  if (!s.paused) {
    if (!s.turned) {
      to.add(server_turns, k);
      const bool renews = several && is_at_stake && !s.cut_off;
      if (renews && has(state, state.lates_left)) to.add(server_turns_unanswered, k);
    }
    if (!s.journal.empty() && !s.cut_off) to.add(journal_writes, k);
    // The world of one server covers the pause of a leader without a rival.
    const bool may_pause = !several || (!s.cut_off && state.server[0].leads());
    if (may_pause && has(state, state.pauses_left)) to.add(server_pauses, k);
    if (several && is_at_stake && state.partings_left > 0) to.add(store_breaks, k);
    // Before its proof ends nobody would notice the pause; afterwards it is as bad as a fault.
    const bool is_in_time = !has_proof(state, k) && state.faults_left > 0;
    if (s.cut_off && (state.leader != k + 1 || is_in_time)) to.add(store_returns, k);
  }
  if (is_at_stake && !s.cut_off && has(state, state.crashes_left)) {
    to.add(server_crashes, k);
    if (!s.paused && !s.cut_off && s.journal.empty()) to.add(server_stops, k);
  }
  for (std::size_t order = 0; s.paused && order <= clients; ++order) {
    to.add(server_resumes, k, order);
  }
}

void LeaseWorld::add_of_takeover(const State& state, std::vector<Step>& steps) {
  using enum Action;
  if (!state.under_way.empty()) Steps(steps).add(append_arrives);
  if (state.takeovers_left == 0) return;
  const bool early = state.leader != 0 && now < state.key_until;
  for (std::size_t missing = 0; missing < (omits(LeaseRule::read_up_to_key) ? 2 : 1); ++missing) {
    Steps(steps).add(early ? early_takeover : takeover, 1, missing);
  }
}

void LeaseWorld::add_of_time(const State& state, std::vector<Step>& steps) {
  using enum Action;
  Steps to(steps);
  to.add(time_passes);
  if (!has(state, state.drifts_left)) return;
  const auto may_drift = [&](std::size_t clock) {
    if (clock < clients || state.servers == 1) return clock <= clients;
    if (clock == store_clock) return state.takeovers_left > 0;
    return state.server[clock - clients].leads();
  };
  for (std::size_t clock = 0; clock < clocks; ++clock) {
    if (!may_drift(clock)) continue;
    to.add(clock_stands, clock);
    to.add(clock_leaps, clock);
  }
}

// --- What then happens --------------------------------------------------------------------------

void LeaseWorld::take(const Step& step, State& state) {
  state.broken = 0;
  state.shown = 0;
  do_step(step, state);
  tidy(state);
}

void LeaseWorld::make_late(State& state, std::size_t i, bool to_server) {
  auto& channel = to_server ? state.to_server[i] : state.to_client[i];
  state.late.add({channel.take(0), static_cast<Number>(i), state.client[i].server, to_server});
  state.client[i].harmed = true;
  --state.lates_left;
  --state.faults_left;
}

void LeaseWorld::do_step(const Step& step, State& state) {
  using enum Action;
  std::array<Number, clocks> units;
  units.fill(1);
  switch (step.action) {
    case clock_stands:
    case clock_leaps:
      units[step.which] = step.action == clock_leaps ? 2 : 0;
      --state.drifts_left;
      --state.faults_left;
      [[fallthrough]];
    case time_passes:
      return pass(state, units);
    case late_arrives: {
      const Late late = state.late.take(step.which);
      Turn turn(*this, state);
      if (late.packet.kind == Packet::Kind::renewed) return turn.renewed(late.server, late.packet);
      return late.to_server ? turn.deliver_to_server(late.server, late.client, late.packet, true)
                            : turn.deliver_to_client(late.client, late.packet);
    }
    default:
      return step.action < server_turns ? do_of_client(step, state) : do_of_server(step, state);
  }
}

void LeaseWorld::do_of_client(const Step& step, State& state) {
  using enum Action;
  const bool in_vain =
      step.action == client_wakes_in_vain || step.action == connection_returns_in_vain;
  Turn turn(*this, state,
            in_vain                                  ? Turn::Lateness::question
            : step.action == client_wakes_unanswered ? Turn::Lateness::answer
                                                     : Turn::Lateness::none);
  const std::size_t i = step.which;
  Client& c = state.client[i];
  const auto spend = [&](Number& budget) {
    --budget;
    --state.faults_left;
    c.harmed = true;
  };
  switch (step.action) {
    case client_wakes:
    case client_wakes_in_vain:
    case client_wakes_unanswered:
      return turn.wake(i);
    case client_asks:
    case client_releases:
      return turn.ask(i);
    case client_pauses:
      c.paused = true;
      return spend(state.pauses_left);
    case client_resumes:
      c.paused = false;
      return turn.connect(i);
    case client_moves:
      return turn.move(i, 1U - c.server);
    case connection_breaks:
      c.cut_off = true;
      state.to_client[i] = {};
      state.to_server[i] = {};
      return spend(state.cuts_left);
    case connection_returns:
    case connection_returns_in_vain:
      c.cut_off = false;
      c.server = step.how;
      return turn.connect(i);
    case to_client:
      return turn.deliver_to_client(i, state.to_client[i].take(0));
    case to_client_late:
      return make_late(state, i, false);
    case to_server:
      return turn.deliver_to_server(c.server, i, state.to_server[i].take(0));
    case to_server_late:
      return make_late(state, i, true);
    default:
      return;
  }
}

void LeaseWorld::do_of_server(const Step& step, State& state) {
  using enum Action;
  Turn turn(*this, state,
            step.action == server_turns_unanswered ? Turn::Lateness::answer : Turn::Lateness::none);
  const std::size_t k = step.which;
  const auto spend = [&](Number& budget) {
    --budget;
    --state.faults_left;
  };
  switch (step.action) {
    case server_turns:
    case server_turns_unanswered:
      return turn.server_turns(k);
    case journal_writes:
      return turn.journal_writes(k);
    case server_crashes:
      spend(state.crashes_left);
      turn.server_unseen(k);
      return turn.server_ends(k, false);
    case server_stops:
      spend(state.crashes_left);
      return turn.server_stops(k);
    case server_starts:
      return turn.server_starts();
    case server_pauses:
      state.server[k].paused = true;
      state.partings_left = 0;
      spend(state.pauses_left);
      return turn.server_unseen(k);
    case server_resumes:
      return turn.server_resumes(k, step.how);
    case takeover:
    case early_takeover:
      return turn.take_over(k, step.action == early_takeover, step.how != 0);
    case store_breaks:
      state.server[k].cut_off = true;
      --state.partings_left;
      return turn.server_unseen(k);
    case store_returns:
      if (state.leader == k + 1) --state.faults_left;
      return turn.store_returns(k);
    case append_arrives:
      return turn.append_arrives();
    default:
      return;
  }
}

// --- What need not be kept ----------------------------------------------------------------------

// Forgets what can make no difference any more, so that there are fewer states.
void LeaseWorld::tidy(State& state) {
  for (std::size_t i = 0; i < clients; ++i) {
    Client& c = state.client[i];
    if (c.stage == Stage::over && !omits(LeaseRule::final_loss)) {
      c.lease = {.phase = c.lease.phase,
                 .session = session_of(i),
                 .epoch = {},
                 .leased_from = {},
                 .next_send = {}};
      c.request = 0;
      c.harmed = true;
      state.to_client[i] = {};
    }
  }
  for (std::size_t k = 0; k < state.servers; ++k) tidy_server(state, k);
  if (state.takeovers_left == 0) {
    state.key_until = {};
    state.partings_left = 0;
  }
  for (std::size_t at = 0; at < state.late.size;) {
    if (is_idle_talk(state, state.late.items[at])) {
      state.late.take(at);
    } else {
      ++at;
    }
  }
}

void LeaseWorld::tidy_server(State& state, std::size_t k) {
  Server& s = state.server[k];
  if (!s.leads()) return;
  // The server knows only a bound on the end of a lease, which takes no part in its decisions.
  Time earliest = LeaseServer::never;
  for (const auto& lease : s.lease.leases) {
    if (!lease.expiring) earliest = std::min(earliest, lease.until);
  }
  if (s.lease.earliest > earliest) {
    throw std::logic_error("the server would miss the end of a lease");
  }
  s.lease.earliest = earliest;
  // Nobody can take over from this server, so it needs no proof. Where there are two servers, it
  // looks at the leases at once if none has expired, which changes nothing.
  if (!state.is_contested(k)) {
    s.proof = {.leads = true, .from = {}, .next_send = {}};
    if (state.servers > 1 && !s.paused && !s.turned) {
      LeaseServer& lease = server(state, k);
      lease.wake(now);
      s.lease = lease.state();
      s.turned = s.lease.earliest >= now;
    }
  }
  const bool is_deposed = state.servers > 1 && state.leader != k + 1;
  if (!is_deposed || omits(LeaseRule::append_compares)) return;
  // The journal will reject all its appends.
  if (!s.journal.empty()) {
    const auto end = s.journal.items.begin() + s.journal.size;
    const auto is_expiry = [](const Record& r) { return r.effect == Record::Effect::expiry; };
    const bool expires = std::any_of(s.journal.items.begin(), end, is_expiry);
    const Kept kept = s.applied();
    s.journal = {};
    s.journal.add({kept, expires ? Record::Effect::expiry : Record::Effect::none, 0});
  }
  // Once it answers nobody, it only finds out that it no longer leads, if it is not paused.
  if (answers(state, k)) return;
  for (std::size_t at = 0; at < state.late.size; ++at) {
    if (state.late.items[at].packet.kind == Packet::Kind::renewed) return;
  }
  Server left{.proof = {}, .lease = {}, .waiting = {}, .kept = {}, .journal = {}};
  if (s.paused) {
    left.paused = true;
    left.paused_for = s.paused_for;
    left.proof.leads = true;
    left.lease.earliest = LeaseServer::never;
    left.kept = state.durable;
  }
  s = left;
}

// True if the message would have no effect, now or later.
bool LeaseWorld::is_idle_talk(const State& state, const Late& late) {
  const Packet& packet = late.packet;
  if (late.to_server) {
    const Server& s = state.server[late.server];
    const bool may_lead = s.leads() || state.servers == 1 || (s.up && state.takeovers_left > 0);
    if (!may_lead) return true;
    const bool counts = omits(LeaseRule::proof_from_send) || s.proof.from.value < packet.time;
    return packet.kind == Packet::Kind::renewed && !counts;
  }
  const Client& c = state.client[late.client];
  if (omits(LeaseRule::newer_epoch_only) || omits(LeaseRule::final_loss) ||
      omits(LeaseRule::lease_from_send)) {
    return false;
  }
  if (c.stage == Stage::over) return true;
  if (packet.epoch != c.lease.epoch.value) return packet.epoch < c.lease.epoch.value;
  switch (packet.kind) {
    case Packet::Kind::alive:
      return !packet.wants_report && packet.time <= c.lease.leased_from.value;
    case Packet::Kind::granted:
      return packet.request != c.request || c.stage != Stage::asking;
    case Packet::Kind::released:
      return packet.request != c.request || c.stage != Stage::releasing;
    default:
      return false;
  }
}

// --- Time ---------------------------------------------------------------------------------------

namespace {

void age(Number& moment, Number by, Number no_further = horizon) {
  moment = static_cast<Number>(std::max<int>(moment - by, no_further));
}
void age(Time& moment, Number by, Number no_further = horizon) {
  moment.value = std::max<std::int64_t>(moment.value - by, no_further);
}

// By the server's own clock.
void age(LeaseWorld::Server& s, Number by, bool contested) {
  s.turned = false;
  if (s.paused) ++s.paused_for;
  if (contested) {
    age(s.proof.from, by);
    age(s.proof.next_send, by);
  }
  // While a leader has no proof, its leases stand still: it will give that time back.
  if (contested && s.lease.last_wake.value <= horizon) return;
  const auto age_lease = [&](Time& moment) {
    // A pause ends before anything could reach the horizon that is set off against it.
    if (moment != LeaseServer::never) moment.value -= by;
  };
  for (auto& lease : s.lease.leases) age_lease(lease.until);
  age_lease(s.lease.earliest);
  age_lease(s.lease.last_wake);
}

}  // namespace

// The present stays at its number, and past moments move away from it.
void LeaseWorld::pass(State& state, const std::array<Number, clocks>& units) const {
  for (std::size_t i = 0; i < clients; ++i) {
    age(state.client[i].lease.leased_from, units[i]);
    age(state.client[i].lease.next_send, units[i]);
    for (auto* channel : {&state.to_client[i], &state.to_server[i]}) {
      for (std::size_t at = 0; at < channel->size; ++at) age(channel->items[at].time, units[i]);
    }
  }
  for (std::size_t at = 0; at < state.late.size; ++at) {
    Late& late = state.late.items[at];
    const bool renewed = late.packet.kind == Packet::Kind::renewed;
    age(late.packet.time, units[renewed ? clients + late.server : late.client]);
  }
  for (std::size_t k = 0; k < state.servers; ++k) {
    if (state.server[k].leads()) age(state.server[k], units[clients + k], state.is_contested(k));
  }
  if (state.takeovers_left > 0) age(state.key_until, units[store_clock], present);
}

}  // namespace baton::check
