#include "check/lease_world.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace baton::check {

namespace {

using service::Alive;
using service::Epoch;
using service::Gone;
using service::KeepAlive;
using service::LeaseClient;
using service::LeaseRule;
using service::LeaseServer;
using service::SessionId;
using service::Time;
using service::ToClient;
using Number = LeaseWorld::Number;
using Packet = LeaseWorld::Packet;
using Kind = LeaseWorld::Packet::Kind;
using Stage = LeaseWorld::Stage;

// Small, but such that a keepalive may be lost and the next still be in time.
constexpr service::LeaseTerms terms{.ttl = {4}, .margin = {1}, .jeopardy = {2}, .interval = {1}};
// The present. Moments before the horizon are too far back to matter to any lease.
constexpr Number present = 8;
constexpr Number horizon = 3;
constexpr service::Duration longest_turn{1};
// A server's pause is longer than all leases.
constexpr Number longest_pause = 5;
constexpr Number reserved_at_once = 2;

constexpr Time now{present};

SessionId session_of(std::size_t client) { return {client + 1}; }
bool is_release(Number request) { return request % 2 == 0; }

}  // namespace

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

// --- One step -----------------------------------------------------------------------------------

class LeaseWorld::Turn {
 public:
  // Which part of a keepalive that is prompt otherwise shall be late.
  enum class Lateness : Number { none, question, answer };

  Turn(LeaseWorld& world, State& state, Lateness late = Lateness::none)
      : w_(world), s_(state), late_(late) {}

  // A client has been called.
  template <class Call>
  void client(std::size_t i, Call call) {
    LeaseClient& lease = w_.client(s_, i);
    const LeaseClient::Step step = call(lease);
    s_.client[i].lease = lease.state();
    follow(i, step);
  }
  void ask(std::size_t i) {
    Client& c = s_.client[i];
    ++c.request;
    c.stage = is_release(c.request) ? Stage::releasing : Stage::asking;
    if (c.stage == Stage::releasing) {
      c.fence = 0;
      c.lease.holding = false;
    }
    to_server(i, {.kind = Kind::ask, .request = c.request});
  }
  void ask_again(std::size_t i) {
    const Client& c = s_.client[i];
    if (c.stage != Stage::asking && c.stage != Stage::releasing) return;
    to_server(i, {.kind = Kind::ask, .request = c.request});
  }
  void deliver_to_client(std::size_t i, const Packet& packet);
  void deliver_to_server(std::size_t i, const Packet& packet);
  void server_turns();
  void server_resumes(std::size_t order);
  void journal_writes();
  void server_ends(bool cleanly);
  void server_starts();
  void connect(std::size_t i) {
    client(i, [](LeaseClient& lease) { return lease.connected(now); });
    ask_again(i);
  }

 private:
  bool omits(LeaseRule rule) const { return w_.omits(rule); }
  void show(std::size_t property) {
    s_.shown |= static_cast<std::uint8_t>(1U << (property - a_loss));
  }
  void fail(std::size_t property) { s_.broken |= static_cast<std::uint8_t>(1U << property); }

  void to_server(std::size_t i, const Packet& packet) {
    if (!s_.server.up || s_.client[i].cut_off) return;
    auto& channel = s_.to_server[i];
    const auto is_sign = [](const Packet& p) { return p.kind == Kind::keep_alive; };
    // The server will read both at once, and then only the last counts.
    if (is_sign(packet) && !channel.empty() && is_sign(channel.items[channel.size - 1U])) {
      channel.items[channel.size - 1U] = packet;
    } else {
      channel.add(packet);
    }
  }
  void to_client(std::size_t i, Packet packet) {
    packet.epoch = static_cast<Number>(s_.server.lease.epoch.value);
    if (!s_.client[i].cut_off) s_.to_client[i].add(packet);
  }
  void to_client(std::size_t i, const ToClient& message);

  void follow(std::size_t i, const LeaseClient::Step& step);
  void keep_alive(std::size_t i, const Packet& packet);
  void believe(std::size_t i, const Packet& packet);

