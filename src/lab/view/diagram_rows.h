// The rows of a space-time diagram: which events share a row, and in which order the rows come.
//
// A row is one step that a person would tell as one: a message sent to several processes, the same
// answer sent by several to one, the arrival of such a message, several processes that ask. Only
// events of the same instant share a row. Every process's events keep their order from row to row,
// and so do a message's sending and arrival; so the rows are a possible order of the run.
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
  // The processes where it happens, by id: senders of a send, receivers of an arrival.
  std::vector<NodeId> nodes;
  // The other side: receivers of a send, senders of an arrival, the elected or suspected process.
  std::vector<NodeId> peers;
  std::string name;
  std::string body;
  bool bodies_differ = false;    // `body` is then that of the first
  bool again = false;            // a duplicate arrives
  std::size_t sent_in = no_row;  // of an arrival: the row of its sending
  Ticks since{0};  // of an arrival: the time of sending; of an entry: the time of the request
  std::vector<NodeId> companions;  // of an entry: the other processes inside
  std::size_t index = 0;

  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);
};

struct Rows {
  std::vector<Row> rows;
  std::vector<NodeId> inside_at_start;
  std::set<std::string> entered_with;  // the names of entries
  std::size_t in_flight = 0;           // messages that neither arrived nor were lost
  bool same_delay = true;              // all messages that arrived took equally long
  Ticks delay{0};                      // their delay, if any arrived
};

Rows rows_of(const Trace& trace);

}  // namespace baton::view
