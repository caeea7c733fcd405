// The host that follows a schedule: a part that does not depend on the protocol's type, and around
// it the part that does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/observe/protocol.h"
#include "core/carry_out.h"
#include "core/protocol.h"
#include "core/reflect.h"
#include "lab/sim/election_oracle.h"
#include "lab/sim/replay.h"
#include "lab/sim/report.h"

namespace baton {
struct Installed;  // algorithms/layer/membership.h
}

namespace baton::sim {

class ReplayHost : protected Chooser {
 public:
  Replayed run();

 protected:
  enum class Application : std::uint8_t { lock, election, observer, unasked_observer };

  ReplayHost(Application application, const Info& info, const Setup& setup,
             const ReplayOptions& options, const Schedule& schedule);
  ~ReplayHost() = default;

  // Each runs a clause of the protocol at a process, and carries out its decisions.
  virtual void start(NodeId node) = 0;
  virtual void ask(NodeId node) = 0;
  virtual void release(NodeId node) = 0;
  virtual void receive(NodeId to, NodeId from, std::size_t slot) = 0;
  virtual void give_back(NodeId from, NodeId to, std::size_t slot) = 0;
  virtual void expire(NodeId node, TimerId timer) = 0;
  virtual void suspect(NodeId node, NodeId whom) = 0;
  virtual void trust(NodeId node, NodeId whom) = 0;
  virtual void crash(NodeId node) = 0;
  virtual void say_farewell(NodeId node) = 0;
  virtual void recover(NodeId node) = 0;
  // Everything that determines the process's future, encoded; for a process that is down, its
  // durable state.
  virtual std::string state_of(NodeId node) const = 0;

  // The decisions of a clause. The derived class keeps the message at `slot`.
  struct Sending {
    std::string_view name;
    std::string body;
    std::string encoded;
    std::size_t slot;
  };
  void sent(NodeId from, NodeId to, Sending sending);
  void armed(NodeId node, TimerId timer, Ticks after);
  void entered(NodeId node);
  void lost(NodeId node);
  void elected(NodeId node, const Elected& elected);
  void record(NodeId node, TraceKind kind, NodeId peer = nobody, std::string name = {});

  const Setup& setup() const { return *setup_; }
  NodeId inside() const { return options_.inside; }

 private:
  enum class Status : std::uint8_t { outside, waiting, inside, down };

  struct InFlight {
    std::string name;
    std::string text;  // with its fields
    std::string encoded;
    std::uint64_t traced;
    std::size_t slot;
  };
  using Channel = std::vector<InFlight>;
  using Ends = std::pair<NodeId, NodeId>;

  // Duties that were due when the loop began and have not happened since: a channel delivers, a
  // timer expires, a process leaves. In a loop that goes on for ever they would never happen.
  struct Neglected {
    std::set<Ends> channels;
    std::set<std::pair<NodeId, TimerId>> timers;
    std::set<NodeId> inside;

    bool empty() const { return channels.empty() && timers.empty() && inside.empty(); }
    void forget(NodeId node);
  };

  std::uint32_t choose(std::uint32_t bound) override;

  void take_step(std::size_t index);
  void begin_loop();
  void perform(const ScheduledStep& step);
  bool is_possible(const ScheduledStep& step);
  void deliver(const ScheduledStep& step);
  void make_request(NodeId node);
  void leave(NodeId node);
  void run_out(NodeId node, TimerId timer);
  void stop(NodeId node);
  void come_back(NodeId node);
  void interfere(const ScheduledStep& step);

  std::optional<std::size_t> find(const ScheduledStep& step);
  InFlight take(const ScheduledStep& step, std::size_t position);
  std::string what_is_under_way(const ScheduledStep& step) const;

  bool is_up(NodeId node) const { return status_[node.value] != Status::down; }
  bool is_quiet() const;
  std::vector<NodeId> those(Status status) const;
  std::string state() const;
  bool can_repeat();
  void judge();
  void judge_lock(bool repeats);
  void judge_election(bool settled);
  std::string beliefs_if_they_differ() const;

  bool failed() const { return replayed_.error.has_value(); }
  void fail(std::string what);

  const Application application_;
  const Setup* setup_;
  const ReplayOptions options_;
  const Schedule* schedule_;
  Replayed replayed_;
  TraceRecorder recorder_;
  bool recording_ = true;
  Report report_;
  ElectionOracle oracle_;
  const Info* info_;

  std::vector<Status> status_;
  std::vector<std::set<TimerId>> timers_;
  std::map<Ends, Channel> channels_;

  std::size_t index_ = 0;          // of the present step
  std::size_t choices_taken_ = 0;  // of this step's choices
  std::size_t choices_of_start_ = 0;
  Ticks now_{0};
  std::string state_at_loop_;
  std::set<NodeId> patient_;  // processes that have waited since the loop began
  Neglected neglected_;
  std::vector<std::size_t> position_;  // by step: the place of its message in the channel
};

template <Protocol P>
class ReplayHostOf final : public ReplayHost {
 public:
  ReplayHostOf(const Setup& setup, const ReplayOptions& options, const Schedule& schedule)
      : ReplayHost(application(), info_of<P>(setup), setup, options, schedule), kept_(setup.size) {
    nodes_.reserve(setup.size);
    for (std::uint32_t i = 0; i < setup.size; ++i) nodes_.emplace_back(make({i}));
  }