  const Kept& applied() const {
    return s_.journal.empty() ? s_.durable : s_.journal.items[s_.journal.size - 1U].kept;
  }
  void append(const Kept& kept, Record::Effect effect, std::size_t client) {
    s_.journal.add({kept, effect, static_cast<Number>(client)});
  }
  // An answer: at once in the fast grade, else when the journal has it. But what somebody lost who
  // may know nothing of it, because its session has ended, is nobody else's before the journal
  // knows of that end.
  void append_answer(const Kept& kept, std::size_t i) {
    const bool fast = s_.client[i].fast && !is_expiry_under_way();
    const bool at_once = fast || omits(LeaseRule::durable_grants);
    append(kept, at_once ? Record::Effect::none : Record::Effect::reply, i);
    if (at_once) reply(kept, i);
  }
  bool is_expiry_under_way() const {
    if (omits(LeaseRule::grant_after_expiry)) return false;
    const auto end = s_.journal.items.begin() + s_.journal.size;
    return std::any_of(s_.journal.items.begin(), end, [](const Record& record) {
      return record.effect == Record::Effect::expiry;
    });
  }
  void reply(const Kept& kept, std::size_t i) {
    const Number request = kept.answered[i];
    to_client(i, is_release(request)
                     ? Packet{.kind = Kind::released, .request = request}
                     : Packet{.kind = Kind::granted, .request = request, .fence = kept.answer[i]});
  }
  template <class Call>
  auto server(Call call) {
    LeaseServer& lease = w_.server(s_);
    const auto result = call(lease);
    s_.server.lease = lease.state();
    return result;
  }
  void hear_request(std::size_t i, Number request);
  void hear_report(std::size_t i, const Packet& packet);
  void expire(std::size_t i);
  void grant();
  void leave_queue(std::size_t i);

  LeaseWorld& w_;
  State& s_;
  Lateness late_;
};

void LeaseWorld::Turn::follow(std::size_t i, const LeaseClient::Step& step) {
  Client& c = s_.client[i];
  if (step.event == LeaseClient::Event::lost) {
    if (c.stage == Stage::holding) c.lost = true;
    if (!c.harmed && !s_.server_harmed) fail(keeping_alive_helps);
    c.stage = Stage::over;
    // The fence is kept only for a client that would take its loss back.
    if (!omits(LeaseRule::final_loss)) c.fence = 0;
    show(a_loss);
  }
  if (c.stage == Stage::over && c.lease.phase < LeaseClient::Phase::lost && c.fence != 0) {
    c.stage = Stage::holding;
  }
  if (step.send) {
    const Time sent = std::get<KeepAlive>(*step.send).sent;
    keep_alive(i, {.kind = Kind::keep_alive, .time = static_cast<Number>(sent.value)});
  }
  if (step.report) {
    const Packet report{.kind = Kind::report,
                        .epoch = static_cast<Number>(c.lease.epoch.value),
                        .request = c.stage == Stage::idle ? Number{0} : c.request,
                        .fence = c.stage == Stage::holding ? c.fence : Number{0}};
    to_server(i, report);
  }
}

void LeaseWorld::Turn::keep_alive(std::size_t i, const Packet& packet) {
  const bool prompt = s_.to_server[i].empty();
  to_server(i, packet);
  if (!prompt || s_.to_server[i].empty() || s_.server.paused) return;
  if (late_ == Lateness::question) return w_.make_late(s_, i, true);
  deliver_to_server(i, s_.to_server[i].take(0));
}

void LeaseWorld::Turn::deliver_to_client(std::size_t i, const Packet& packet) {
  const Epoch epoch{packet.epoch};
  const bool in_doubt = s_.client[i].lease.phase == LeaseClient::Phase::doubt;
  switch (packet.kind) {
    case Kind::alive:
      client(i, [&](LeaseClient& lease) {
        return lease.receive(now, Alive{epoch, session_of(i), {packet.time}, packet.wants_report});
      });
      if (in_doubt && w_.client(s_, i).has_lease(now)) {
        show(doubt_ends_well);
        ask_again(i);
      }
      break;
    case Kind::gone:
      client(i, [&](LeaseClient& lease) { return lease.receive(now, Gone{epoch, session_of(i)}); });
      break;
    default:
      believe(i, packet);
  }
}

