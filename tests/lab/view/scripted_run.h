// A run of a real algorithm for tests of what draws it: a small world in which the test says who
// asks when, how long messages take, and which are lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/protocol.h"
#include "core/reflect.h"
#include "core/trace.h"

namespace baton::test {

template <MutexProtocol P>
class ScriptedRun : private Chooser {
 public:
  explicit ScriptedRun(Setup setup, std::vector<std::string> names = {})
      : setup_(std::move(setup)), trace_{header(setup_, std::move(names))}, recorder_(trace_) {
    for (std::uint32_t i = 0; i < setup_.size; ++i) nodes_.emplace_back(NodeId{i}, setup_);
  }
  ScriptedRun(const ScriptedRun&) = delete;
  ScriptedRun& operator=(const ScriptedRun&) = delete;

  // How long the n-th message (from 1) takes, and whether it arrives.
  std::function<Ticks(std::uint64_t)> delay = [](std::uint64_t) { return message_time; };
  std::set<std::uint64_t> lost;
  std::set<std::uint64_t> duplicated;
  Ticks inside_for = message_time;

  void ask_at(Ticks at, std::uint32_t node) {
    at_time(at, [this, node] {
      if (down_.contains(node)) return;
      recorder_.local(now_, {node}, TraceKind::request);
      nodes_[node].request(out_);
      carry_out({node});
    });
  }
  void crash_at(Ticks at, std::uint32_t node) {
    at_time(at, [this, node] {
      down_.insert(node);
      recorder_.local(now_, {node}, TraceKind::crash);
    });
  }
  void recover_at(Ticks at, std::uint32_t node) {
    at_time(at, [this, node] {
      down_.erase(node);
      nodes_[node] = P(NodeId{node}, setup_);
      recorder_.local(now_, {node}, TraceKind::recover);
    });
  }
  void note_at(Ticks at, std::uint32_t node, TraceKind kind, NodeId peer,
               const std::string& name = {}) {
    at_time(at, [=, this] { recorder_.local(now_, {node}, kind, peer, name); });
  }

  const Trace& run(std::string verdict = {}) {
    while (!agenda_.empty()) {
      const auto next = agenda_.begin();
      now_ = next->first;
      const auto act = std::move(next->second);
      agenda_.erase(next);
      act();
    }
    recorder_.set_verdict(std::move(verdict));
    return trace_;
  }

 private:
  static Trace header(const Setup& setup, std::vector<std::string> names) {
    Trace trace;
    trace.algorithm = P::info().name;
    trace.size = setup.size;
    trace.seed = 7;
    trace.names = std::move(names);
    return trace;
  }

  std::uint32_t choose(std::uint32_t) override { return 0; }
  void at_time(Ticks at, std::function<void()> act) { agenda_.emplace(at, std::move(act)); }

  void deliver(NodeId from, NodeId to, std::uint64_t number, const typename P::Message& message) {
    if (lost.contains(number) || down_.contains(to.value)) {
      recorder_.drop(now_, to, number);
      return;
    }
    recorder_.receive(now_, to, number);
    nodes_[to.value].receive(from, message, out_);
    carry_out(to);
  }

  void carry_out(NodeId self) {
    for (const auto& send : out_.sends()) {
      const NodeId to = send.to;
      const auto& message = out_.message(send);
      const std::uint64_t number = recorder_.send(now_, self, to, reflect::message_name(message),
                                                  reflect::message_body(message));
      for (int copies = duplicated.contains(number) ? 2 : 1; copies > 0; --copies) {
        at_time(now_ + copies * delay(number),
                [=, this, to = to, message = message] { deliver(self, to, number, message); });
      }
    }
    const bool entered = !out_.events().empty();
    out_.clear();
    if (!entered) return;
    recorder_.local(now_, self, TraceKind::enter);
    at_time(now_ + inside_for, [this, self] {
      if (down_.contains(self.value)) return;
      recorder_.local(now_, self, TraceKind::exit);
      nodes_[self.value].release(out_);
      carry_out(self);
    });
  }

  Setup setup_;
  Trace trace_;
  TraceRecorder recorder_;
  OutboxOf<P> out_{*this};
  std::vector<P> nodes_;
  std::set<std::uint32_t> down_;
  std::multimap<Ticks, std::function<void()>> agenda_;  // in order of insertion at equal times
  Ticks now_{0};
};

}  // namespace baton::test
