#include "check/lease_turn.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace baton::check {

using namespace lease_terms;
using service::Alive;
using service::Epoch;
using service::Gone;
using service::KeepAlive;
using service::Time;

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

}  // namespace baton::check