// A grant, or that what was released is free.
void LeaseWorld::Turn::believe(std::size_t i, const Packet& packet) {
  // The lease may have ended while the message was under way.
  client(i, [](LeaseClient& lease) { return lease.wake(now); });
  Client& c = s_.client[i];
  LeaseClient& lease = w_.client(s_, i);
  const bool current = lease.is_current({packet.epoch});
  c.lease = lease.state();
  if (!current || packet.request != c.request || lease.is_over()) return;
  if (packet.kind == Kind::released) {
    if (c.stage == Stage::releasing) c.stage = Stage::idle;
    return;
  }
  if (c.stage != Stage::asking) return;
  if (!lease.has_lease(now) && !omits(LeaseRule::grant_under_lease)) return;
  c.stage = Stage::holding;
  c.lease.holding = true;
  c.fence = packet.fence;
  if (c.fence < s_.presented) fail(fences_rise);
  s_.presented = std::max(s_.presented, c.fence);
}

void LeaseWorld::Turn::to_client(std::size_t i, const ToClient& message) {
  if (const auto* alive = std::get_if<Alive>(&message)) {
    to_client(i, Packet{.kind = Kind::alive,
                        .time = static_cast<Number>(alive->sent.value),
                        .wants_report = alive->wants_report});
    const bool prompt = s_.to_client[i].size == 1 && !s_.client[i].paused;
    if (!prompt) return;
    if (late_ == Lateness::answer) return w_.make_late(s_, i, false);
    deliver_to_client(i, s_.to_client[i].take(0));
  } else {
    s_.client[i].told_gone = s_.client[i].told_gone || !s_.client[i].cut_off;
    to_client(i, Packet{.kind = Kind::gone});
  }
}

void LeaseWorld::Turn::deliver_to_server(std::size_t i, const Packet& packet) {
  const auto answer = server([&](LeaseServer& lease) -> std::optional<ToClient> {
    lease.wake(now);
    if (packet.kind != Kind::keep_alive) return std::nullopt;
    return lease.receive(now, KeepAlive{session_of(i), {packet.time}});
  });
  if (answer) to_client(i, *answer);
  if (packet.kind == Kind::report) {
    hear_report(i, packet);
  } else if (packet.kind == Kind::ask) {
    hear_request(i, packet.request);
  }
}

void LeaseWorld::Turn::hear_request(std::size_t i, Number request) {
  if (!w_.server(s_).hears(session_of(i))) return;
  Kept kept = applied();
  if (request <= kept.answered[i] && !omits(LeaseRule::request_ids)) {
    const bool is_out =
        s_.durable.answered[i] == request || (s_.client[i].fast && !is_expiry_under_way());
    if (request == kept.answered[i] && is_out) reply(kept, i);
    return;
  }
  if (!is_release(request)) {
    const auto& waiting = s_.server.waiting;
    const auto end = waiting.items.begin() + waiting.size;
    if (std::find(waiting.items.begin(), end, i) != end) return;
    s_.server.waiting.add(static_cast<Number>(i));
    s_.server.request[i] = request;
  } else {
    if (kept.holder == i + 1) kept.holder = kept.fence = 0;
    kept.answered[i] = request;
    kept.answer[i] = 0;
    append_answer(kept, i);
  }
  grant();
}

void LeaseWorld::Turn::hear_report(std::size_t i, const Packet& packet) {
  const bool awaited =
      server([&](LeaseServer& lease) { return lease.report(session_of(i), Epoch{packet.epoch}); });
  if (!awaited) return;
  Kept kept = applied();
  if (packet.fence != 0 && packet.fence > kept.fence) {
    // The journal had not got that far.
    kept.holder = static_cast<Number>(i + 1);
    kept.fence = packet.fence;
    kept.answered[i] = packet.request;
    kept.answer[i] = packet.fence;
    append(kept, Record::Effect::none, i);
    show(a_reclaim);
  } else if (packet.fence == 0 && kept.holder == i + 1) {
    const bool unheard = packet.request == kept.answered[i];
    if (!unheard || omits(LeaseRule::unheard_answers)) {
      kept.holder = kept.fence = 0;
      append(kept, Record::Effect::none, i);
    }
  }
  if (packet.fence == 0 && packet.request != 0) hear_request(i, packet.request);
  grant();
}

