#include "service/lease/lease.h"

#include <algorithm>
#include <array>

namespace baton::service {

namespace {

constexpr std::array<std::string_view, lease_rules> rule_names{"",
                                                               "lease-from-send",
                                                               "drift-margin",
                                                               "final-loss",
                                                               "grant-under-lease",
                                                               "newer-epoch-only",
                                                               "leases-anew",
                                                               "durable-expiry-first",
                                                               "refuse-after-expiry",
                                                               "gap-extension",
                                                               "report-before-grant",
                                                               "report-first",
                                                               "request-ids",
                                                               "durable-grants",
                                                               "new-epoch",
                                                               "fence-reserve",
                                                               "grant-after-expiry",
                                                               "unheard-answers",
                                                               "leader-proof",
                                                               "proof-from-send",
                                                               "early-takeover-wait",
                                                               "leases-only-grow",
                                                               "append-compares",
                                                               "read-up-to-key",
                                                               "farewell-last"};

}  // namespace

std::string_view name_of(LeaseRule rule) { return rule_names[static_cast<std::size_t>(rule)]; }

std::optional<LeaseRule> lease_rule_named(std::string_view name) {
  for (std::size_t i = 1; i < rule_names.size(); ++i) {
    if (rule_names[i] == name) return static_cast<LeaseRule>(i);
  }
  return std::nullopt;
}

// --- The client ---------------------------------------------------------------------------------

LeaseTerms LeaseTerms::of(Duration ttl, Duration reaction) {
  const Duration margin{ttl.value / 50 + reaction.value};
  const Duration length{ttl.value - margin.value};
  return {ttl, margin, {length.value / 2}, {length.value / 4}};
}

Time LeaseClient::lease_end() const {
  const Duration length = omits(LeaseRule::drift_margin) ? terms_.ttl : terms_.length();
  return state_.leased_from + length;
}

bool LeaseClient::has_lease(Time now) const {
  const bool opened = state_.phase != Phase::opening && !is_over();
  return opened && now < lease_end();
}

std::optional<Time> LeaseClient::next_wake() const {
  if (is_over()) return std::nullopt;
  if (state_.phase == Phase::safe) {
    return std::min({state_.next_send, state_.leased_from + terms_.jeopardy, lease_end()});
  }
  if (state_.phase == Phase::jeopardy) return std::min(state_.next_send, lease_end());
  return state_.next_send;
}

ToServer LeaseClient::sign_of_life(Time now) const {
  if (state_.phase == Phase::opening) return Hello{nonce_, terms_.ttl, fast_, now};
  return KeepAlive{state_.session, now};
}

LeaseClient::Step LeaseClient::connected(Time now) {
  state_.next_send = now;
  return wake(now);
}

LeaseClient::Step LeaseClient::wake(Time now) {
  Step step;
  step.event = notice(now);
  if (!is_over() && now >= state_.next_send) {
    step.send = sign_of_life(now);
    state_.next_send = now + terms_.interval;
  }
  return step;
}

LeaseClient::Step LeaseClient::receive(Time now, const ToClient& message) {
  // The answer may have come too late, so look at the time first.
  Step step;
  step.event = notice(now);
  Event event = Event::none;
  if (const auto* welcome = std::get_if<Welcome>(&message)) {
    event = upon(now, *welcome);
  } else if (const auto* alive = std::get_if<Alive>(&message)) {
    event = upon(now, *alive, step.report);
  } else {
    event = upon(std::get<Gone>(message));
  }
  if (event != Event::none) step.event = event;
  return step;
}

LeaseClient::Step LeaseClient::close() {
  Step step;
  if (state_.phase != Phase::opening) step.send = Close{state_.session};
  state_.phase = Phase::closed;
  return step;
}

bool LeaseClient::is_current(Epoch epoch) {
  if (epoch < state_.epoch) return omits(LeaseRule::newer_epoch_only);
  state_.epoch = epoch;
  return true;
}

// The lease ends by itself.
LeaseClient::Event LeaseClient::notice(Time now) {
  if (state_.phase == Phase::opening || is_over()) return Event::none;
  const Phase before = state_.phase;
  if (now >= lease_end()) {
    state_.phase = state_.holding ? Phase::lost : Phase::doubt;
    if (state_.holding) return Event::lost;
  } else if (before == Phase::safe && now >= state_.leased_from + terms_.jeopardy) {
    state_.phase = Phase::jeopardy;
  }
  return before == Phase::safe && state_.phase != Phase::safe ? Event::jeopardy : Event::none;
}

LeaseClient::Event LeaseClient::upon(Time now, const Welcome& message) {
  if (state_.phase != Phase::opening || message.nonce != nonce_) return Event::none;
  if (!is_current(message.epoch)) return Event::none;
  state_.session = message.session;
  state_.leased_from = message.sent;
  state_.phase = Phase::safe;
  notice(now);
  return Event::opened;
}

LeaseClient::Event LeaseClient::upon(Time now, const Alive& message, bool& report) {
  const bool undoes_loss = omits(LeaseRule::final_loss) && state_.phase == Phase::lost;
  if (is_over() && !undoes_loss) return Event::none;
  if (message.session != state_.session || !is_current(message.epoch)) return Event::none;
  report = message.wants_report;
  return extend(now, omits(LeaseRule::lease_from_send) ? now : message.sent);
}

LeaseClient::Event LeaseClient::upon(const Gone& message) {
  if (is_over() || message.session != state_.session) return Event::none;
  if (!is_current(message.epoch)) return Event::none;
  state_.phase = Phase::lost;
  return Event::lost;
}

LeaseClient::Event LeaseClient::extend(Time now, Time sent) {
  state_.leased_from = std::max(state_.leased_from, sent);
  if (state_.phase == Phase::safe || now >= lease_end()) return Event::none;
  state_.phase = Phase::jeopardy;
  if (now >= state_.leased_from + terms_.jeopardy) return Event::none;
  state_.phase = Phase::safe;
  return Event::safe;
}

// --- The server ---------------------------------------------------------------------------------

LeaseServer::Lease* LeaseServer::find(SessionId session) {
  return const_cast<Lease*>(std::as_const(*this).find(session));
}

const LeaseServer::Lease* LeaseServer::find(SessionId session) const {
  const auto at =
      std::lower_bound(state_.leases.begin(), state_.leases.end(), session,
                       [](const Lease& lease, SessionId wanted) { return lease.session < wanted; });
  return at != state_.leases.end() && at->session == session ? &*at : nullptr;
}

void LeaseServer::add(const Lease& lease) {
  const auto at = std::upper_bound(
      state_.leases.begin(), state_.leases.end(), lease.session,
      [](SessionId session, const Lease& other) { return session < other.session; });
  state_.leases.insert(at, lease);
  state_.earliest = std::min(state_.earliest, lease.until);
}

void LeaseServer::open(Time now, SessionId session, Duration ttl) {
  add({.session = session, .ttl = ttl, .until = now + ttl});
}

void LeaseServer::take_over(Time now, SessionId session, Duration ttl, bool must_report,
                            Duration wait) {
  // Nobody knows when its client last heard of the server: the whole length is to be waited.
  Time until = omits(LeaseRule::leases_anew) ? Time{now.value - 1} : now + ttl;
  if (!omits(LeaseRule::early_takeover_wait)) until = until + wait;
  add({.session = session, .ttl = ttl, .until = until, .unreported = must_report});
}

void LeaseServer::close(SessionId session) {
  std::erase_if(state_.leases, [&](const Lease& lease) { return lease.session == session; });
}

// A client that has spoken to this epoch need not have heard its answer: it may still hear a
// predecessor, and the time that was given for that is not to be taken back.
void LeaseServer::extend(Lease& lease, Time until) {
  if (until < lease.until && !omits(LeaseRule::leases_only_grow)) return;
  lease.until = until;
  state_.earliest = std::min(state_.earliest, until);
}

void LeaseServer::wake(Time now) {
  const Duration gap = now - state_.last_wake;
  state_.last_wake = now;
  if (gap <= longest_turn_ || omits(LeaseRule::gap_extension)) return;
  for (Lease& lease : state_.leases) {
    extend(lease, std::min(lease.until + gap, now + lease.ttl));
  }
  // A bound still; expire_next() will find a better one.
}

std::optional<ToClient> LeaseServer::receive(Time now, const KeepAlive& message) {
  Lease* lease = find(message.session);
  if (lease == nullptr) return Gone{state_.epoch, message.session};
  if (lease->expiring && !omits(LeaseRule::refuse_after_expiry)) {
    if (omits(LeaseRule::durable_expiry_first)) return Gone{state_.epoch, message.session};
    return std::nullopt;
  }
  extend(*lease, now + lease->ttl);
  return Alive{state_.epoch, message.session, message.sent, lease->unreported};
}

bool LeaseServer::report(SessionId session, Epoch epoch) {
  Lease* lease = find(session);
  if (lease == nullptr || lease->expiring || epoch != state_.epoch) return false;
  return std::exchange(lease->unreported, false);
}

// `earliest` is only a bound: keeping alive does not touch it, so that all leases are looked at
// about once in the time that one lasts.
std::optional<SessionId> LeaseServer::expire_next(Time now) {
  if (now <= state_.earliest) return std::nullopt;
  Time earliest = never;
  for (Lease& lease : state_.leases) {
    if (lease.expiring) continue;
    if (now > lease.until) {
      lease.expiring = true;
      return lease.session;
    }
    earliest = std::min(earliest, lease.until);
  }
  state_.earliest = earliest;
  return std::nullopt;
}

Gone LeaseServer::expired(SessionId session) {
  close(session);
  return {state_.epoch, session};
}

bool LeaseServer::may_grant() const {
  if (omits(LeaseRule::report_before_grant)) return true;
  return std::none_of(state_.leases.begin(), state_.leases.end(),
                      [](const Lease& lease) { return lease.unreported && !lease.expiring; });
}

bool LeaseServer::hears(SessionId session) const {
  const Lease* lease = find(session);
  if (lease == nullptr || lease->expiring) return false;
  return !lease->unreported || omits(LeaseRule::report_first);
}

// --- Leadership ---------------------------------------------------------------------------------

ProofTerms ProofTerms::of(Duration ttl) {
  const Duration margin{ttl.value / 50};
  return {ttl, margin, {(ttl.value - margin.value) / 4}};
}

void LeaderProof::begin(Time now, Time sent) {
  state_ = {.leads = true, .from = sent, .next_send = sent + terms_.interval};
  renewed(now, sent);
}

void LeaderProof::renewed(Time now, Time sent) {
  state_.from = std::max(state_.from, omits(LeaseRule::proof_from_send) ? now : sent);
}

bool LeaderProof::holds(Time now) const {
  return state_.leads && (now < until() || omits(LeaseRule::leader_proof));
}

}  // namespace baton::service
