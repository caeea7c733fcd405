// The discrete-event host, the part that is the same for every kind of protocol: processes in
// virtual time, a network between them, timers, faults, the trace and the counters.
//
// The application differs: it decides which process asks for a lock or holds an election, what the
// protocol's events mean, and which oracles watch. A simulation of one kind derives from this
// class, names itself as `Application`, and has these members, which this class calls:
//   begin()                     schedules the application's first events
//   handle(event)               a request or an exit comes due
//   told(node, event)           a protocol emitted an event
//   sent(node, slot), received(node, slot)
//   crashed(node), recovered(node), paused(node), resumed(node), struck()
//   make(node)                  returns the protocol of a process in its first life
//   go_on_when_quiet()          nothing is scheduled any more; true if the application has more
//   go_on()                     called after each event; false ends the run
//   finish()                    the run has ended
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/any_protocol.h"
#include "core/carry_out.h"
#include "core/protocol.h"
#include "core/reflect.h"
#include "core/trace.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/network.h"
#include "lab/sim/plan.h"
#include "lab/sim/report.h"

namespace baton::sim {

template <class Application, Protocol P>
class World : private Chooser {
 public:
  Report run() {
    begin();
    while (!stopped_) {
      if (queue_.empty() && !application().go_on_when_quiet()) break;
      const Event event = queue_.pop();
      if (event.at > plan_.time_limit) break;
      now_ = event.at;
      handle(event);
      if ((++report_.events & 0xFFFF) == 0 && plan_.progress) plan_.progress(report_.entries);
      if (!application().go_on()) break;
    }
    return finish();
  }

 protected:
  using Message = typename P::Message;

  World(const Plan& plan, Trace* trace)
      : plan_(plan),
        judged_(info_of<P>(plan_.setup).promises | plan.demands),
        types_(message_types_of<Message>(plan_.setup)),
        opaque_types_(
            plan_.setup.protocol == nullptr ? 0 : plan_.setup.protocol->message_types().size()),
        network_(plan_, plan_.setup.size),
        choices_(plan_.seed, 4),
        nodes_(plan_.setup.size),
        condition_(plan_.setup.size, Condition::up),
        lives_(plan_.setup.size),
        load_(plan_.setup.size),
        sent_(types_.size()),
        returned_(types_.size()) {
    for (const NodeId node : plan_.faults.absent) condition_[node.value] = Condition::down;
    if (trace != nullptr) {
      trace->algorithm = info_of<P>(plan_.setup).name;
      trace->size = plan_.setup.size;
      trace->seed = plan_.seed;
      recorder_ = std::make_unique<TraceRecorder>(*trace);
    }
  }

  // The members that an application need not define.
  void paused(NodeId) {}
  void resumed(NodeId) {}

  bool is_up(NodeId node) const { return condition_[node.value] != Condition::down; }
  bool is_running(NodeId node) const { return condition_[node.value] == Condition::up; }
  bool all_faults_struck() const { return faults_struck_ == plan_.faults.schedule.size(); }
  bool can_talk(NodeId a, NodeId b) const { return !network_.is_cut(a, b); }

  // Runs one handler of a process and carries out its decisions.
  template <class Handler>
  void step(NodeId id, Handler handler) {
    handler(node(id), out_);
    carry_out(id);
  }

  void record(NodeId id, TraceKind kind, NodeId peer = nobody, std::string name = {}) {
    if (recorder_) recorder_->local(now_, id, kind, peer, std::move(name));
  }

  // Makes a process's state when it is first needed.
  P& node(NodeId id) {
    auto& node = nodes_[id.value];
    if (!node) {
      node = std::make_unique<P>(application().make(id));
      ++report_.processes_touched;
    }
    return *node;
  }

  std::uint32_t life(NodeId id) const { return lives_[id.value]; }
  std::uint64_t sent_of(std::size_t type) const { return sent_[type]; }
  const Message& message_in(std::uint32_t slot) const { return in_flight_[slot].message; }

  const Plan plan_;
  const Promises judged_;
  const std::vector<MessageKind> types_;
  Report report_;
  EventQueue queue_;
  Ticks now_{0};