void LeaseWorld::Turn::server_turns() {
  s_.server.turned = true;
  server([](LeaseServer& lease) {
    lease.wake(now);
    return 0;
  });
  const auto next = [](LeaseServer& lease) { return lease.expire_next(now); };
  for (auto session = server(next); session; session = server(next)) {
    expire(static_cast<std::size_t>(session->value - 1));
  }
  grant();
}

// It reads all that has arrived, from either client first; or before that it looks at the leases,
// since what was sent may still be under way.
void LeaseWorld::Turn::server_resumes(std::size_t order) {
  s_.server.paused = false;
  s_.server.paused_for = 0;
  if (order == clients) server_turns();
  for (const std::size_t i : {order % clients, (order + 1) % clients}) {
    while (!s_.to_server[i].empty()) deliver_to_server(i, s_.to_server[i].take(0));
  }
}

void LeaseWorld::Turn::expire(std::size_t i) {
  if (!s_.client[i].harmed && s_.client[i].stage != Stage::over) fail(keeping_alive_helps);
  Kept kept = applied();
  kept.alive[i] = false;
  if (kept.holder == i + 1) {
    kept.holder = kept.fence = 0;
    if (!s_.server.waiting.empty()) show(a_takeover);
  }
  leave_queue(i);
  append(kept, Record::Effect::expiry, i);
  if (omits(LeaseRule::durable_expiry_first)) to_client(i, Gone{});
}

void LeaseWorld::Turn::leave_queue(std::size_t i) {
  auto& waiting = s_.server.waiting;
  for (std::size_t at = 0; at < waiting.size; ++at) {
    if (waiting.items[at] == i) waiting.take(at);
  }
  s_.server.request[i] = 0;
}

void LeaseWorld::Turn::grant() {
  Kept kept = applied();
  auto& waiting = s_.server.waiting;
  if (kept.holder != 0 || waiting.empty() || !w_.server(s_).may_grant()) return;
  if (kept.next_fence >= s_.durable.reserve && !omits(LeaseRule::fence_reserve)) {
    if (kept.reserve > s_.durable.reserve) return;
    kept.reserve = static_cast<Number>(kept.reserve + reserved_at_once);
    append(kept, Record::Effect::none, 0);
    return;
  }
  const std::size_t i = waiting.take(0);
  kept.holder = static_cast<Number>(i + 1);
  kept.fence = kept.next_fence++;
  kept.answered[i] = std::exchange(s_.server.request[i], Number{0});
  kept.answer[i] = kept.fence;
  if (kept.fence <= s_.issued) fail(fences_rise);
  s_.issued = std::max(s_.issued, kept.fence);
  if (kept.epoch > 1) show(granted_after_restart);
  append_answer(kept, i);
}

void LeaseWorld::Turn::journal_writes() {
  const Record record = s_.journal.take(0);
  s_.durable = record.kept;
  const std::size_t i = record.client;
  if (record.effect == Record::Effect::reply) reply(record.kept, i);
  if (record.effect == Record::Effect::expiry) {
    const Gone gone = server([&](LeaseServer& lease) { return lease.expired(session_of(i)); });
    if (!omits(LeaseRule::durable_expiry_first)) to_client(i, gone);
  }
  grant();
}

void LeaseWorld::Turn::server_ends(bool cleanly) {
  s_.server = {.up = false, .lease = {}, .waiting = {}};
  s_.server_harmed = true;
  if (cleanly) s_.durable.clean = true;
  s_.journal = {};
  for (auto& channel : s_.to_server) channel = {};
}

