// The events of a run, one by one. Every host records this one form; every tool that draws, replays
// or exports reads it (docs/formats/trace.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clocks.h"
#include "core/ids.h"

namespace baton {

enum class TraceKind : std::uint8_t {
  request,  // the application wants the critical section
  send,     // to `peer`
  receive,  // from `peer`
  drop,     // `node` never gets this message of `peer`: it is lost or cut off, or `node` is down
  enter,    // inside the critical section; `name` tells the resources, if there are several
  exit,     // leaves the critical section
  elect,    // takes `peer` for the leader
  timer,    // a timer of this process ran out
  suspect,  // takes `peer` for crashed
  crash,
  recover,
  trust,  // no longer takes `peer` for crashed
  pause,  // does nothing for a while, and does not know it
  resume,
  lose,    // no longer inside, although it did not leave: the lock was taken away
  record,  // records its state for the snapshot `name`
  note     // anything else worth telling of this process: `name` is the rest of the sentence
};

inline constexpr std::size_t trace_kinds = 17;

std::string_view name_of(TraceKind kind);

struct TraceEvent {
  Ticks at{0};
  NodeId node{};  // where it happened
  TraceKind kind{};
  NodeId peer = nobody;
  std::uint64_t message = 0;  // pairs a send with its receipts and drops; 0 where there is none
  std::string name = {};      // the message's type, or the timer's number
  // Its fields, as core/reflect.h prints them. For a group's entry it is the fence, for a group's
  // election the epoch, for a process that comes back the number of its life.
  std::string body = {};
  Clock lamport{0};
  VectorClock vector = {};  // empty in groups larger than `Trace::vector_limit`

  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

struct Trace {
  // In larger groups vector times would outweigh everything else, so the trace leaves them out.
  static constexpr std::uint32_t vector_limit = 64;

  std::string algorithm = {};
  std::uint32_t size = 0;
  std::uint64_t seed = 0;
  // The processes' names, if they are not 0 … size−1; else empty.
  std::vector<std::string> names = {};
  std::string verdict = {};  // what the oracles found; "" if nothing
  std::vector<TraceEvent> events = {};

  std::string name(NodeId node) const {
    return names.empty() ? std::to_string(node.value) : names[node.value];
  }

  friend bool operator==(const Trace&, const Trace&) = default;
};

// Appends events to a trace and keeps the logical clocks of all processes. These are the host's own
// clocks, independent of any clock that an algorithm keeps.
class TraceRecorder {
 public:
  explicit TraceRecorder(Trace& trace);

  // Appends an event that concerns one process alone.
  void local(Ticks at, NodeId node, TraceKind kind, NodeId peer = nobody, std::string name = {});
  // Returns the number by which receive() and drop() name this message.
  std::uint64_t send(Ticks at, NodeId from, NodeId to, std::string_view name, std::string body);
  void receive(Ticks at, NodeId node, std::uint64_t message);
  void drop(Ticks at, NodeId node, std::uint64_t message);
  void set_verdict(std::string verdict) { trace_->verdict = std::move(verdict); }

 private:
  TraceEvent& append(Ticks at, NodeId node, TraceKind kind);

  Trace* trace_;
  std::vector<LamportClock> lamport_;
  std::vector<VectorClock> vector_;
  std::vector<std::size_t> sent_;  // message number − 1 → its send event
};

}  // namespace baton