 private:
  enum class Condition : std::uint8_t { up, paused, down };

  static constexpr std::uint32_t no_slot = 0xFFFF'FFFF;

  // A message under way, kept once for all its receivers.
  struct InFlight {
    Message message;
    std::uint64_t traced = 0;
    std::uint32_t receipts_left = 0;
    std::uint32_t life = 0;  // of its sender
  };

  // What the host's failure detector knows for one process, in one of its lives, of another.
  struct Seen {
    Ticks since{0};  // when `reachable` last changed
    std::uint32_t life = 0;
    bool reachable = true;
    bool told_unreachable = false;
  };

  Application& application() { return static_cast<Application&>(*this); }

  void begin() {
    for (std::uint32_t i = 0; i < plan_.faults.schedule.size(); ++i) {
      queue_.push(plan_.faults.schedule[i].at, EventKind::fault, nobody, i);
    }
    if constexpr (Starts<P>) {
      for (std::uint32_t i = 0; i < plan_.setup.size; ++i) {
        if (is_up({i})) step({i}, [](P& protocol, auto& out) { protocol.start(out); });
      }
    }
    application().begin();
  }

  void handle(const Event event) {
    switch (event.kind) {
      case EventKind::deliver:
        deliver({event.life}, event.node, event.argument);
        break;
      case EventKind::returned:
        give_back({event.life}, event.node, event.argument);
        break;
      case EventKind::request:
      case EventKind::exit:
        if (postponed(event)) break;
        application().handle(event);
        break;
      case EventKind::timer:
        expire(event);
        break;
      case EventKind::fault:
        strike(plan_.faults.schedule[event.argument]);
        break;
      case EventKind::notice:
        notice(event);
        break;
    }
  }

  // A paused process finds the events of the meantime when it resumes.
  bool postponed(const Event& event) {
    if (event.node == nobody || condition_[event.node.value] != Condition::paused) return false;
    meanwhile_.push_back(event);
    return true;
  }

  void deliver(NodeId from, NodeId to, std::uint32_t slot) {
    if (condition_[to.value] != Condition::up || network_.is_cut(from, to)) [[unlikely]] {
      fail_to_deliver(from, to, slot);
      return;
    }
    if constexpr (HeedsSuspicion<P>) {
      if (plan_.faults.detection.value != 0) [[unlikely]]
        hear(to, from);
    }
    ++report_.deliveries;
    ++load_[to.value];
    application().received(to, slot);
    if (recorder_) recorder_->receive(now_, to, in_flight_[slot].traced);
    node(to).receive(from, in_flight_[slot].message, out_);
    unpack(slot);
    carry_out(to);
  }

  [[gnu::noinline]] void fail_to_deliver(NodeId from, NodeId to, std::uint32_t slot) {
    const bool cut = network_.is_cut(from, to);
    if (!cut && condition_[to.value] == Condition::paused) {
      Event later{};
      later.kind = EventKind::deliver;
      later.node = to;
      later.argument = slot;
      later.life = from.value;
      meanwhile_.push_back(later);
      return;
    }
    ++report_.lost;
    if (recorder_) recorder_->drop(now_, to, in_flight_[slot].traced);
    if constexpr (HeedsReturns<P>) {
      if (!cut) {
        ++report_.returned;
        ++returned_[reflect::message_type(in_flight_[slot].message, opaque_types_)];
        queue_.push(network_.arrival(to, from, now_), EventKind::returned, from, slot, to.value);
        return;
      }
    }
    unpack(slot);
  }

  // What an earlier life has sent does not come back: its connections ended with it.
  void give_back([[maybe_unused]] NodeId to, NodeId from, std::uint32_t slot) {
    if constexpr (HeedsReturns<P>) {
      if (condition_[from.value] == Condition::up && in_flight_[slot].life == lives_[from.value]) {
        node(from).returned(to, in_flight_[slot].message, out_);
        unpack(slot);
        carry_out(from);
        return;
      }
    }
    unpack(slot);
  }