 private:
  using Message = typename P::Message;

  static constexpr Application application() {
    if constexpr (ElectionProtocol<P>) return Application::election;
    if constexpr (!ObservationProtocol<P>) return Application::lock;
    return BeginsWhenTold<P> ? Application::observer : Application::unasked_observer;
  }

  P make(NodeId node) const {
    if constexpr (MutexProtocol<P>) {
      return P(node, setup(), inside());
    } else {
      return P(node, setup());
    }
  }

  P& at(NodeId node) { return *nodes_[node.value]; }

  void start(NodeId node) override {
    if constexpr (Starts<P>) {
      at(node).start(out_);
      carry_out(node);
    }
  }

  void ask(NodeId node) override {
    if constexpr (application() == Application::election) {
      at(node).elect(out_);
    } else if constexpr (application() == Application::lock) {
      at(node).request(out_);
    } else if constexpr (application() == Application::observer) {
      at(node).observe(out_);
    }
    carry_out(node);
  }

  void release(NodeId node) override {
    if constexpr (application() == Application::lock) {
      at(node).release(out_);
      carry_out(node);
    }
  }

  void receive(NodeId to, NodeId from, std::size_t slot) override {
    // A copy, because the protocol's sends may move the messages.
    const Message message = messages_[slot];
    at(to).receive(from, message, out_);
    carry_out(to);
  }

  void give_back(NodeId from, NodeId to, std::size_t slot) override {
    if constexpr (HeedsReturns<P>) {
      const Message message = messages_[slot];
      at(from).returned(to, message, out_);
      carry_out(from);
    }
  }

  void expire(NodeId node, TimerId timer) override {
    if constexpr (HasTimers<P>) {
      at(node).expire(timer, out_);
      carry_out(node);
    }
  }

  void suspect(NodeId node, NodeId whom) override {
    if constexpr (HeedsSuspicion<P>) {
      at(node).suspect(whom, out_);
      carry_out(node);
    }
  }

  void trust(NodeId node, NodeId whom) override {
    if constexpr (HeedsTrust<P>) {
      at(node).trust(whom, out_);
      carry_out(node);
    }
  }

  void crash(NodeId node) override {
    if constexpr (HasDurable<P>) kept_[node.value] = at(node).durable();
    nodes_[node.value].reset();
  }

  void say_farewell(NodeId node) override {
    if constexpr (Leaves<P>) {
      at(node).leave(out_);
      carry_out(node);
    }
  }

  void recover(NodeId node) override {
    if constexpr (HasDurable<P>) {
      nodes_[node.value].emplace(node, setup(), *kept_[node.value]);
    } else {
      nodes_[node.value].emplace(node, setup());
    }
    if constexpr (Recovers<P>) {
      at(node).recover(out_);
      carry_out(node);
    } else {
      start(node);
    }
  }

  std::string state_of(NodeId node) const override {
    if (nodes_[node.value]) {
      const typename P::State state = nodes_[node.value]->state();
      return reflect::encoded(state);
    }
    if constexpr (HasDurable<P>) return reflect::encoded(*kept_[node.value]);
    return "";
  }

  // The host's duties (core/carry_out.h) for one process.
  struct Duties {
    ReplayHostOf& host;
    NodeId self;

    void send(const Message& message, std::span<const typename OutboxOf<P>::Send> sends) {
      for (const auto& send : sends) {
        const NodeId to = send.to;
        if (to == self) continue;
        host.messages_.push_back(message);
        host.sent(self, to,
                  {reflect::message_name(message), reflect::message_body(message),
                   reflect::encoded(message), host.messages_.size() - 1});
      }
    }
    void arm(TimerId timer, Ticks after) { host.armed(self, timer, after); }
    void tell(const typename P::Event& event) { host.told(self, event); }
  };

  void carry_out(NodeId self) { baton::carry_out(self, at(self), out_, Duties{*this, self}); }

  void told(NodeId node, const typename P::Event& event) {
    if constexpr (std::same_as<typename P::Event, Entered>) {
      entered(node);
    } else if constexpr (std::same_as<typename P::Event, FencedEvent>) {
      std::holds_alternative<Granted>(event) ? entered(node) : lost(node);
    } else if constexpr (application() == Application::election) {
      elected(node, event);
    } else {
      std::visit([&](const auto& one) { upon(node, one); }, event);
    }
  }
  void upon(NodeId node, const Recorded& recorded) {
    record(node, TraceKind::record, nobody, "snapshot " + recorded.snapshot.text());
  }
  void upon(NodeId node, const Announced&) {
    record(node, TraceKind::note, nobody, "announces termination");
  }
  void upon(NodeId node, const Installed&) {
    record(node, TraceKind::note, nobody,
           "installs view " + reflect::printed(at(node).view().epoch));
  }
  void upon(NodeId node, const Granted&) { entered(node); }
  void upon(NodeId node, const Lost&) { lost(node); }
  template <class Other>
  void upon(NodeId, const Other&) {}

  OutboxOf<P> out_{*this};
  std::vector<std::optional<P>> nodes_;
  std::vector<std::optional<DurableOf<P>>> kept_;
  std::vector<Message> messages_;  // all messages that were sent, by slot
};

template <Protocol P>
Replayed replay(const Setup& setup, const ReplayOptions& options, const Schedule& schedule) {
  return ReplayHostOf<P>(setup, options, schedule).run();
}

}  // namespace baton::sim
