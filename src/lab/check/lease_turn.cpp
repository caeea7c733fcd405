#include "lab/check/lease_turn.h"

#include <algorithm>

#include "lab/check/lease_terms.h"

namespace baton::check {

using namespace lease_terms;
using service::Alive;
using service::Epoch;
using service::Gone;
using service::KeepAlive;
using service::Time;

void LeaseWorld::Turn::wake(std::size_t i) {
  if (s_.client[i].refused) return connect(i);
  client(i, [](LeaseClient& lease) { return lease.wake(now); });
}

void LeaseWorld::Turn::connect(std::size_t i) {
  s_.client[i].refused = false;
  client(i, [](LeaseClient& lease) { return lease.connected(now); });
  ask_again(i);
}

void LeaseWorld::Turn::move(std::size_t i, std::size_t k) {
  moved_[i] = true;
  s_.client[i].server = static_cast<Number>(k);
  s_.to_client[i] = {};
  s_.to_server[i] = {};
  connect(i);
}

// The server refused the client, or did not answer. The client tries the other server, and then
// waits for a while.
void LeaseWorld::Turn::not_leading(std::size_t i) {
  const bool waits = s_.client[i].paused || s_.client[i].cut_off;
  const std::size_t other = 1U - s_.client[i].server;
  if (s_.servers == 1 || waits) return;
  if (!moved_[i] && s_.server[other].up) return move(i, other);
  s_.client[i].refused = true;
  s_.to_server[i] = {};
}

void LeaseWorld::Turn::ask(std::size_t i) {
  Client& c = s_.client[i];
  ++c.request;
  c.stage = is_release(c.request) ? Stage::releasing : Stage::asking;
  if (c.stage == Stage::releasing) {
    c.fence = 0;
    c.lease.holding = false;
  }
  to_server(i, {.kind = Kind::ask, .request = c.request});
}

void LeaseWorld::Turn::ask_again(std::size_t i) {
  const Client& c = s_.client[i];
  if (c.stage != Stage::asking && c.stage != Stage::releasing) return;
  to_server(i, {.kind = Kind::ask, .request = c.request});
}

void LeaseWorld::Turn::to_server(std::size_t i, const Packet& packet) {
  const Client& c = s_.client[i];
  if (!s_.server[c.server].up || c.cut_off || c.refused) return;
  auto& channel = s_.to_server[i];
  const auto is_sign = [](const Packet& p) { return p.kind == Kind::keep_alive; };
  // The server will read both at once, and then only the last one counts.
  if (is_sign(packet) && !channel.empty() && is_sign(channel.items[channel.size - 1U])) {
    channel.items[channel.size - 1U] = packet;
  } else {
    channel.add(packet);
  }
}

void LeaseWorld::Turn::follow(std::size_t i, const LeaseClient::Step& step) {
  Client& c = s_.client[i];
  if (step.event == LeaseClient::Event::lost) {
    if (c.stage == Stage::holding) c.lost = true;
    if (!c.harmed && !s_.server_harmed) fail(keeping_alive_helps);
    c.stage = Stage::over;
    // The server keeps the fence only for a client that would take its loss back.
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
  const std::size_t k = s_.client[i].server;
  if (!s_.server[k].up) return not_leading(i);
  const bool prompt = s_.to_server[i].empty();
  to_server(i, packet);
  if (!prompt || s_.to_server[i].empty() || s_.server[k].paused) return;
  if (late_ == Lateness::question) return w_.make_late(s_, i, true);
  deliver_to_server(k, i, s_.to_server[i].take(0));
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

// Tells a client of a grant, or that the lock it released is free.
void LeaseWorld::Turn::believe(std::size_t i, const Packet& packet) {
  // The lease may have expired while the message was under way.
  wake(i);
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

}  // namespace baton::check