  void expire(const Event& event) {
    if constexpr (HasTimers<P>) {
      const TimerId timer{event.argument};
      const auto armed = timers_.find(timer_key(event.node, timer));
      if (armed == timers_.end() || armed->second != event.life) return;
      if (postponed(event)) return;
      timers_.erase(armed);
      record(event.node, TraceKind::timer, nobody, std::to_string(timer.value));
      step(event.node, [&](P& protocol, auto& out) { protocol.expire(timer, out); });
    }
  }

  Seen& seen_of(NodeId who, NodeId whom) {
    return seen_[std::size_t{who.value} * plan_.setup.size + whom.value];
  }

  void strike(const Fault& fault) {
    ++faults_struck_;
    switch (fault.kind) {
      case Fault::Kind::crash:
        crash(fault.node);
        break;
      case Fault::Kind::quit:
        quit(fault.node);
        break;
      case Fault::Kind::recover:
        recover(fault.node);
        break;
      case Fault::Kind::pause:
        condition_[fault.node.value] = Condition::paused;
        record(fault.node, TraceKind::pause);
        application().paused(fault.node);
        break;
      case Fault::Kind::resume:
        resume(fault.node);
        break;
      case Fault::Kind::partition:
        network_.partition(fault.side_of);
        break;
      case Fault::Kind::heal:
        network_.heal();
        break;
      case Fault::Kind::cut:
        network_.cut(fault.node, fault.whom);
        break;
      case Fault::Kind::mend:
        network_.mend(fault.node, fault.whom);
        break;
      case Fault::Kind::suspect:
        if (is_up(fault.node)) suspect(fault.node, fault.whom);
        break;
      case Fault::Kind::trust:
        if (is_up(fault.node)) trust(fault.node, fault.whom);
        break;
    }
    tell_who_is_reachable();
    application().struck();
  }

  void crash(NodeId id) {
    record(id, TraceKind::crash);
    if constexpr (HasDurable<P>) {
      if (nodes_[id.value]) durable_[id.value] = nodes_[id.value]->durable();
    }
    condition_[id.value] = Condition::down;
    ++lives_[id.value];
    std::erase_if(timers_, [&](const auto& timer) { return timer.first >> 32 == id.value; });
    std::erase_if(meanwhile_, [&](const Event& event) {
      if (event.node != id) return false;
      if (event.kind == EventKind::deliver) unpack(event.argument);
      return true;
    });
    nodes_[id.value].reset();
    application().crashed(id);
  }

  void quit(NodeId id) {
    if constexpr (Leaves<P>) {
      if (is_running(id)) step(id, [](P& protocol, auto& out) { protocol.leave(out); });
    }
    crash(id);
  }

  // The process comes back: it has lost what it knew, except its durable state.
  void recover(NodeId id) {
    record(id, TraceKind::recover);
    condition_[id.value] = Condition::up;
    if constexpr (HasDurable<P>) {
      if (const auto kept = durable_.find(id.value); kept != durable_.end()) {
        nodes_[id.value] = std::make_unique<P>(id, plan_.setup, kept->second);
      }
    }
    if (!nodes_[id.value]) nodes_[id.value] = std::make_unique<P>(id, plan_.setup);
    if constexpr (Recovers<P>) {
      step(id, [](P& protocol, auto& out) { protocol.recover(out); });
    } else if constexpr (Starts<P>) {
      step(id, [](P& protocol, auto& out) { protocol.start(out); });
    }
    application().recovered(id);
  }

  void resume(NodeId id) {
    record(id, TraceKind::resume);
    condition_[id.value] = Condition::up;
    application().resumed(id);
    std::vector<Event> now_due;
    std::erase_if(meanwhile_, [&](const Event& event) {
      if (event.node != id) return false;
      now_due.push_back(event);
      return true;
    });
    for (const Event& event : now_due) {
      queue_.push(now_, event.kind, event.node, event.argument, event.life);
    }
  }

  void suspect(NodeId who, NodeId whom) {
    record(who, TraceKind::suspect, whom);
    if constexpr (HeedsSuspicion<P>) {
      step(who, [&](P& protocol, auto& out) { protocol.suspect(whom, out); });
    }
  }
  void trust(NodeId who, NodeId whom) {
    record(who, TraceKind::trust, whom);
    if constexpr (HeedsTrust<P>) {
      step(who, [&](P& protocol, auto& out) { protocol.trust(whom, out); });
    }
  }

