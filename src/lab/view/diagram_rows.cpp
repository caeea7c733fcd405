#include "lab/view/diagram_rows.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace baton::view {

namespace {

bool contains(const std::vector<NodeId>& set, NodeId node) {
  return std::binary_search(set.begin(), set.end(), node);
}

void insert(std::vector<NodeId>& set, NodeId node) {
  const auto at = std::lower_bound(set.begin(), set.end(), node);
  if (at == set.end() || *at != node) set.insert(at, node);
}

bool is_arrival(TraceKind kind) { return kind == TraceKind::receive || kind == TraceKind::drop; }

class RowBuilder {
 public:
  explicit RowBuilder(const Trace& trace) : last_row_(trace.size, 0) {
    std::vector<bool> known(trace.size);
    for (const TraceEvent& event : trace.events) {
      const bool tells = event.kind == TraceKind::request || event.kind == TraceKind::enter ||
                         event.kind == TraceKind::exit;
      if (!tells || known[event.node.value]) continue;
      known[event.node.value] = true;
      // A process that first of all leaves has been inside from the beginning.
      if (event.kind == TraceKind::exit) insert(inside_, event.node);
    }
    result_.inside_at_start = inside_;
    asked_at_.resize(trace.size);
    for (const TraceEvent& event : trace.events) add(event);
    for (const auto& [message, sending] : sent_) result_.in_flight += sending.arrivals == 0;
  }

  Rows take() { return std::move(result_); }

 private:
  struct Sending {
    std::size_t row;
    Ticks at;
    std::size_t arrivals = 0;
  };

  void add(const TraceEvent& event) {
    std::vector<Row>& rows = result_.rows;
    if (rows.empty() || rows.back().at != event.at) instant_ = rows.size();
    Sending* const sending = is_arrival(event.kind) ? &sent_.at(event.message) : nullptr;
    std::size_t row = row_to_join(event, sending);
    if (row == rows.size()) {
      rows.push_back({.at = event.at, .kind = event.kind, .name = event.name, .body = event.body});
      rows.back().index = row;
    }
    Row& joined = rows[row];
    insert(joined.nodes, event.node);
    if (event.peer != nobody) insert(joined.peers, event.peer);
    joined.bodies_differ = joined.bodies_differ || joined.body != event.body;
    last_row_[event.node.value] = row + 1;
    note(event, joined, sending);
  }

  // State that later events need.
  void note(const TraceEvent& event, Row& row, Sending* sending) {
    switch (event.kind) {
      case TraceKind::request:
        asked_at_[event.node.value] = event.at;
        break;
      case TraceKind::enter:
        row.since = asked_at_[event.node.value].value_or(event.at);
        if (!event.name.empty()) result_.entered_with.insert(event.name);
        // A process that enters with its own resources may be inside beside others.
        if (event.name.empty()) row.companions = inside_;
        insert(inside_, event.node);
        break;
      case TraceKind::exit:
      case TraceKind::lose:
      case TraceKind::crash:
        std::erase(inside_, event.node);
        break;
      case TraceKind::send:
        sent_.emplace(event.message, Sending{row.index, event.at});
        break;
      case TraceKind::receive:
        result_.same_delay =
            result_.same_delay && (!any_arrived_ || result_.delay == event.at - sending->at);
        result_.delay = event.at - sending->at;
        any_arrived_ = true;
        [[fallthrough]];
      case TraceKind::drop:
        row.since = sending->at;
        row.sent_in = sending->row;
        row.again = event.kind == TraceKind::receive && sending->arrivals > 0;
        ++sending->arrivals;
        break;
      default:
        break;
    }
  }

  // The first row of this instant that the event can join, or one past the last row.
  std::size_t row_to_join(const TraceEvent& event, const Sending* sending) const {
    const std::vector<Row>& rows = result_.rows;
    const std::size_t own = last_row_[event.node.value];  // 1 + its last row, or 0
    for (std::size_t i = std::max(instant_, own == 0 ? 0 : own - 1); i < rows.size(); ++i) {
      const bool in_it = own == i + 1;
      if (rows[i].kind == event.kind && joins(event, sending, rows[i], in_it)) return i;
    }
    return rows.size();
  }

  static bool joins(const TraceEvent& event, const Sending* sending, const Row& row, bool in_it) {
    switch (event.kind) {
      case TraceKind::enter:
      case TraceKind::exit:
      case TraceKind::note:
        return false;
      case TraceKind::send: {
        if (row.name != event.name) return false;
        if (in_it) return row.nodes.size() == 1 && !contains(row.peers, event.peer);
        return row.peers == std::vector{event.peer} && row.body == event.body;
      }
      case TraceKind::receive:
      case TraceKind::drop: {
        const bool duplicate = event.kind == TraceKind::receive && sending->arrivals > 0;
        return row.sent_in == sending->row && !row.again && !duplicate &&
               (!in_it || row.nodes.size() == 1);
      }
      default:
        return !in_it && row.name == event.name &&
               (event.peer == nobody ? row.peers.empty() : row.peers == std::vector{event.peer});
    }
  }

  Rows result_;
  std::size_t instant_ = 0;  // first row of the current instant
  std::vector<std::size_t> last_row_;
  std::vector<std::optional<Ticks>> asked_at_;
  std::vector<NodeId> inside_;
  std::unordered_map<std::uint64_t, Sending> sent_;
  bool any_arrived_ = false;
};

}  // namespace

Rows rows_of(const Trace& trace) { return RowBuilder(trace).take(); }

}  // namespace baton::view
