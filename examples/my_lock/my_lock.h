// A queue whose members know only their successor, after the MCS lock for threads (Mellor-Crummey
// and Scott, 1991): one process, the home, keeps the end of the queue. Who asks tells the home; the
// home tells the last in the queue who comes next; and the token goes straight from one to the
// next.
#pragma once

#include <baton/lab/lab.h>

#include <string>
#include <utility>
#include <variant>

class MyLock {
 public:
  static constexpr baton::Parameter home{.name = "home",
                                         .help = "the process that keeps the end of the queue",
                                         .least = 0,
                                         .most = 1'000'000,
                                         .usual = baton::always<0>,
                                         .depends_on_size = true};
  struct Request {};
  struct Next {
    baton::NodeId who;  // comes after you
  };
  struct Token {};
  using Message = std::variant<Request, Next, Token>;
  using Event = baton::Entered;
  using Out = baton::Outbox<Message, Event>;

  struct State {
    bool is_inside = false;
    bool has_token = false;
    baton::NodeId next = baton::nobody;
    baton::NodeId last = baton::nobody;  // in the queue; the home alone knows
  };

  MyLock(baton::NodeId self, const baton::Setup& setup, baton::NodeId inside = baton::nobody)
      : self_(self), home_(home_of(setup)) {
    const baton::NodeId first = inside == baton::nobody ? home_ : inside;
    state_.is_inside = self == inside;
    state_.has_token = self == first;
    if (self == home_) state_.last = first;
  }

  void request(Out& out) { out.send(home_, Request{}); }

  void release(Out& out) {
    state_.is_inside = false;
    if (state_.next != baton::nobody) pass_on(std::exchange(state_.next, baton::nobody), out);
  }

  void receive(baton::NodeId from, const Message& message, Out& out) {
    std::visit(
        baton::upon{[&](const Request&) { out.send(std::exchange(state_.last, from), Next{from}); },
                    [&](const Next& next) {
                      if (state_.has_token && !state_.is_inside) {
                        pass_on(next.who, out);
                      } else {
                        state_.next = next.who;
                      }
                    },
                    [&](const Token&) {
                      state_.has_token = state_.is_inside = true;
                      out.emit(baton::Entered{});
                    }},
        message);
  }

  const State& state() const { return state_; }
  void assume(State state) { state_ = state; }

  static const baton::Info& info() {
    using namespace baton;
    static const Info info{
        .name = "my-lock",
        .title = "My lock",
        .idea = "a queue whose members know only their successor",
        .assumes = reliable_fifo_channels,
        .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
        .costs = {{Scenario::alone, Metric::messages, "3, less those to the home itself", alone},
                  {Scenario::alone, Metric::delay, "3, less those to the home itself", alone},
                  {Scenario::alone, Metric::exit, "0", constant<0>},
                  {Scenario::handover, Metric::delay, "1", constant<1>}},
        .parameters = {&home},
        .objection = [](const Setup& setup) -> std::string {
          if (home_of(setup).value < setup.size) return {};
          return "--home is a process, 0 to " + std::to_string(setup.size - 1);
        }};
    return info;
  }

 private:
  static baton::NodeId home_of(const baton::Setup& setup) {
    return {static_cast<std::uint32_t>(setup.value(home))};
  }
  static baton::Expected alone(const baton::Case& c) {
    const baton::NodeId home = home_of(c.setup);
    return baton::Expected::exactly(1 + (c.requester != home) + (c.before != home));
  }
  void pass_on(baton::NodeId to, Out& out) {
    state_.has_token = false;
    out.send(to, Token{});
  }

  baton::NodeId self_;
  baton::NodeId home_;
  State state_;
};