  // The host's own failure detector, if the plan has one. For each process it schedules a notice
  // about each other process that has become unreachable for it, or reachable again.
  void tell_who_is_reachable() {
    if constexpr (HeedsSuspicion<P>) {
      if (plan_.faults.detection.value == 0) return;
      seen_.resize(std::size_t{plan_.setup.size} * plan_.setup.size);
      for (std::uint32_t who = 0; who < plan_.setup.size; ++who) {
        if (!is_up({who})) continue;
        for (std::uint32_t whom = 0; whom < plan_.setup.size; ++whom) {
          if (who != whom) see({who}, {whom});
        }
      }
    }
  }

  void see(NodeId who, NodeId whom) {
    Seen& seen = seen_of(who, whom);
    const bool reachable = is_up(whom) && can_talk(who, whom);
    // A process that has come back takes everyone for reachable, as all do in the beginning.
    if (seen.life != lives_[who.value]) seen = {.life = lives_[who.value]};
    if (seen.reachable == reachable) return;
    seen.reachable = reachable;
    seen.since = now_;
    queue_.push(now_ + plan_.faults.detection, EventKind::notice, who, whom.value, seen.life);
  }

  // By now the world may have changed again; what counts is how it is. What has not been so for the
  // time that it takes to find out comes with a later notice.
  void notice(const Event& event) {
    const NodeId who = event.node;
    const NodeId whom{event.argument};
    if (event.life != lives_[who.value] || !is_up(who)) return;
    Seen& seen = seen_of(who, whom);
    if (now_ - seen.since < plan_.faults.detection) return;
    if (postponed(event)) return;
    if (seen.told_unreachable == !seen.reachable) return;
    seen.told_unreachable = !seen.reachable;
    if (seen.reachable) {
      trust(who, whom);
    } else {
      suspect(who, whom);
    }
  }

  // For the host's detector a message is a sign of life. If no more follow, the detector finds that
  // out anew.
  void hear(NodeId who, NodeId whom) {
    if (seen_.empty()) return;
    Seen& seen = seen_of(who, whom);
    if (!seen.told_unreachable || seen.life != lives_[who.value]) return;
    seen.told_unreachable = false;
    queue_.push(now_ + plan_.faults.detection, EventKind::notice, who, whom.value, seen.life);
    trust(who, whom);
  }

  void carry_out(NodeId self) {
    baton::carry_out(self, node(self), out_, Duties{*this, self}, std::move(to_self_));
    if (report_.violations.size() > violations_seen_) {
      violations_seen_ = report_.violations.size();
      if (report_.broken(judged_) != nullptr) stopped_ = true;
    }
  }

  // The host's duties (core/carry_out.h) to one process.
  struct Duties {
    World& world;
    NodeId self;

    void send(const Message& message, std::span<const typename OutboxOf<P>::Send> sends) {
      world.transmit(self, message, sends);
    }
    void arm(TimerId timer, Ticks after) { world.arm(self, timer, after); }
    void tell(const typename P::Event& event) { world.application().told(self, event); }
    void spare(std::uint32_t transmissions) { world.report_.transmissions -= transmissions; }
  };

  void transmit(NodeId from, const Message& message,
                std::span<const typename OutboxOf<P>::Send> sends) {
    const bool plainly = !recorder_ && !network_.interferes();
    std::uint32_t slot = no_slot;
    std::uint32_t copies = 0;
    for (const auto& send : sends) {
      const NodeId to = send.to;
      if (to == from) continue;
      ++copies;
      if (plainly) {
        if (slot == no_slot) slot = pack(from, message, 0);
        schedule_delivery(from, to, slot, now_);
      } else {
        transmit_with_care(from, to, message);
      }
    }
    if (copies == 0) return;
    report_.transmissions += copies;
    report_.bytes += copies * reflect::encoded_size(message);
    load_[from.value] += copies;
    sent_[reflect::message_type(message, opaque_types_)] += copies;
  }

