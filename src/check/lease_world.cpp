#include "check/lease_world.h"

#include <algorithm>
#include <stdexcept>

#include "check/lease_terms.h"
#include "check/lease_turn.h"

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
      server_(Epoch{}, now, longest_turn, bounds.omitted) {}

LeaseClient& LeaseWorld::client(const State& state, std::size_t i) {
  client_.assume(state.client[i].lease);
  return client_;
}

LeaseServer& LeaseWorld::server(const State& state) {
  server_.assume(state.server.lease);
  return server_;
}

LeaseWorld::State LeaseWorld::first(bool fast_first, bool fast_second) {
  State state;
  state.faults_left = static_cast<Number>(bounds_.faults);
  state.cuts_left = static_cast<Number>(bounds_.cuts);
  state.lates_left = static_cast<Number>(bounds_.late);
  state.crashes_left = static_cast<Number>(bounds_.crashes);
  state.pauses_left = static_cast<Number>(bounds_.pauses);
  state.drifts_left = static_cast<Number>(bounds_.drifts);
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
  state.server.lease = lease.state();
  return state;
}

bool LeaseWorld::is_due(const State& state, std::size_t i) {
  if (state.client[i].paused) return false;
  const auto wake = client(state, i).next_wake();
  return wake && *wake <= now;
}

// Whether all that is due in this unit has been done.
bool LeaseWorld::may_pass(const State& state) {
  for (std::size_t i = 0; i < clients; ++i) {
    if (is_due(state, i)) return false;
    if (!state.client[i].paused && !state.to_client[i].empty()) return false;
  }
  const Server& s = state.server;
  if (!s.up) return true;
  if (s.paused) return s.paused_for < longest_pause;
  for (const auto& channel : state.to_server) {
    if (!channel.empty()) return false;
  }
  return s.turned && state.journal.empty();
}

void LeaseWorld::possible(const State& state, std::vector<Step>& steps) {
  using enum Action;
  const auto add = [&](Action action, std::size_t which = 0) {
    steps.push_back({action, static_cast<Number>(which)});
  };
  const Server& s = state.server;
  const bool runs = s.up && !s.paused;
  const auto has = [&](Number budget) { return budget > 0 && state.faults_left > 0; };
  for (std::size_t i = 0; i < clients; ++i) {
    const Client& c = state.client[i];
    if (c.paused) {
      add(client_resumes, i);
    } else {
      // What is under way comes first.
      const bool prompt = state.to_client[i].empty() && (!runs || state.to_server[i].empty());
      if (is_due(state, i) && prompt) {
        add(client_wakes, i);
        if (has(state.lates_left) && runs && !c.cut_off) {
          add(client_wakes_in_vain, i);
          add(client_wakes_unanswered, i);
        }
      }
      const bool may_ask = c.stage == Stage::idle && c.request < 2 * bounds_.requests;
      if (may_ask && client(state, i).has_lease(now)) add(client_asks, i);
      if (c.stage == Stage::holding) add(client_releases, i);
      if (!state.to_client[i].empty()) add(to_client, i);
      if (has(state.pauses_left) && c.stage != Stage::over) add(client_pauses, i);
      if (has(state.cuts_left) && c.stage != Stage::over && s.up) add(connection_breaks, i);
      if (c.cut_off) add(connection_returns, i);
    }
    if (!state.to_client[i].empty() && has(state.lates_left)) add(to_client_late, i);
    if (!state.to_server[i].empty()) {
      if (runs) add(to_server, i);
      if (has(state.lates_left)) add(to_server_late, i);
    }
  }
  for (std::size_t at = 0; at < state.late.size; ++at) {
    const Late& late = state.late.items[at];
    if (late.to_server ? runs : !state.client[late.client].paused) add(late_arrives, at);
  }
  if (runs && !s.turned) add(server_turns);
  if (runs && !state.journal.empty()) add(journal_writes);
  if (s.up && has(state.crashes_left)) {
    add(server_crashes);
    if (runs && state.journal.empty()) add(server_stops);
  }
  if (!s.up) add(server_starts);
  if (runs && has(state.pauses_left)) add(server_pauses);
  if (s.paused) {
    for (std::size_t order = 0; order <= clients; ++order) add(server_resumes, order);
  }
  if (!may_pass(state)) return;
  add(time_passes);
  if (!has(state.drifts_left)) return;
  for (std::size_t which = 0; which <= clients; ++which) {
    add(clock_stands, which);
    add(clock_leaps, which);
  }
}

void LeaseWorld::take(const Step& step, State& state) {
  state.broken = 0;
  state.shown = 0;
  do_step(step, state);
  tidy(state);
}

void LeaseWorld::make_late(State& state, std::size_t i, bool to_server) {
  auto& channel = to_server ? state.to_server[i] : state.to_client[i];
  state.late.add({channel.take(0), static_cast<Number>(i), to_server});
  state.client[i].harmed = true;
  --state.lates_left;
  --state.faults_left;
}

