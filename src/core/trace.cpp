#include "core/trace.h"

#include <algorithm>
#include <array>
#include <utility>

namespace baton {

std::string_view name_of(TraceKind kind) {
  static constexpr std::array<std::string_view, trace_kinds> names{
      "request", "send",    "receive", "drop",  "enter",  "exit", "elect",  "timer", "suspect",
      "crash",   "recover", "trust",   "pause", "resume", "lose", "record", "note"};
  return names[static_cast<std::size_t>(kind)];
}

TraceRecorder::TraceRecorder(Trace& trace) : trace_(&trace), lamport_(trace.size) {
  if (trace.size <= Trace::vector_limit) vector_.assign(trace.size, VectorClock(trace.size));
}

TraceEvent& TraceRecorder::append(Ticks at, NodeId node, TraceKind kind) {
  trace_->events.push_back({.at = at, .node = node, .kind = kind});
  TraceEvent& event = trace_->events.back();
  event.lamport = lamport_[node.value].tick();
  if (!vector_.empty()) {
    vector_[node.value].tick(node);
    event.vector = vector_[node.value];
  }
  return event;
}

void TraceRecorder::local(Ticks at, NodeId node, TraceKind kind, NodeId peer, std::string name) {
  TraceEvent& event = append(at, node, kind);
  event.peer = peer;
  event.name = std::move(name);
}

std::uint64_t TraceRecorder::send(Ticks at, NodeId from, NodeId to, std::string_view name,
                                  std::string body) {
  sent_.push_back(trace_->events.size());
  TraceEvent& event = append(at, from, TraceKind::send);
  event.peer = to;
  event.message = sent_.size();
  event.name = name;
  event.body = std::move(body);
  return event.message;
}

void TraceRecorder::receive(Ticks at, NodeId node, std::uint64_t message) {
  // A copy, because appending may move the events.
  const TraceEvent sent = trace_->events[sent_[message - 1]];
  LamportClock& clock = lamport_[node.value];
  clock.now = std::max(clock.now, sent.lamport);
  if (!vector_.empty()) vector_[node.value].merge(sent.vector);
  TraceEvent& event = append(at, node, TraceKind::receive);
  event.peer = sent.node;
  event.message = message;
  event.name = sent.name;
  event.body = sent.body;
}

void TraceRecorder::drop(Ticks at, NodeId node, std::uint64_t message) {
  const TraceEvent sent = trace_->events[sent_[message - 1]];
  // Nobody notices a lost message, so no process's clock advances.
  trace_->events.push_back({.at = at,
                            .node = node,
                            .kind = TraceKind::drop,
                            .peer = sent.node,
                            .message = message,
                            .name = sent.name,
                            .body = sent.body,
                            .lamport = sent.lamport,
                            .vector = sent.vector});
}

}  // namespace baton
