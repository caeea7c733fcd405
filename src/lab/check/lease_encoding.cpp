// Encodes states of the world of the lease protocol as bytes, and decodes them.
#include <stdexcept>
#include <type_traits>

#include "lab/check/lease_world.h"

namespace baton::check {

using service::LeaseServer;

namespace {

// Numbers that may be too large for the short encoding.
template <class Number, class Visit>
void halves(Number& number, Visit& v) {
  auto low = static_cast<std::uint8_t>(number & 0xFF);
  auto high = static_cast<std::uint8_t>(number >> 8);
  v(low, high);
  if constexpr (!std::is_const_v<Number>) {
    number = static_cast<Number>(low | high << 8);
  }
}

// Visits the contents of a journal, or a server's knowledge of it.
template <class Kept, class Visit>
void each_number_kept(Kept& k, Visit& v) {
  v(k.epoch, k.clean, k.holder, k.fence, k.next_fence, k.reserve);
  for (std::size_t i = 0; i < LeaseWorld::clients; ++i) v(k.alive[i], k.answered[i], k.answer[i]);
}

template <class List, class Visit, class Each>
void each_of(List& list, Visit& v, Each each) {
  v(list.size);
  for (std::size_t i = 0; i < list.size; ++i) each(list.items[i]);
}

// Encodes only differences: a single server leads whenever it runs and knows the whole journal, and
// of two servers that is mostly true.
template <class State, class Server, class Visit>
void each_number_of_leadership(State& s, Server& server, Visit& v) {
  const bool several = s.servers > 1;
  LeaseWorld::Number differs = several && !(server.kept == s.durable) ? 1 : 0;
  if constexpr (!std::is_const_v<State>) server.proof.leads = true;
  if (several) {
    v(server.proof.leads, server.cut_off, server.stopping, differs);
    v(server.proof.from.value, server.proof.next_send.value);
  }
  if (differs != 0) return each_number_kept(server.kept, v);
  if constexpr (!std::is_const_v<State>) server.kept = s.durable;
}

template <class State, class Server, class Visit>
void each_number_of_server(State& s, Server& server, Visit& v) {
  v(server.up);
  if (!server.up) return;
  each_number_of_leadership(s, server, v);
  if (!server.proof.leads) return;
  v(server.paused, server.paused_for, server.turned, server.lease.epoch.value);
  v(server.lease.last_wake.value, server.lease.earliest.value);
  v.sized(server.lease.leases);
  for (auto& l : server.lease.leases) {
    v(l.session.value, l.ttl.value, l.until.value, l.expiring, l.unreported);
  }
  each_of(server.waiting, v, [&](auto& client) { v(client); });
  for (auto& request : server.request) v(request);
  each_of(server.journal, v, [&](auto& record) {
    v(record.effect, record.client);
    each_number_kept(record.kept, v);
  });
}

// Visits every number of a state, always in the same order; a length comes before its elements.
template <class State, class Visit>
void each_number(State& s, Visit& v) {
  const auto packet = [&](auto& p) {
    v(p.kind, p.epoch, p.time, p.request, p.fence, p.wants_report);
  };
  v(s.servers);
  const bool several = s.servers > 1;
  for (auto& c : s.client) {
    if (several) v(c.server, c.refused);
    v(c.stage, c.request, c.fence, c.fast, c.paused, c.cut_off, c.harmed, c.told_gone, c.lost);
    v(c.lease.phase, c.lease.holding, c.lease.session.value, c.lease.epoch.value,
      c.lease.leased_from.value, c.lease.next_send.value);
  }
  each_number_kept(s.durable, v);
  if (several) {
    v(s.missed.epoch);
    if (s.missed.epoch != 0) each_number_kept(s.missed, v);
    v(s.leader, s.key_until.value, s.takeovers_left, s.partings_left);
    each_of(s.under_way, v, [&](auto& kept) { each_number_kept(kept, v); });
  } else if constexpr (!std::is_const_v<State>) {
    s.leader = 1;
  }
  for (std::size_t k = 0; k < s.servers; ++k) each_number_of_server(s, s.server[k], v);
  for (std::size_t i = 0; i < LeaseWorld::clients; ++i) {
    each_of(s.to_server[i], v, packet);
    each_of(s.to_client[i], v, packet);
  }
  each_of(s.late, v, [&](auto& late) {
    v(late.client, late.to_server);
    if (several) v(late.server);
    packet(late.packet);
  });
  v(s.faults_left, s.cuts_left, s.lates_left, s.crashes_left, s.pauses_left, s.drifts_left,
    s.server_harmed, s.issued, s.presented);
  halves(s.broken, v);
  halves(s.shown, v);
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

}  // namespace baton::check
