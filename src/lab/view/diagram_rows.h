// The rows of a space-time diagram: which events are shown together, and in which order.
//
// A row is one step that a person would tell as one: a message sent to several processes, the same
// answer sent by several to one, such a message arriving, several processes that ask. Only events
// of the same instant share a row, and every process's events keep their order from row to row, as
// do a message's sending and arrival; so the rows are a possible order of the run.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/trace.h"

namespace baton::view {

struct Row {
  Ticks at;
  TraceKind kind{};
  // Where it happens, in the order of the ids: senders of a send, receivers of an arrival.
  std::vector<NodeId> nodes;
  // The other side: receivers of a send, senders of an arrival, who is elected or suspected.
  std::vector<NodeId> peers;
  std::string name;
  std::string body;
  bool bodies_differ = false;      // then `body` is that of the first
  bool again = false;              // a duplicate arrives
  std::size_t sent_in = no_row;    // of an arrival: the row of its sending
  Ticks since{0};                  // of an arrival: when it was sent; of an entry: when asked for
  std::vector<NodeId> companions;  // of an entry: who else is inside
  std::size_t index = 0;

  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);
};

struct Rows {
  std::vector<Row> rows;
  std::vector<NodeId> inside_at_start;
  std::set<std::string> entered_with;  // the names of entries
  std::size_t in_flight = 0;           // messages that neither arrived nor were lost
  bool same_delay = true;              // of all messages that arrived
  Ticks delay{0};                      // ... which is this, unless nothing arrived
};

Rows rows_of(const Trace& trace);

}  // namespace baton::view
