// One step of the world of the lease protocol: the actions of clients, servers and the journal.
#pragma once

#include <array>
#include <cstddef>

#include "lab/check/lease_world.h"
#include "service/lease/lease.h"

namespace baton::check {

class LeaseWorld::Turn {
 public:
  using LeaseClient = service::LeaseClient;
  using LeaseServer = service::LeaseServer;
  using LeaderProof = service::LeaderProof;
  using LeaseRule = service::LeaseRule;
  using ToClient = service::ToClient;
  using Kind = Packet::Kind;

  // The part of a keepalive or a renewal that shall be late; the other parts are prompt.
  enum class Lateness : Number { none, question, answer };

  Turn(LeaseWorld& world, State& state, Lateness late = Lateness::none)
      : w_(world), s_(state), late_(late) {}

  // Clients (lease_turn.cpp).
  void wake(std::size_t i);
  void connect(std::size_t i);
  void move(std::size_t i, std::size_t k);  // changes to this server
  void ask(std::size_t i);
  void deliver_to_client(std::size_t i, const Packet& packet);

  // Servers (lease_turn_server.cpp).
  void deliver_to_server(std::size_t k, std::size_t i, const Packet& packet, bool is_late = false);
  void server_turns(std::size_t k);
  void server_resumes(std::size_t k, std::size_t order);
  void renewed(std::size_t k, const Packet& packet);
  void journal_writes(std::size_t k);
  void server_stops(std::size_t k);
  void server_ends(std::size_t k, bool cleanly);
  void server_starts();
  void take_over(std::size_t k, bool early, bool misses_the_last);
  void server_unseen(std::size_t k);  // the server will not see the result of its appends
  void store_returns(std::size_t k);
  void append_arrives();

 private:
  bool omits(LeaseRule rule) const { return w_.omits(rule); }
  void show(std::size_t property) {
    s_.shown |= static_cast<std::uint16_t>(1U << (property - a_loss));
  }
  void fail(std::size_t property) { s_.broken |= static_cast<std::uint16_t>(1U << property); }

  template <class Call>
  void client(std::size_t i, Call call) {
    LeaseClient& lease = w_.client(s_, i);
    const LeaseClient::Step step = call(lease);
    s_.client[i].lease = lease.state();
    follow(i, step);
  }
  void follow(std::size_t i, const LeaseClient::Step& step);
  void keep_alive(std::size_t i, const Packet& packet);
  void ask_again(std::size_t i);
  void believe(std::size_t i, const Packet& packet);
  void not_leading(std::size_t i);
  void to_server(std::size_t i, const Packet& packet);

  template <class Call>
  auto server(std::size_t k, Call call) {
    LeaseServer& lease = w_.server(s_, k);
    const auto result = call(lease);
    s_.server[k].lease = lease.state();
    return result;
  }
  void to_client(std::size_t k, std::size_t i, Packet packet);
  void to_client(std::size_t k, std::size_t i, const ToClient& message);
  void append(std::size_t k, const Kept& kept, Record::Effect effect, std::size_t client);
  void append_answer(std::size_t k, const Kept& kept, std::size_t i);
  void reply(std::size_t k, const Kept& kept, std::size_t i);
  bool is_expiry_under_way(std::size_t k) const;
  void hear_request(std::size_t k, std::size_t i, Number request);
  void hear_report(std::size_t k, std::size_t i, const Packet& packet);
  void expire(std::size_t k, std::size_t i);
  void grant(std::size_t k);
  void leave_queue(std::size_t k, std::size_t i);
  void renew(std::size_t k);
  void depose(std::size_t k);
  void lead(std::size_t k, Kept kept, service::Duration wait);
  void write(const Kept& kept);

  LeaseWorld& w_;
  State& s_;
  Lateness late_;
  std::array<bool, clients> moved_{};
};

}  // namespace baton::check