  // Each send needs a slot of its own, since it has its own number in the trace and its own fate.
  [[gnu::noinline]] void transmit_with_care(NodeId from, NodeId to, const Message& message) {
    const std::uint64_t traced =
        recorder_ ? recorder_->send(now_, from, to, reflect::message_name(message),
                                    reflect::message_body(message))
                  : 0;
    const Ticks departs = network_.departure(from, now_);
    if (network_.loses() || network_.is_cut(from, to)) {
      ++report_.lost;
      if (recorder_) recorder_->drop(now_, to, traced);
      return;
    }
    const std::uint32_t slot = pack(from, message, traced);
    schedule_delivery(from, to, slot, departs);
    if (network_.duplicates()) {
      ++report_.duplicated;
      schedule_delivery(from, to, slot, departs);
    }
  }

  std::uint32_t pack(NodeId from, const Message& message, std::uint64_t traced) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(in_flight_.size());
      in_flight_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    InFlight& place = in_flight_[slot];
    place.message = message;
    place.traced = traced;
    place.receipts_left = 0;
    place.life = lives_[from.value];
    application().sent(from, slot);
    return slot;
  }

  void unpack(std::uint32_t slot) {
    if (--in_flight_[slot].receipts_left == 0) free_.push_back(slot);
  }

  void schedule_delivery(NodeId from, NodeId to, std::uint32_t slot, Ticks departs) {
    ++in_flight_[slot].receipts_left;
    queue_.push(network_.arrival(from, to, departs), EventKind::deliver, to, slot, from.value);
  }

  static std::uint64_t timer_key(NodeId id, TimerId timer) {
    return std::uint64_t{id.value} << 32 | timer.value;
  }

  void arm(NodeId id, TimerId timer, Ticks after) {
    if (after == forever) {
      timers_.erase(timer_key(id, timer));
      return;
    }
    timers_[timer_key(id, timer)] = ++armed_;
    queue_.push(now_ + after, EventKind::timer, id, timer.value, armed_);
  }

  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(choices_.below(bound));
  }

  Report finish() {
    application().finish();
    for (std::size_t i = 0; i < types_.size(); ++i) {
      report_.by_type.push_back({types_[i].name, sent_[i], returned_[i]});
    }
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < load_.size(); ++i) {
      total += load_[i];
      if (report_.busiest == nobody || load_[i] > load_[report_.busiest.value]) {
        report_.busiest = {i};
      }
    }
    report_.busiest_load = load_[report_.busiest.value];
    report_.mean_load = static_cast<double>(total) / static_cast<double>(load_.size());
    report_.ended = now_;
    if (recorder_ && !report_.violations.empty()) {
      // Prefers a broken promise to a violation that was only noted before it.
      const Violation* broken = report_.broken(judged_);
      recorder_->set_verdict(broken != nullptr ? broken->what : report_.violations.front().what);
    }
    return std::move(report_);
  }

  const std::size_t opaque_types_;  // of messages that know their own type
  Network network_;
  Random choices_;
  std::unique_ptr<TraceRecorder> recorder_;
  OutboxOf<P> out_{*this};

  std::vector<std::unique_ptr<P>> nodes_;
  std::unordered_map<std::uint32_t, DurableOf<P>> durable_;
  std::vector<Condition> condition_;
  std::vector<std::uint32_t> lives_;  // how often each process has crashed
  std::vector<std::uint32_t> load_;   // messages sent and received
  std::vector<Event> meanwhile_;      // the events that paused processes will find
  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_;                          // slots of in_flight_
  std::vector<Message> to_self_;                             // a buffer
  std::unordered_map<std::uint64_t, std::uint32_t> timers_;  // the valid arming of each timer
  std::uint32_t armed_ = 0;
  std::vector<std::uint64_t> sent_;      // by type of message
  std::vector<std::uint64_t> returned_;  // ... likewise
  std::vector<Seen> seen_;               // by every process of every other, from the first fault on

  bool stopped_ = false;
  std::size_t violations_seen_ = 0;
  std::size_t faults_struck_ = 0;
};

}  // namespace baton::sim