void LeaseWorld::Turn::server_starts() {
  Kept& kept = s_.durable;
  const bool after_crash = !std::exchange(kept.clean, false);
  if (!omits(LeaseRule::new_epoch)) ++kept.epoch;
  if (!omits(LeaseRule::fence_reserve)) kept.next_fence = kept.reserve;
  kept.reserve = static_cast<Number>(kept.next_fence + reserved_at_once);
  LeaseServer lease(Epoch{kept.epoch}, now, longest_turn, w_.bounds_.omitted);
  for (std::size_t i = 0; i < clients; ++i) {
    if (!kept.alive[i]) continue;
    lease.take_over(now, session_of(i), terms.ttl, s_.client[i].fast && after_crash);
  }
  s_.server.up = true;
  s_.server.lease = lease.state();
  if (!after_crash) show(a_clean_restart);
  for (std::size_t i = 0; i < clients; ++i) {
    if (!s_.client[i].paused && !s_.client[i].cut_off) connect(i);
  }
}

// --- The world ----------------------------------------------------------------------------------

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
    case Kind::alive:
      return !packet.wants_report && packet.time <= c.lease.leased_from.value;
    case Kind::granted:
      return packet.request != c.request || c.stage != Stage::asking;
    case Kind::released:
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

// --- What is judged -----------------------------------------------------------------------------

const std::vector<Property>& LeaseWorld::properties() {
  using enum Property::Kind;
  static const std::vector<Property> all{{"one holder"},
                                         {"no end while the lease runs"},
                                         {"fences never go back"},
                                         {"nothing acknowledged is lost"},
                                         {"who keeps alive is not expired"},
                                         {"a loss is never taken back"},
                                         {"an end is never taken back"},
                                         {"nothing stays locked"},
                                         {"nobody is forgotten"},
                                         {"a loss is declared", sometimes},
                                         {"a lost lock goes to the next", sometimes},
                                         {"something is granted after a restart", sometimes},
                                         {"something is reclaimed", sometimes},
                                         {"a paused holder is fenced off", sometimes},
                                         {"a doubt ends well", sometimes},
                                         {"a clean stop leaves nothing to reclaim", sometimes}};
  return all;
}

std::string LeaseWorld::describe(std::size_t property) {
  switch (property) {
    case exclusion:
      return "two clients hold the lock at once, and neither is paused";
    case lease_covers:
      return "a session has ended although its client's lease still runs";
    case fences_rise:
      return "a fence is given out that is not higher than all before";
    case nothing_lost:
      return "a client holds in the durable grade what the journal does not have";
    case keeping_alive_helps:
      return "a client that kept its session alive has lost it";
    case loss_is_final:
      return "a client holds what it has declared lost";
    case end_is_final:
      return "a session goes on whose client was told that it is over";
    case no_orphan:
      return "the lock is held for a client that has released it";
    case nobody_forgotten:
      return "the lock is free, and a client that waits for it is not served";
  }
  return "it never happens";
}

namespace {

// ... or is not known to the server any more.
bool has_yet_to_report(const LeaseWorld::State& state, std::size_t i) {
  const auto& leases = state.server.lease.leases;
  return std::none_of(leases.begin(), leases.end(), [&](const LeaseServer::Lease& lease) {
    return lease.session == session_of(i) && !lease.unreported && !lease.expiring;
  });
}

}  // namespace

PropertySet LeaseWorld::judge(const State& state) {
  PropertySet found = state.broken;
  found |= static_cast<PropertySet>(state.shown) << a_loss;
  const auto note = [&](bool is, std::size_t property) {
    if (is) found |= PropertySet{1} << property;
  };
  const Kept& applied =
      state.journal.empty() ? state.durable : state.journal.items[state.journal.size - 1U].kept;
  const Server& s = state.server;
  bool quiet = s.up && !s.paused && s.turned && state.journal.empty();
  for (std::size_t i = 0; i < clients; ++i) {
    quiet = quiet && state.to_server[i].empty() && state.to_client[i].empty();
  }
  std::size_t holders = 0;
  for (std::size_t i = 0; i < clients; ++i) {
    const Client& c = state.client[i];
    const bool holds = c.stage == Stage::holding;
    note(c.paused && holds && c.fence < state.presented, fenced_off);
    note(c.told_gone && s.up && applied.alive[i], end_is_final);
    note(holds && c.lost, loss_is_final);
    if (c.paused) continue;
    holders += holds ? 1 : 0;
    note(client(state, i).has_lease(now) && !applied.alive[i], lease_covers);
    const Kept& kept = state.durable;
    note(holds && !c.fast && (kept.holder != i + 1 || kept.fence != c.fence), nothing_lost);
    if (!quiet || c.cut_off || is_due(state, i) || has_yet_to_report(state, i)) continue;
    note(c.stage == Stage::idle && applied.holder == i + 1, no_orphan);
    const bool waits = c.stage == Stage::asking && !c.harmed;
    note(waits && applied.holder == 0 && server(state).may_grant(), nobody_forgotten);
  }
  note(holders > 1, exclusion);
  return found;
}

