#include "algorithms/election/detector_leader.h"

#include <utility>

namespace baton {

DetectorLeader::DetectorLeader(NodeId self, const Setup& setup)
    : self_(self),
      setup_(&setup),
      detector_(self, setup.size, setup.value(detector) == 0),
      last_(setup.size) {}

void DetectorLeader::assume(State state) {
  detector_.assume(std::move(state.detector));
  number_ = state.number;
  last_ = std::move(state.last);
  leader_ = state.leader;
}

void DetectorLeader::start(Out& out) {
  beat(out);
  decide(out);
}

void DetectorLeader::receive(NodeId from, const Message& message, Out& out) {
  const Heartbeat& heartbeat = std::get<Heartbeat>(message);
  last_[from.value] = heartbeat.number;
  // An answer to a heartbeat that was not sent is one to an earlier life of this process.
  const std::uint64_t answers = heartbeat.answers.number.value;
  if (answers == 0 || answers > number_.value) return;
  const auto age = static_cast<std::uint32_t>(number_.value - answers);
  if (detector_.hear(from, age > in_time ? age - in_time : 0)) decide(out);
}

void DetectorLeader::expire(TimerId, Out& out) {
  if (!detector_.tick().empty()) decide(out);
  beat(out);
}

void DetectorLeader::beat(Out& out) {
  number_ = next(number_);
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (i != self_.value) out.send({i}, Heartbeat{number_, {{i}, last_[i]}});
  }
  out.arm(pulse, setup_->delay_bound);
}

void DetectorLeader::decide(Out& out) {
  const NodeId smallest = detector_.first_trusted();
  if (smallest == leader_) return;
  leader_ = smallest;
  out.emit(Elected{leader_});
}

const Info& DetectorLeader::info() {
  static const Info info{
      .name = "detector-leader",
      .title = "Leader by failure detector",
      .publication = "Chandra and Toueg, Journal of the ACM 43(2), 1996",
      .idea = "the smallest process that is not suspected",
      .kind = Kind::election,
      .assumes = {},
      .promises = {Promise::one_leader, Promise::right_leader, Promise::everyone_learns},
      .problem =
          "with an eventually strong detector processes may disagree for ever; N(N-1) "
          "heartbeats per pulse",
      .perpetual = true,
      .choice = Choice::smallest,
      .parameters = {&detector},
      .example = "-n 3 --crash 0@3 --until 13",
  };
  return info;
}

}  // namespace baton
