#include "lab/view/diagram_text.h"

#include <algorithm>

#include "core/text.h"

namespace baton::view {

namespace {

// The fewest decimals in which every time of the trace is exact, at most three.
int decimals_for(const Trace& trace) {
  int decimals = 1;
  std::int64_t grain = message_time.value / 10;
  for (const TraceEvent& event : trace.events) {
    while (decimals < 3 && event.at.value % grain != 0) {
      ++decimals;
      grain /= 10;
    }
  }
  return decimals;
}

}  // namespace

Narrator::Narrator(const Trace& trace, const Rows& rows, bool unicode)
    : trace_(&trace), rows_(&rows), unicode_(unicode), decimals_(decimals_for(trace)) {}

std::string Narrator::time(Ticks time) const {
  return text::decimal(time, message_time, decimals_);
}

std::string Narrator::name(NodeId node) const {
  return text::printable(trace_->name(node), !unicode_);
}

// Names, ranges of numbers where there are no names, or "all" where it is `everybody`.
void Narrator::people(Sentence& to, const std::vector<NodeId>& nodes, std::size_t everybody) const {
  if (nodes.size() > 1 && nodes.size() == everybody) {
    to.push_back({"all"});
    return;
  }
  const bool numbered = trace_->names.empty();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) to.push_back({", "});
    to.push_back({name(nodes[i]), nodes[i]});
    std::size_t end = i;
    while (end + 1 < nodes.size() && nodes[end + 1].value == nodes[end].value + 1) ++end;
    if (!numbered || end < i + 2) continue;
    to.push_back({unicode_ ? "–" : "-"});
    to.push_back({name(nodes[end]), nodes[end]});
    i = end;
  }
}

// "Request<1,0>", "Reply(<1,0> 1)", "Token"; "Reply…" where one row has several.
std::string Narrator::message(const Row& row, bool briefly) const {
  std::string text = text::printable(row.name, !unicode_);
  if (row.bodies_differ && !briefly) return text + (unicode_ ? "…" : "...");
  if (briefly || row.body.empty() || row.body == "()") return text;
  std::string body = text::printable(row.body, !unicode_);
  const bool is_timestamp = body.starts_with("(<") && body.find('>') == body.size() - 2;
  return text + (is_timestamp ? body.substr(1, body.size() - 2) : body);
}

void Narrator::arrival(Sentence& to, const Row& row, bool briefly) const {
  // All the others of the one process on the other side.
  const std::size_t others = trace_->size - 1;
  const bool several = row.nodes.size() > 1;
  people(to, row.nodes, others);
  if (row.kind == TraceKind::drop) {
    to.push_back({several ? " never get " : " never gets "});
  } else {
    to.push_back({several ? " get " : " gets "});
  }
  to.push_back({message(row, briefly) + " from "});
  people(to, row.peers, others);
  if (row.again) to.push_back({" again"});
  if (!briefly && !rows_->same_delay && row.kind == TraceKind::receive) {
    to.push_back({", sent at " + time(row.since)});
  }
}

namespace {

// "P1 suspects P2", "P1 and P3 trust P2 again".
struct Verb {
  std::string one;
  std::string many;
  bool has_object = false;  // the row's peers
  std::string end{};
};

// Of what is told in one verb. `name` is the row's.
Verb verb_of(TraceKind kind, const std::string& name) {
  switch (kind) {
    case TraceKind::exit:
      return {"leaves", "leave"};
    case TraceKind::suspect:
      return {"suspects ", "suspect ", true};
    case TraceKind::trust:
      return {"trusts ", "trust ", true, " again"};
    case TraceKind::crash:
      return {"crashes", "crash"};
    case TraceKind::recover:
      return {"recovers", "recover"};
    case TraceKind::pause:
      return {"pauses", "pause"};
    case TraceKind::resume:
      return {"resumes", "resume"};
    case TraceKind::lose:
      return {"loses the lock", "lose the lock"};
    case TraceKind::record:
      return {"records its state for " + name, "record their states for " + name};
    default:
      return {name, name};
  }
}

}  // namespace

Sentence Narrator::tell(const Row& row, bool briefly) const {
  Sentence text;
  const bool several = row.nodes.size() > 1;
  const auto verb = [&](const std::string& one, const std::string& many) {
    people(text, row.nodes, trace_->size);
    text.push_back({' ' + (several ? many : one)});
  };
  const std::string name = text::printable(row.name, !unicode_);
  switch (row.kind) {
    case TraceKind::request:
      if (row.name.empty()) {
        verb("asks", "ask");
      } else if (rows_->entered_with.contains(row.name)) {
        verb("asks for " + name, "ask for " + name);
      } else {
        verb("starts " + name, "start " + name);
      }
      break;
    case TraceKind::send:
      people(text, row.nodes, trace_->size - 1);
      text.push_back({(several ? " send " : " sends ") + message(row, briefly) + " to "});
      people(text, row.peers, trace_->size - 1);
      break;
    case TraceKind::receive:
    case TraceKind::drop:
      arrival(text, row, briefly);
      break;
    case TraceKind::enter:
      verb("enters", "enter");
      if (!row.name.empty()) text.push_back({" with " + name});
      if (row.since != row.at && !briefly)
        text.push_back({", having waited " + time(row.at - row.since)});
      if (!row.companions.empty()) {
        text.push_back({", beside "});
        people(text, row.companions, trace_->size);
      }
      break;
    case TraceKind::elect:
      if (row.peers == row.nodes) {
        verb("is the leader", "");
        break;
      }
      verb("takes ", "take ");
      people(text, row.peers, trace_->size);
      text.push_back({row.peers.empty() ? "nobody for the leader" : " for the leader"});
      break;
    case TraceKind::timer:
      text.push_back({"timer " + name + " runs out at "});
      people(text, row.nodes, trace_->size);
      break;
    default: {
      const Verb plain = verb_of(row.kind, name);
      verb(plain.one, plain.many);
      if (plain.has_object) people(text, row.peers, trace_->size);
      if (!plain.end.empty()) text.push_back({plain.end});
    }
  }
  return text;
}

}  // namespace baton::view