// --- Encoding -----------------------------------------------------------------------------------

namespace {

// Visits every number of a state, in one order; lengths come before what they count.
template <class State, class Visit>
void each_number(State& s, Visit& v) {
  const auto packet = [&](auto& p) {
    v(p.kind, p.epoch, p.time, p.request, p.fence, p.wants_report);
  };
  const auto kept = [&](auto& k) {
    v(k.epoch, k.clean, k.holder, k.fence, k.next_fence, k.reserve);
    for (std::size_t i = 0; i < LeaseWorld::clients; ++i) v(k.alive[i], k.answered[i], k.answer[i]);
  };
  const auto list = [&](auto& items, auto each) {
    v(items.size);
    for (std::size_t i = 0; i < items.size; ++i) each(items.items[i]);
  };
  for (auto& c : s.client) {
    v(c.stage, c.request, c.fence, c.fast, c.paused, c.cut_off, c.harmed, c.told_gone, c.lost);
    v(c.lease.phase, c.lease.holding, c.lease.session.value, c.lease.epoch.value,
      c.lease.leased_from.value, c.lease.next_send.value);
  }
  v(s.server.up);
  if (s.server.up) {
    v(s.server.paused, s.server.paused_for, s.server.turned, s.server.lease.epoch.value);
    v(s.server.lease.last_wake.value, s.server.lease.earliest.value);
    v.sized(s.server.lease.leases);
    for (auto& l : s.server.lease.leases) {
      v(l.session.value, l.ttl.value, l.until.value, l.expiring, l.unreported);
    }
    list(s.server.waiting, [&](auto& client) { v(client); });
    for (auto& request : s.server.request) v(request);
  }
  kept(s.durable);
  list(s.journal, [&](auto& record) {
    v(record.effect, record.client);
    kept(record.kept);
  });
  for (std::size_t i = 0; i < LeaseWorld::clients; ++i) {
    list(s.to_server[i], packet);
    list(s.to_client[i], packet);
  }
  list(s.late, [&](auto& late) {
    v(late.client, late.to_server);
    packet(late.packet);
  });
  v(s.faults_left, s.cuts_left, s.lates_left, s.crashes_left, s.pauses_left, s.drifts_left,
    s.server_harmed, s.issued, s.presented, s.broken, s.shown);
}

// Four bits for each number; larger ones take twelve.
constexpr std::uint64_t escape = 0xF;
constexpr std::uint64_t never_number = 0xFF;

class Writer {
 public:
  explicit Writer(std::uint8_t* to) : to_(to) {}

  template <class... T>
  void operator()(const T&... numbers) {
    (put(static_cast<std::uint64_t>(numbers)), ...);
  }
  template <class List>
  void sized(const List& list) {
    put(list.size());
  }
  std::size_t size() const { return (at_ + 1) / 2; }

 private:
  void put(std::uint64_t number) {
    if (number < escape) return put_half(number);
    if (number == static_cast<std::uint64_t>(LeaseServer::never.value)) number = never_number;
    if (number > never_number) throw std::length_error("a number of the lease model is too large");
    put_half(escape);
    put_half(number & 0xF);
    put_half(number >> 4);
  }
  void put_half(std::uint64_t half) {
    std::uint8_t& byte = to_[at_ / 2];
    byte = static_cast<std::uint8_t>(at_ % 2 == 0 ? half : byte | half << 4);
    ++at_;
  }

  std::uint8_t* to_;
  std::size_t at_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::uint8_t* from) : from_(from) {}

