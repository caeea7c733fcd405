// The discrete-event host: runs any mutual-exclusion protocol in virtual time, carries out its
// outbox over a simulated network, injects the planned faults, and lets the oracles watch.
//
// Everything that does not depend on the protocol's type is in classes of its own; this template
// only holds the processes and their messages.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/reflect.h"
#include "core/trace.h"
#include "sim/driver.h"
#include "sim/event_queue.h"
#include "sim/network.h"
#include "sim/oracle.h"
#include "sim/plan.h"
#include "sim/report.h"

namespace baton::sim {

MutexOracle::Bounds bounds_of(const Plan& plan);

template <MutexProtocol P>
class Simulation : private Chooser {
 public:
  Simulation(const Plan& plan, Trace* trace)
      : plan_(plan),
        judged_(P::info().promises | plan.demands),
        perpetual_(P::info().perpetual),
        network_(plan_, plan_.setup.size),
        driver_(plan_, queue_),
        oracle_(plan_.setup.size, bounds_of(plan_), report_),
        choices_(plan_.seed, 4),
        nodes_(plan_.setup.size),
        lives_(plan_.setup.size),
        load_(plan_.setup.size) {
    if (trace != nullptr) {
      trace->algorithm = P::info().name;
      trace->size = plan_.setup.size;
      trace->seed = plan_.seed;
      recorder_ = std::make_unique<TraceRecorder>(*trace);
    }
  }

  Report run() {
    begin();
    while (!stopped_) {
      if (queue_.empty() && !go_on_when_quiet()) break;
      const Event event = queue_.pop();
      if (event.at > plan_.time_limit) break;
      now_ = event.at;
      if (oracle_.is_stuck(now_)) {
        oracle_.report_stuck(now_);
        break;
      }
      handle(event);
      if ((++report_.events & 0xFFFF) == 0 && plan_.progress) plan_.progress(report_.entries);
      if (perpetual_ && !go_on_when_idle()) break;
    }
    return finish();
  }

 private:
  using Message = typename P::Message;
  static constexpr std::size_t types = std::variant_size_v<Message>;

  static constexpr std::uint32_t no_slot = 0xFFFF'FFFF;

  // A message under way, once for all its receivers.
  struct InFlight {
    Message message;
    std::uint64_t traced = 0;
    std::uint32_t receipts_left = 0;
  };

  void begin() {
    if (plan_.inside != nobody) {
      oracle_.starts_inside(plan_.inside);
      schedule_exit(plan_.inside);
    }
    for (std::uint32_t i = 0; i < plan_.faults.schedule.size(); ++i) {
      queue_.push(plan_.faults.schedule[i].at, EventKind::fault, nobody, i);
    }
    if constexpr (Starts<P>) {
      for (std::uint32_t i = 0; i < plan_.setup.size; ++i) {
        node({i}).start(out_);
        carry_out({i});
      }
    }
    driver_.begin();
  }

  // Nothing is scheduled any more. True if the workload has something to go on with.
  bool go_on_when_quiet() {
    if (oracle_.waiting() > 0) {
      oracle_.fell_silent(now_);
      return false;
    }
    close_turn();
    return driver_.next_turn(now_, Ticks{0});
  }

  // The same for a protocol that never falls silent, as soon as nobody wants anything.
  bool go_on_when_idle() {
    if (oracle_.waiting() > 0 || oracle_.inside() > 0 || !driver_.is_idle()) return true;
    close_turn();
    const Ticks pause = plan_.setup.size * message_time;
    return driver_.next_turn(now_, pause) || faults_struck_ < plan_.faults.schedule.size();
  }

  void handle(const Event event) {
    switch (event.kind) {
      case EventKind::deliver:
        deliver({event.life}, event.node, event.argument);
        break;
      case EventKind::request:
        request(driver_.due(event.node, event.argument, event.at));
        break;
      case EventKind::exit:
        if (event.life == lives_[event.node.value]) exit(event.node);
        break;
      case EventKind::timer:
        expire(event.node, {event.argument}, event.life);
        break;
      case EventKind::fault:
        strike(plan_.faults.schedule[event.argument]);
        break;
    }
  }

  void request(NodeId id) {
    switch (oracle_.status(id)) {
      case MutexOracle::Status::waiting:
      case MutexOracle::Status::inside:
        driver_.postpone(id);
        return;
      case MutexOracle::Status::down:
        return;
      case MutexOracle::Status::idle:
        break;
    }
    open_turn(id);
    if (recorder_) recorder_->local(now_, id, TraceKind::request);
    oracle_.request(id, now_);
    node(id).request(out_);
    carry_out(id);
  }

  void exit(NodeId id) {
    if (recorder_) recorder_->local(now_, id, TraceKind::exit);
    oracle_.exit(id, now_);
    node(id).release(out_);
    carry_out(id);
    driver_.is_free(id, now_);
  }

