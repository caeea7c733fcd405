// One step of the world of the lease protocol: what clients and servers do in it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "check/lease_terms.h"
#include "check/lease_world.h"
#include "service/lease.h"

namespace baton::check {

class LeaseWorld::Turn {
 public:
  using LeaseClient = service::LeaseClient;
  using LeaseServer = service::LeaseServer;
  using LeaseRule = service::LeaseRule;
  using ToClient = service::ToClient;
  using Kind = Packet::Kind;

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
    c.stage = lease_terms::is_release(c.request) ? Stage::releasing : Stage::asking;
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
    client(i, [](LeaseClient& lease) { return lease.connected(lease_terms::now); });
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
    to_client(i, lease_terms::is_release(request)
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

}  // namespace baton::check