  template <class... T>
  void operator()(T&... numbers) {
    (take(numbers), ...);
  }
  template <class List>
  void sized(List& list) {
    std::size_t size = 0;
    take(size);
    list.resize(size);
  }

 private:
  template <class T>
  void take(T& number) {
    unsigned value = take_half();
    if (value == escape) {
      value = take_half();
      value |= take_half() << 4;
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
      number = value == never_number ? LeaseServer::never.value : value;
    } else {
      number = static_cast<T>(value);
    }
  }
  unsigned take_half() {
    const unsigned byte = from_[at_ / 2];
    return at_++ % 2 == 0 ? byte & 0xF : byte >> 4;
  }

  const std::uint8_t* from_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t LeaseWorld::encode(const State& state, std::uint8_t* bytes) {
  Writer writer(bytes);
  each_number(state, writer);
  return writer.size();
}

void LeaseWorld::decode(const std::uint8_t* bytes, State& state) {
  state = {};
  Reader reader(bytes);
  each_number(state, reader);
}

// --- In words -----------------------------------------------------------------------------------

namespace {

std::string in_words(const Packet& packet) {
  const std::string request = is_release(packet.request) ? "release" : "acquire";
  const std::string epoch = " of epoch " + std::to_string(packet.epoch);
  const std::string age = ", sent " + std::to_string(present - packet.time) + " ago";
  switch (packet.kind) {
    case Kind::keep_alive:
      return "keepalive" + age;
    case Kind::ask:
      return request;
    case Kind::report:
      return "report" + epoch +
             (packet.fence == 0 ? ": holds nothing"
                                : ": holds fence " + std::to_string(packet.fence));
    case Kind::alive:
      return "alive" + epoch + " to a keepalive" + age +
             (packet.wants_report ? ", which wants a report" : "");
    case Kind::gone:
      return "gone" + epoch;
    case Kind::granted:
      return "granted" + epoch + ", fence " + std::to_string(packet.fence);
    case Kind::released:
      return "released" + epoch;
  }
  return "";
}

}  // namespace

std::string LeaseWorld::told(const State& before, const Step& step) {
  using enum Action;
  const std::string who =
      step.which < clients ? "client " + std::to_string(step.which) : "the server";
  const auto first = [&](const auto& channels) { return in_words(channels[step.which].items[0]); };
  switch (step.action) {
    case time_passes:
      return "time passes";
    case clock_stands:
      return "time passes, and " + who + "'s clock stands still";
    case clock_leaps:
      return "time passes, and " + who + "'s clock shows two units";
    case client_wakes:
      return who + " wakes";
    case client_wakes_in_vain:
      return who + " wakes, and its keepalive is late";
    case client_wakes_unanswered:
      return who + " wakes, and the answer to its keepalive is late";
    case client_asks:
      return who + " wants the lock";
    case client_releases:
      return who + " releases the lock";
    case client_pauses:
      return who + " is paused";
    case client_resumes:
      return who + " goes on";
    case connection_breaks:
      return who + " is cut off";
    case connection_returns:
      return who + " is connected again";
    case to_client:
      return who + " receives: " + first(before.to_client);
    case to_client_late:
      return "to " + who + " late: " + first(before.to_client);
    case to_server:
      return "the server receives from " + who + ": " + first(before.to_server);
    case to_server_late:
      return "from " + who + " late: " + first(before.to_server);
    case late_arrives: {
      const Late& late = before.late.items[step.which];
      const std::string client = "client " + std::to_string(late.client);
      return (late.to_server ? "the server receives late from " + client + ": "
                             : client + " receives late: ") +
             in_words(late.packet);
    }
    case server_turns:
      return "the server looks at the leases";
    case journal_writes:
      return "the journal has the next record";
    case server_crashes:
      return "the server crashes";
    case server_stops:
      return "the server is stopped";
    case server_starts:
      return "the server starts";
    case server_pauses:
      return "the server is paused";
    case server_resumes:
      return step.which == clients
                 ? "the server goes on, looks at the leases, and reads what has arrived"
                 : "the server goes on, and reads what has arrived, from " + who + " first";
  }
  return "";
}

}  // namespace baton::check