  void deliver(NodeId from, NodeId to, std::uint32_t slot) {
    if (oracle_.status(to) == MutexOracle::Status::down || network_.is_cut(from, to)) {
      ++report_.lost;
      if (recorder_) recorder_->drop(now_, to, in_flight_[slot].traced);
      unpack(slot);
      return;
    }
    ++report_.deliveries;
    ++load_[to.value];
    oracle_.order().receive(to, slot);
    if (recorder_) recorder_->receive(now_, to, in_flight_[slot].traced);
    node(to).receive(from, in_flight_[slot].message, out_);
    unpack(slot);
    carry_out(to);
  }

  void expire(NodeId id, TimerId timer, std::uint32_t arming) {
    if constexpr (HasTimers<P>) {
      const auto armed = timers_.find(timer_key(id, timer));
      if (armed == timers_.end() || armed->second != arming) return;
      timers_.erase(armed);
      if (recorder_) {
        recorder_->local(now_, id, TraceKind::timer, nobody, std::to_string(timer.value));
      }
      node(id).expire(timer, out_);
      carry_out(id);
    }
  }

  void strike(const Fault& fault) {
    ++faults_struck_;
    oracle_.excuse(now_);
    switch (fault.kind) {
      case Fault::Kind::crash:
        if (recorder_) recorder_->local(now_, fault.node, TraceKind::crash);
        oracle_.crash(fault.node, now_);
        driver_.lapse(fault.node);
        ++lives_[fault.node.value];
        std::erase_if(timers_,
                      [&](const auto& timer) { return timer.first >> 32 == fault.node.value; });
        nodes_[fault.node.value].reset();
        break;
      case Fault::Kind::recover:
        // It comes back as new: what it knew is gone.
        if (recorder_) recorder_->local(now_, fault.node, TraceKind::recover);
        oracle_.recover(fault.node);
        driver_.is_free(fault.node, now_);
        break;
      case Fault::Kind::partition:
        network_.partition(fault.side_of);
        break;
      case Fault::Kind::heal:
        network_.heal();
        break;
      case Fault::Kind::suspect:
        if (recorder_) recorder_->local(now_, fault.node, TraceKind::suspect, fault.whom);
        if constexpr (HeedsSuspicion<P>) {
          node(fault.node).suspect(fault.whom, out_);
          carry_out(fault.node);
        }
        break;
    }
  }

  // The host's duties (core/outbox.h).
  void carry_out(NodeId self) {
    hand_over(self);
    while (!to_self_.empty()) {
      const Message message = to_self_.front();
      to_self_.pop_front();
      node(self).receive(self, message, out_);
      hand_over(self);
    }
    if (report_.violations.size() > violations_seen_) {
      violations_seen_ = report_.violations.size();
      if (report_.broken(judged_) != nullptr) stopped_ = true;
    }
  }

  void hand_over(NodeId self) {
    report_.transmissions -= out_.spared_by_multicast();
    const auto& sends = out_.sends();
    for (std::size_t first = 0; first < sends.size();) {
      std::size_t end = first + 1;
      while (end < sends.size() && sends[end].message == sends[first].message) ++end;
      transmit(self, out_.message(sends[first]), first, end);
      first = end;
    }
    for (const auto& timer : out_.timers()) arm(self, timer.id, timer.after);
    for (std::size_t i = 0; i < out_.events().size(); ++i) {
      if (recorder_) recorder_->local(now_, self, TraceKind::enter);
      if (oracle_.enter(self, now_)) schedule_exit(self);
      if (plan_.workload.count_from > 0) count_steady();
    }
    out_.clear();
  }

  // One message to the receivers of the sends from `first` to `end`.
  void transmit(NodeId from, const Message& message, std::size_t first, std::size_t end) {
    const bool plainly = !recorder_ && !network_.interferes();
    std::uint32_t slot = no_slot;
    std::uint32_t copies = 0;
    for (std::size_t i = first; i < end; ++i) {
      const NodeId to = out_.sends()[i].to;
      if (to == from) {
        to_self_.push_back(message);
        continue;
      }
      ++copies;
      if (plainly) {
        if (slot == no_slot) slot = pack(from, message, 0);
        schedule_delivery(from, to, slot);
      } else {
        transmit_with_care(from, to, message);
      }
    }
    if (copies == 0) return;
    report_.transmissions += copies;
    report_.bytes += copies * reflect::encoded_size(message);
    load_[from.value] += copies;
    sent_[message.index()] += copies;
  }

