// Leader by failure detector: the smallest process that is not suspected.
//
// T. D. Chandra and S. Toueg, "Unreliable failure detectors for reliable distributed systems",
// Journal of the ACM 43(2), 1996, for the detectors; the rule is the field's.
//
// Idea: everyone sends heartbeats to everyone for ever, and takes the smallest process that it does
// not suspect for the leader. There is no election to hold; opinions follow the detector.
//
// Assumes: nothing at any given time. Messages may be lost or doubled, processes may crash and come
// back, the network may part. But in the end the delays must stay below some bound, which nobody
// needs to know as long as it is below HeartbeatDetector::most_patience pulses.
// Promises: with a patience that grows (◇P) everyone agrees, once mishaps have ended, on the
// smallest process alive. With one that does not (◇S) processes may disagree for ever: someone
// behind a slow link is suspected by those at the other end and by nobody else.
// Costs: N(N−1) heartbeats per pulse, for ever.
//
// How late a heartbeat is cannot be seen at its receiver, whose clock is its own. So each carries
// the number of the last heartbeat that came the other way: it proves that its sender was alive
// when it answered that one. A link that is slow is then slow for good, and not only at first.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "algorithms/layer/heartbeat_detector.h"
#include "core/protocol.h"

namespace baton {

class DetectorLeader {
 public:
  static constexpr std::string_view detectors[] = {"eventually-perfect", "eventually-strong"};
  // With the first, patience grows with every wrong suspicion.
  static constexpr Parameter detector{.name = "detector",
                                      .help = "the failure detector",
                                      .most = 1,
                                      .usual = always<0>,
                                      .words = detectors};

  struct Heartbeat {
    static constexpr bool is_background = true;
    SequenceNumber number;
    Numbered answers;  // the receiver's last heartbeat, number 0: none came yet
  };
  using Message = std::variant<Heartbeat>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  static constexpr bool numbers_by_process = true;
  static constexpr unsigned number_gap = 8;  // how late an answer can be, and more

  struct State {
    HeartbeatDetector::State detector;
    SequenceNumber number;             // of the last heartbeat sent
    std::vector<SequenceNumber> last;  // the number of the last heartbeat from each
    NodeId leader = nobody;
  };

  DetectorLeader(NodeId self, const Setup& setup);

  void start(Out& out);
  // There is nothing to hold; the application is told the present opinion.
  void elect(Out& out) { out.emit(Elected{leader_}); }
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);

  State state() const { return {detector_.state(), number_, last_, leader_}; }
  void assume(State state);
  static const Info& info();

 private:
  static constexpr TimerId pulse{0};
  // Pulses that an answer takes: there, until the next heartbeat, and back.
  static constexpr std::uint32_t in_time = 3;

  void beat(Out& out);
  void decide(Out& out);

  NodeId self_;
  const Setup* setup_;
  HeartbeatDetector detector_;
  SequenceNumber number_;
  std::vector<SequenceNumber> last_;
  NodeId leader_ = nobody;
};

}  // namespace baton
