// The actions of servers and the journal in one step of the world of the lease protocol.
#include <algorithm>
#include <optional>
#include <utility>

#include "lab/check/lease_terms.h"
#include "lab/check/lease_turn.h"

namespace baton::check {

using namespace lease_terms;
using service::Alive;
using service::Duration;
using service::Epoch;
using service::Gone;
using service::KeepAlive;

// --- What goes out ------------------------------------------------------------------------------

void LeaseWorld::Turn::to_client(std::size_t k, std::size_t i, Packet packet) {
  packet.epoch = static_cast<Number>(s_.server[k].lease.epoch.value);
  const Client& c = s_.client[i];
  if (!c.cut_off && c.server == k) s_.to_client[i].add(packet);
}

void LeaseWorld::Turn::to_client(std::size_t k, std::size_t i, const ToClient& message) {
  const bool arrives = !s_.client[i].cut_off && s_.client[i].server == k;
  if (const auto* alive = std::get_if<Alive>(&message)) {
    to_client(k, i,
              Packet{.kind = Kind::alive,
                     .time = static_cast<Number>(alive->sent.value),
                     .wants_report = alive->wants_report});
    const bool prompt = arrives && s_.to_client[i].size == 1 && !s_.client[i].paused;
    if (!prompt) return;
    if (late_ == Lateness::answer) return w_.make_late(s_, i, false);
    deliver_to_client(i, s_.to_client[i].take(0));
  } else {
    s_.client[i].told_gone = s_.client[i].told_gone || arrives;
    to_client(k, i, Packet{.kind = Kind::gone});
  }
}

void LeaseWorld::Turn::reply(std::size_t k, const Kept& kept, std::size_t i) {
  const Number request = kept.answered[i];
  to_client(k, i,
            is_release(request)
                ? Packet{.kind = Kind::released, .request = request}
                : Packet{.kind = Kind::granted, .request = request, .fence = kept.answer[i]});
}

void LeaseWorld::Turn::append(std::size_t k, const Kept& kept, Record::Effect effect,
                              std::size_t client) {
  s_.server[k].journal.add({kept, effect, static_cast<Number>(client)});
}

// In the fast grade an answer goes out at once, else when its record is in the journal. While the
// end of a session is on its way to the journal, fast answers wait too: the client of that session
// may not know that it lost the lock, so nobody else gets the lock before the journal has that end.
void LeaseWorld::Turn::append_answer(std::size_t k, const Kept& kept, std::size_t i) {
  const bool fast = s_.client[i].fast && !is_expiry_under_way(k) && w_.has_proof(s_, k);
  const bool at_once = fast || omits(LeaseRule::durable_grants);
  append(k, kept, at_once ? Record::Effect::none : Record::Effect::reply, i);
  if (at_once) reply(k, kept, i);
}

bool LeaseWorld::Turn::is_expiry_under_way(std::size_t k) const {
  if (omits(LeaseRule::grant_after_expiry)) return false;
  const auto& journal = s_.server[k].journal;
  const auto end = journal.items.begin() + journal.size;
  return std::any_of(journal.items.begin(), end,
                     [](const Record& record) { return record.effect == Record::Effect::expiry; });
}

// --- What comes in ------------------------------------------------------------------------------

void LeaseWorld::Turn::deliver_to_server(std::size_t k, std::size_t i, const Packet& packet,
                                         bool is_late) {
  if (!w_.answers(s_, k)) {
    if (!is_late) not_leading(i);
    return;
  }
  const auto answer = server(k, [&](LeaseServer& lease) -> std::optional<ToClient> {
    lease.wake(now);
    if (packet.kind != Kind::keep_alive) return std::nullopt;
    return lease.receive(now, KeepAlive{session_of(i), {packet.time}});
  });
  if (answer) to_client(k, i, *answer);
  if (packet.kind == Kind::report) {
    hear_report(k, i, packet);
  } else if (packet.kind == Kind::ask) {
    hear_request(k, i, packet.request);
  }
}

void LeaseWorld::Turn::hear_request(std::size_t k, std::size_t i, Number request) {
  if (!w_.server(s_, k).hears(session_of(i))) return;
  Server& s = s_.server[k];
  Kept kept = s.applied();
  if (request <= kept.answered[i] && !omits(LeaseRule::request_ids)) {
    const bool is_out =
        s.kept.answered[i] == request || (s_.client[i].fast && !is_expiry_under_way(k));
    if (request == kept.answered[i] && is_out) reply(k, kept, i);
    return;
  }
  if (!is_release(request)) {
    const auto end = s.waiting.items.begin() + s.waiting.size;
    if (std::find(s.waiting.items.begin(), end, i) != end) return;
    s.waiting.add(static_cast<Number>(i));
    s.request[i] = request;
  } else {
    if (kept.holder == i + 1) kept.holder = kept.fence = 0;
    kept.answered[i] = request;
    kept.answer[i] = 0;
    append_answer(k, kept, i);
  }
  grant(k);
}

void LeaseWorld::Turn::hear_report(std::size_t k, std::size_t i, const Packet& packet) {
  const bool awaited = server(
      k, [&](LeaseServer& lease) { return lease.report(session_of(i), Epoch{packet.epoch}); });
  if (!awaited) return;
  Kept kept = s_.server[k].applied();
  if (packet.fence != 0 && packet.fence > kept.fence) {
    // The record had not reached the journal.
    kept.holder = static_cast<Number>(i + 1);
    kept.fence = packet.fence;
    kept.answered[i] = packet.request;
    kept.answer[i] = packet.fence;
    append(k, kept, Record::Effect::none, i);
    show(a_reclaim);
  } else if (packet.fence == 0 && kept.holder == i + 1) {
    const bool unheard = packet.request == kept.answered[i];
    if (!unheard || omits(LeaseRule::unheard_answers)) {
      kept.holder = kept.fence = 0;
      append(k, kept, Record::Effect::none, i);
    }
  }
  if (packet.fence == 0 && packet.request != 0) hear_request(k, i, packet.request);
  grant(k);
}

// --- What is due --------------------------------------------------------------------------------

void LeaseWorld::Turn::server_turns(std::size_t k) {
  s_.server[k].turned = true;
  if (s_.is_contested(k)) renew(k);
  // A leader without proof answers nobody, so this time does not count against any session.
  if (!w_.answers(s_, k)) return;
  server(k, [](LeaseServer& lease) {
    lease.wake(now);
    return 0;
  });
  const auto next = [](LeaseServer& lease) { return lease.expire_next(now); };
  for (auto session = server(k, next); session; session = server(k, next)) {
    expire(k, static_cast<std::size_t>(session->value - 1));
  }
  grant(k);
}

// The server reads all messages that have arrived, from either client first. Or it looks at the
// leases before it reads, since messages may still be under way.
void LeaseWorld::Turn::server_resumes(std::size_t k, std::size_t order) {
  s_.server[k].paused = false;
  s_.server[k].paused_for = 0;
  if (k == 0) s_.under_way = {};
  if (order == clients) server_turns(k);
  for (const std::size_t i : {order % clients, (order + 1) % clients}) {
    while (s_.client[i].server == k && !s_.to_server[i].empty()) {
      deliver_to_server(k, i, s_.to_server[i].take(0));
    }
  }
}

void LeaseWorld::Turn::expire(std::size_t k, std::size_t i) {
  const Client& c = s_.client[i];
  // A client that stays with a silent server has only itself to blame.
  const bool stays_away = c.server != k && s_.server[c.server].paused;
  if (!c.harmed && !stays_away && c.stage != Stage::over) fail(keeping_alive_helps);
  Kept kept = s_.server[k].applied();
  kept.alive[i] = false;
  if (kept.holder == i + 1) {
    kept.holder = kept.fence = 0;
    if (!s_.server[k].waiting.empty()) show(a_takeover);
  }
  leave_queue(k, i);
  append(k, kept, Record::Effect::expiry, i);
  if (omits(LeaseRule::durable_expiry_first)) to_client(k, i, Gone{});
}

void LeaseWorld::Turn::leave_queue(std::size_t k, std::size_t i) {
  auto& waiting = s_.server[k].waiting;
  for (std::size_t at = 0; at < waiting.size; ++at) {
    if (waiting.items[at] == i) waiting.take(at);
  }
  s_.server[k].request[i] = 0;
}

void LeaseWorld::Turn::grant(std::size_t k) {
  Server& s = s_.server[k];
  Kept kept = s.applied();
  if (kept.holder != 0 || s.waiting.empty() || !w_.server(s_, k).may_grant()) return;
  if (s.stopping && !omits(LeaseRule::farewell_last)) return;
  if (kept.next_fence >= s.kept.reserve && !omits(LeaseRule::fence_reserve)) {
    if (kept.reserve > s.kept.reserve) return;
    kept.reserve = static_cast<Number>(kept.reserve + reserved_at_once);
    append(k, kept, Record::Effect::none, 0);
    return;
  }
  const std::size_t i = s.waiting.take(0);
  kept.holder = static_cast<Number>(i + 1);
  kept.fence = kept.next_fence++;
  kept.answered[i] = std::exchange(s.request[i], Number{0});
  kept.answer[i] = kept.fence;
  // Nobody need hear of what a deposed leader gives out. If a client believes it, the check sees
  // that at the client.
  if (kept.fence <= s_.issued && s_.leader == k + 1) fail(fences_rise);
  s_.issued = std::max(s_.issued, kept.fence);
  if (kept.epoch > 1) show(granted_after_restart);
  append_answer(k, kept, i);
}

// --- The journal, and who leads -----------------------------------------------------------------

void LeaseWorld::Turn::write(const Kept& kept) {
  if (omits(LeaseRule::read_up_to_key)) s_.missed = s_.durable;
  s_.durable = kept;
}

void LeaseWorld::Turn::journal_writes(std::size_t k) {
  if (s_.servers > 1 && s_.leader != k + 1 && !omits(LeaseRule::append_compares)) {
    show(append_refused);
    return depose(k);
  }
  const Record record = s_.server[k].journal.take(0);
  write(record.kept);
  s_.server[k].kept = record.kept;
  const std::size_t i = record.client;
  if (record.effect == Record::Effect::reply) reply(k, record.kept, i);
  if (record.effect == Record::Effect::expiry) {
    const Gone gone = server(k, [&](LeaseServer& lease) { return lease.expired(session_of(i)); });
    if (!omits(LeaseRule::durable_expiry_first)) to_client(k, i, gone);
  }
  if (record.effect == Record::Effect::farewell) return server_ends(k, true);
  grant(k);
}

// Renews the key, if it is still there.
void LeaseWorld::Turn::renew(std::size_t k) {
  Server& s = s_.server[k];
  w_.proof_.assume(s.proof);
  if (now < w_.proof_.next_wake()) return;
  w_.proof_.sent(now);
  s.proof = w_.proof_.state();
  if (s.cut_off) return;
  if (s_.leader != k + 1) return depose(k);
  s_.key_until = now + proof_terms.ttl;
  const Packet answer{.kind = Kind::renewed, .time = present};
  if (late_ != Lateness::answer) return renewed(k, answer);
  s_.late.add({answer, 0, static_cast<Number>(k), true});
  --s_.lates_left;
  --s_.faults_left;
}

void LeaseWorld::Turn::renewed(std::size_t k, const Packet& packet) {
  w_.proof_.assume(s_.server[k].proof);
  w_.proof_.renewed(now, {packet.time});
  s_.server[k].proof = w_.proof_.state();
}

// The server has learned that another one leads, or will lead.
void LeaseWorld::Turn::depose(std::size_t k) {
  s_.server[k] = {.proof = {}, .lease = {}, .waiting = {}, .kept = {}, .journal = {}};
}

void LeaseWorld::Turn::server_stops(std::size_t k) {
  s_.server_harmed = true;
  if (s_.servers == 1) return server_ends(k, true);
  Kept kept = s_.server[k].applied();
  kept.clean = true;
  append(k, kept, Record::Effect::farewell, 0);
  s_.server[k].stopping = true;
}

void LeaseWorld::Turn::server_ends(std::size_t k, bool cleanly) {
  s_.server[k] = {.up = false, .proof = {}, .lease = {}, .waiting = {}, .kept = {}, .journal = {}};
  s_.server_harmed = true;
  if (cleanly) {
    s_.durable.clean = true;
    if (s_.servers > 1) s_.leader = 0;
  }
  for (std::size_t i = 0; i < clients; ++i) {
    if (s_.client[i].server == k) s_.to_server[i] = {};
  }
}

void LeaseWorld::Turn::lead(std::size_t k, Kept kept, Duration wait) {
  const bool after_crash = !std::exchange(kept.clean, false);
  if (!omits(LeaseRule::new_epoch)) ++kept.epoch;
  if (!omits(LeaseRule::fence_reserve)) kept.next_fence = kept.reserve;
  kept.reserve = static_cast<Number>(kept.next_fence + reserved_at_once);
  LeaseServer lease(Epoch{kept.epoch}, now, longest_turn, w_.bounds_.omitted);
  for (std::size_t i = 0; i < clients; ++i) {
    if (!kept.alive[i]) continue;
    lease.take_over(now, session_of(i), terms.ttl, s_.client[i].fast && after_crash, wait);
  }
  write(kept);
  Server& s = s_.server[k];
  s.up = true;
  s.lease = lease.state();
  s.kept = kept;
  s.proof.leads = true;
  s_.leader = static_cast<Number>(k + 1);
  if (!after_crash) show(a_clean_restart);
}

void LeaseWorld::Turn::server_starts() {
  lead(0, s_.durable, {});
  for (std::size_t i = 0; i < clients; ++i) {
    if (!s_.client[i].paused && !s_.client[i].cut_off) connect(i);
  }
}

// The successor has created its key, read all records up to then, and appended that it leads.
// Nobody else can have appended anything in between.
void LeaseWorld::Turn::take_over(std::size_t k, bool early, bool misses_the_last) {
  --s_.takeovers_left;
  if (!omits(LeaseRule::append_compares)) s_.under_way = {};
  const Kept& kept = misses_the_last ? s_.missed : s_.durable;
  lead(k, kept, early && !kept.clean ? proof_terms.ttl : Duration{});
}

void LeaseWorld::Turn::server_unseen(std::size_t k) {
  s_.server_harmed = true;
  const auto& journal = s_.server[k].journal;
  if (!s_.is_contested(k) || s_.leader != k + 1 || journal.empty()) return;
  if (s_.under_way.empty()) s_.under_way.add(journal.items[0].kept);
}

void LeaseWorld::Turn::store_returns(std::size_t k) {
  s_.server[k].cut_off = false;
  s_.under_way = {};
  if (s_.leader != k + 1) depose(k);
}

void LeaseWorld::Turn::append_arrives() { write(s_.under_way.take(0)); }

}  // namespace baton::check