void LeaseWorld::do_step(const Step& step, State& state) {
  using enum Action;
  const auto lateness = step.action == client_wakes_in_vain      ? Turn::Lateness::question
                        : step.action == client_wakes_unanswered ? Turn::Lateness::answer
                                                                 : Turn::Lateness::none;
  Turn turn(*this, state, lateness);
  const std::size_t i = step.which;
  const auto spend = [&](Number& budget) {
    --budget;
    --state.faults_left;
  };
  std::array<Number, clients + 1> units;
  units.fill(1);
  switch (step.action) {
    case clock_stands:
    case clock_leaps:
      units[i] = step.action == clock_leaps ? 2 : 0;
      spend(state.drifts_left);
      [[fallthrough]];
    case time_passes:
      return pass(state, units);
    case client_wakes:
    case client_wakes_in_vain:
    case client_wakes_unanswered:
      return turn.client(i, [](LeaseClient& lease) { return lease.wake(now); });
    case client_asks:
    case client_releases:
      return turn.ask(i);
    case client_pauses:
      state.client[i].paused = state.client[i].harmed = true;
      spend(state.pauses_left);
      return;
    case client_resumes:
      state.client[i].paused = false;
      return turn.connect(i);
    case connection_breaks:
      state.client[i].cut_off = state.client[i].harmed = true;
      state.to_client[i] = {};
      state.to_server[i] = {};
      spend(state.cuts_left);
      return;
    case connection_returns:
      state.client[i].cut_off = false;
      return turn.connect(i);
    case to_client:
      return turn.deliver_to_client(i, state.to_client[i].take(0));
    case to_client_late:
      return make_late(state, i, false);
    case to_server:
      return turn.deliver_to_server(i, state.to_server[i].take(0));
    case to_server_late:
      return make_late(state, i, true);
    case late_arrives: {
      const Late late = state.late.take(i);
      return late.to_server ? turn.deliver_to_server(late.client, late.packet)
                            : turn.deliver_to_client(late.client, late.packet);
    }
    case server_turns:
      return turn.server_turns();
    case journal_writes:
      return turn.journal_writes();
    case server_crashes:
    case server_stops:
      spend(state.crashes_left);
      return turn.server_ends(step.action == server_stops);
    case server_starts:
      return turn.server_starts();
    case server_pauses:
      state.server.paused = state.server_harmed = true;
      spend(state.pauses_left);
      return;
    case server_resumes:
      return turn.server_resumes(i);
  }
}

// What can make no difference any more is forgotten, so that there are fewer states.
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
  // Of when a lease may end the server knows only a bound, which takes no part in what it decides.
  auto& leases = state.server.lease;
  Time earliest = LeaseServer::never;
  for (const auto& lease : leases.leases) {
    if (!lease.expiring) earliest = std::min(earliest, lease.until);
  }
  if (leases.earliest > earliest)
    throw std::logic_error("the server would miss the end of a lease");
  leases.earliest = earliest;
  for (std::size_t at = 0; at < state.late.size;) {
    const Late& late = state.late.items[at];
    if (!late.to_server && is_idle_talk(state, late.client, late.packet)) {
      state.late.take(at);
    } else {
      ++at;
    }
  }
}

// Whether the client would make nothing of it, now or later.
bool LeaseWorld::is_idle_talk(const State& state, std::size_t i, const Packet& packet) {
  const Client& c = state.client[i];
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

// The present stays where it is, and what was moves away from it.
void LeaseWorld::pass(State& state, const std::array<Number, clients + 1>& units) const {
  const auto age = [](Number& moment, Number by) {
    moment = static_cast<Number>(std::max<int>(moment - by, horizon));
  };
  const auto age_time = [](Time& moment, Number by) {
    moment.value = std::max<std::int64_t>(moment.value - by, horizon);
  };
  for (std::size_t i = 0; i < clients; ++i) {
    age_time(state.client[i].lease.leased_from, units[i]);
    age_time(state.client[i].lease.next_send, units[i]);
    for (auto* channel : {&state.to_client[i], &state.to_server[i]}) {
      for (std::size_t at = 0; at < channel->size; ++at) age(channel->items[at].time, units[i]);
    }
  }
  for (std::size_t at = 0; at < state.late.size; ++at) {
    Late& late = state.late.items[at];
    age(late.packet.time, units[late.client]);
  }
  Server& s = state.server;
  if (!s.up) return;
  const auto age_at_server = [&](Time& moment) {
    // A pause ends before anything could reach the horizon that is set off against it.
    if (moment != LeaseServer::never) moment.value -= units[clients];
  };
  for (auto& lease : s.lease.leases) age_at_server(lease.until);
  age_at_server(s.lease.earliest);
  age_at_server(s.lease.last_wake);
  s.turned = false;
  if (s.paused) ++s.paused_for;
}

}  // namespace baton::check
