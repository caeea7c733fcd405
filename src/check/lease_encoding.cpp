// States of the world of the lease protocol as bytes, and back.
#include <stdexcept>
#include <type_traits>

#include "check/lease_world.h"

namespace baton::check {

using service::LeaseServer;

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

}  // namespace baton::check
