// Termination detection on snapshots: Done or Continue.
//
// As Canonical Problems gives it, after A. S. Tanenbaum and M. van Steen, "Distributed Systems";
// the snapshots are those of Chandy and Lamport (algorithms/observe/snapshot.h).
//
// Idea: an initiator has a snapshot recorded. When a process has finished its part it answers to
// its predecessor, from whom the first marker came: DONE if it was passive when it recorded,
// nothing arrived until the last marker, and all its successors say DONE; otherwise CONTINUE. If
// the initiator gets DONE from everyone, then in a consistent cut all were passive and all channels
// empty: the computation has terminated. Otherwise it tries again a little later.
//
// Assumes: no message is lost or duplicated, channels are FIFO, and no process stops.
// Promises: termination is announced by every initiator, and never before it is true.
// Costs: N(N−1) markers and N−1 answers per attempt.
//
// Differences from Canonical Problems: a process must have been passive to say DONE. The slides ask
// only whether messages arrived, and a process that is still busy says DONE: a wrong variant keeps
// that. And a marker tells whose marker made its sender record, so that a process knows its
// successors.
#pragma once

#include <utility>
#include <variant>

#include "algorithms/observe/diffusion.h"
#include "algorithms/observe/observer.h"
#include "algorithms/observe/recorder.h"

namespace baton {

struct Done {
  SnapshotId snapshot;
};
struct Continue {
  SnapshotId snapshot;
};

template <Computation P>
class DoneOrContinue
    : public Observer<P, std::variant<Recorded, Announced>, Marker, Done, Continue> {
  using Base = Observer<P, std::variant<Recorded, Announced>, Marker, Done, Continue>;

 public:
  using Message = typename Base::Message;
  using Out = typename Base::Out;
  using Base::let_observed;

  struct Answers {
    SnapshotId snapshot;
    NodeSet from;
    bool all_done = true;
  };
  struct State {
    typename P::State observed;
    SequenceNumber begun;
    bool detecting = false;
    typename Recorder<P>::State parts;
    std::vector<Answers> answers;
  };

  // The literal reading of Canonical Problems does not ask whether a process is passive.
  enum class Rule : std::uint8_t { must_be_passive, literal };

  DoneOrContinue(NodeId self, const Setup& setup, Rule rule = Rule::must_be_passive)
      : Base(self, setup), rule_(rule), recorder_(self, setup) {}

  // Begins to detect. One call is enough until the announcement.
  void observe(Out& out) {
    if (std::exchange(detecting_, true)) return;
    attempt(out);
  }

  void receive(NodeId from, const Message& message, Out& out) {
    std::visit(
        upon{[&](const Marker& marker) {
               recorder_.receive(from, marker, observed_, out);
               answers_to(marker.snapshot);
               answer_if_over(marker.snapshot, out);
             },
             [&](const Done& done) { upon_answer(from, done.snapshot, true, out); },
             [&](const Continue& not_yet) { upon_answer(from, not_yet.snapshot, false, out); },
             [&](const auto& inner) {
               const typename P::Message carried(inner);
               recorder_.note(from, carried);
               let_observed(out,
                            [&](P& protocol, auto& box) { protocol.receive(from, carried, box); });
             }},
        message);
  }

  void start(Out& out) requires Starts<P> {
    let_observed(out, [](P& protocol, auto& box) { protocol.start(box); });
  }
  void expire(TimerId timer, Out& out) {
    if (timer == Base::own_timer) {
      attempt(out);
    } else {
      let_observed(out, [&](P& protocol, auto& box) { protocol.expire(timer, box); });
    }
  }

  State state() const {
    return {observed_.state(), begun_, detecting_, recorder_.state(), answers_};
  }
  void assume(State state) {
    observed_.assume(std::move(state.observed));
    begun_ = state.begun;
    detecting_ = state.detecting;
    recorder_.assume(std::move(state.parts));
    answers_ = std::move(state.answers);
  }
  // The numbers tell attempts apart, and nothing more.
  static constexpr bool numbers_by_process = true;
  static constexpr unsigned number_gap = 1;

 private:
  static constexpr Ticks pause_between_attempts = message_time;

  void attempt(Out& out) {
    begun_ = next(begun_);
    recorder_.begin({self_, begun_}, nobody, observed_, out);
    answers_to({self_, begun_});
  }

  // The answers that have come so far.
  Answers& answers_to(const SnapshotId& snapshot) {
    for (Answers& answers : answers_) {
      if (answers.snapshot == snapshot) return answers;
    }
    answers_.push_back({.snapshot = snapshot, .from = {}});
    return answers_.back();
  }

  void upon_answer(NodeId from, const SnapshotId& snapshot, bool done, Out& out) {
    if (recorder_.find(snapshot) == nullptr) return;
    Answers& answers = answers_to(snapshot);
    answers.from.insert(from);
    answers.all_done = answers.all_done && done;
    answer_if_over(snapshot, out);
  }

  void answer_if_over(const SnapshotId& snapshot, Out& out) {
    const auto* part = recorder_.find(snapshot);
    const Answers answers = answers_to(snapshot);
    if (!part->open.empty() || !(part->successors == answers.from)) return;
    const bool passive = rule_ == Rule::literal || P::is_passive(part->state);
    const bool done = passive && !part->disturbed && answers.all_done;
    const NodeId predecessor = part->predecessor;
    recorder_.take(snapshot);
    std::erase_if(answers_, [&](const Answers& one) { return one.snapshot == snapshot; });
    if (predecessor != nobody) {
      if (done) {
        out.send(predecessor, Done{snapshot});
      } else {
        out.send(predecessor, Continue{snapshot});
      }
    } else if (done) {
      detecting_ = false;
      out.emit(Announced{});
    } else {
      out.arm(Base::own_timer, pause_between_attempts);
    }
  }

  using Base::observed_;
  using Base::self_;

  Rule rule_;
  Recorder<P> recorder_;
  SequenceNumber begun_;
  bool detecting_ = false;
  std::vector<Answers> answers_;
};

class SnapshotTermination : public DoneOrContinue<Diffusion> {
 public:
  SnapshotTermination(NodeId self, const Setup& setup) : DoneOrContinue(self, setup) {}
  static const Info& info();
};

class WrongSnapshotTerminationLiteral : public DoneOrContinue<Diffusion> {
 public:
  WrongSnapshotTerminationLiteral(NodeId self, const Setup& setup)
      : DoneOrContinue(self, setup, Rule::literal) {}
  static const Info& info();
};

}  // namespace baton
