#include "lab/view/sample_traces.h"

#include <algorithm>
#include <array>
#include <vector>

#include "algorithms/mutex/ricart_agrawala.h"
#include "core/reflect.h"
#include "lab/view/scripted_run.h"

namespace baton::test {

namespace {
constexpr Ticks tenths(std::int64_t count) { return {count * message_time.value / 10}; }
}  // namespace

Trace one_asks(std::uint32_t size) {
  ScriptedRun<RicartAgrawala> run({.size = size});
  run.ask_at({0}, 1);
  return run.run();
}

Trace everybody_asks(std::uint32_t size) {
  ScriptedRun<RicartAgrawala> run({.size = size});
  for (std::uint32_t i = 0; i < size; ++i) run.ask_at({0}, i);
  return run.run("everyone got in; at most one was inside at any time");
}

Trace named_and_uneven() {
  ScriptedRun<RicartAgrawala> run({.size = 3}, {"N3", "N5", "N8"});
  run.delay = [](std::uint64_t number) { return tenths(5 + std::int64_t(number * 7 % 11)); };
  run.duplicated = {3};
  run.ask_at({0}, 1);
  run.ask_at(tenths(5), 2);
  return run.run();
}

Trace loss_and_crash() {
  ScriptedRun<RicartAgrawala> run({.size = 4});
  run.lost = {5};
  run.ask_at({0}, 1);
  run.crash_at(tenths(15), 3);
  run.note_at(tenths(50), 0, TraceKind::suspect, {3});
  run.note_at(tenths(50), 2, TraceKind::suspect, {3});
  run.note_at(tenths(50), 1, TraceKind::timer, nobody, "1");
  run.ask_at(tenths(60), 0);
  run.recover_at(tenths(80), 3);
  return run.run("deadlock: 0 and 1 wait for ever, and nothing is under way");
}

Trace maekawa_deadlock() {
  Trace trace{.algorithm = "maekawa-1985", .size = 3, .seed = 3};
  TraceRecorder record(trace);
  std::array<std::uint64_t, 3> sent{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    record.local({0}, {i}, TraceKind::request);
    sent[i] = record.send({0}, {i}, {(i + 1) % 3}, "Request",
                          reflect::printed(RicartAgrawala::Request{{{1}, {i}}}));
  }
  for (std::uint32_t i = 0; i < 3; ++i) record.receive(message_time, {(i + 1) % 3}, sent[i]);
  record.set_verdict(
      "deadlock: 0 waits for the vote of 1, which waits for the vote of 2, which waits for the "
      "vote of 0");
  return trace;
}

Trace two_inside() {
  Trace trace{.algorithm = "wrong-optimist", .size = 3, .seed = 9};
  TraceRecorder record(trace);
  record.local({0}, {0}, TraceKind::request);
  record.local({0}, {0}, TraceKind::enter);
  record.local(tenths(3), {2}, TraceKind::request);
  record.local(tenths(4), {2}, TraceKind::enter);
  record.local(tenths(10), {0}, TraceKind::exit);
  record.local(tenths(14), {2}, TraceKind::exit);
  record.set_verdict("safety broken at 0.4: 0 and 2 are inside");
  return trace;
}

Trace election() {
  Trace trace{.algorithm = "chang-roberts", .size = 4, .seed = 1};
  TraceRecorder record(trace);
  Ticks now{0};
  record.local(now, {0}, TraceKind::timer, nobody, "0");
  // Each puts itself forward in place of a smaller one; 3 gets its own candidacy back.
  for (std::uint32_t hop = 0; hop < 11; ++hop) {
    const NodeId from{hop % 4};
    const NodeId to{(hop + 1) % 4};
    const bool decided = hop >= 7;
    const auto message = record.send(now, from, to, decided ? "Elected" : "Election",
                                     reflect::printed(std::vector{std::min(hop, 3U)}));
    now = now + message_time;
    record.receive(now, to, message);
    if (hop >= 6 && hop < 10) record.local(now, to, TraceKind::elect, {3});
  }
  return trace;
}

}  // namespace baton::test