  // With a slot of its own, since each send has its own number in the trace and its own fate.
  [[gnu::noinline]] void transmit_with_care(NodeId from, NodeId to, const Message& message) {
    const std::uint64_t traced =
        recorder_ ? recorder_->send(now_, from, to, reflect::message_name(message),
                                    reflect::message_body(message))
                  : 0;
    if (network_.loses() || network_.is_cut(from, to)) {
      ++report_.lost;
      if (recorder_) recorder_->drop(now_, to, traced);
      return;
    }
    const std::uint32_t slot = pack(from, message, traced);
    schedule_delivery(from, to, slot);
    if (network_.duplicates()) {
      ++report_.duplicated;
      schedule_delivery(from, to, slot);
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
    oracle_.order().send(from, slot);
    return slot;
  }

  void unpack(std::uint32_t slot) {
    if (--in_flight_[slot].receipts_left == 0) free_.push_back(slot);
  }

  void schedule_delivery(NodeId from, NodeId to, std::uint32_t slot) {
    ++in_flight_[slot].receipts_left;
    queue_.push(network_.arrival(from, to, now_), EventKind::deliver, to, slot, from.value);
  }

  void schedule_exit(NodeId id) {
    queue_.push(now_ + plan_.critical_section, EventKind::exit, id, 0, lives_[id.value]);
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

  // A process's state is made when it is first needed.
  P& node(NodeId id) {
    auto& node = nodes_[id.value];
    if (!node) {
      node = std::make_unique<P>(id, plan_.setup, lives_[id.value] == 0 ? plan_.inside : nobody);
      ++report_.processes_touched;
    }
    return *node;
  }

  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(choices_.below(bound));
  }

  std::pair<std::uint64_t, std::uint64_t> messages_so_far() const {
    static constexpr auto phases = []<class... M>(const std::variant<M...>*) {
      return std::array<Phase, types>{phase_of<M>()...};
    }(static_cast<const Message*>(nullptr));
    std::pair<std::uint64_t, std::uint64_t> enter_and_exit;
    for (std::size_t i = 0; i < types; ++i) {
      (phases[i] == Phase::enter ? enter_and_exit.first : enter_and_exit.second) += sent_[i];
    }
    return enter_and_exit;
  }

  void count_steady() {
    const auto [enter, exit] = messages_so_far();
    if (report_.entries == plan_.workload.count_from)
      steady_begin_ = {report_.entries, enter, exit};
    report_.steady = {report_.entries - steady_begin_.entries, enter - steady_begin_.messages_enter,
                      exit - steady_begin_.messages_exit};
  }

  void open_turn(NodeId id) {
    if (plan_.workload.kind != Workload::Kind::turns) return;
    const auto [enter, exit] = messages_so_far();
    turn_ = {.node = id,
             .messages_enter = enter,
             .messages_exit = exit,
             .transmissions = report_.transmissions};
    waited_before_turn_ = report_.waiting.sum;
    turn_open_ = true;
  }

  void close_turn() {
    if (!std::exchange(turn_open_, false)) return;
    const auto [enter, exit] = messages_so_far();
    turn_.messages_enter = enter - turn_.messages_enter;
    turn_.messages_exit = exit - turn_.messages_exit;
    turn_.transmissions = report_.transmissions - turn_.transmissions;
    turn_.waited = report_.waiting.sum - waited_before_turn_;
    report_.turns.push_back(turn_);
  }

  Report finish() {
    std::tie(report_.messages_enter, report_.messages_exit) = messages_so_far();
    [&]<class... M>(const std::variant<M...>*) {
      std::size_t index = 0;
      ((report_.by_type.push_back({reflect::type_name<M>(), sent_[index]}), ++index), ...);
    }(static_cast<const Message*>(nullptr));
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
      recorder_->set_verdict(report_.violations.front().what);
    }
    return std::move(report_);
  }

  const Plan plan_;
  const Promises judged_;
  const bool perpetual_;
  Report report_;
  EventQueue queue_;
  Network network_;
  Driver driver_;
  MutexOracle oracle_;
  Random choices_;
  std::unique_ptr<TraceRecorder> recorder_;
  OutboxOf<P> out_{*this};

  std::vector<std::unique_ptr<P>> nodes_;
  std::vector<std::uint32_t> lives_;  // times that a process has crashed
  std::vector<std::uint32_t> load_;   // messages sent and received
  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_;  // slots of in_flight_
  std::deque<Message> to_self_;
  std::unordered_map<std::uint64_t, std::uint32_t> timers_;  // the valid arming of each
  std::uint32_t armed_ = 0;
  std::array<std::uint64_t, types> sent_{};

  Ticks now_{0};
  bool stopped_ = false;
  std::size_t violations_seen_ = 0;
  std::size_t faults_struck_ = 0;
  Steady steady_begin_;
  Turn turn_{};
  double waited_before_turn_ = 0;
  bool turn_open_ = false;
};

}  // namespace baton::sim
