#include "lab/view/diagram_text.h"

#include <algorithm>

#include "core/text.h"

namespace baton::view {

namespace {

// The smallest number of decimals, at most three, that shows every time of the trace exactly.
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

// Names; ranges of numbers where there are no names; or "all" for `everybody`.
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
  // All processes but the one on the other side.
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

struct Verb {
  std::string_view one;
  std::string_view many;
};

// Of what concerns nobody but who does it.
Verb verb_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::exit:
      return {"leaves", "leave"};
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
    case TraceKind::suspect:
      return {"suspects ", "suspect "};
    case TraceKind::trust:
      return {"trusts ", "trust "};
    case TraceKind::record:
      return {"records its state for ", "record their states for "};
    default:
      return {};
  }
}

}  // namespace

void Narrator::act(Sentence& to, const Row& row, std::string_view one,
                   std::string_view many) const {
  people(to, row.nodes, trace_->size);
  to.push_back({" " + std::string(row.nodes.size() > 1 ? many : one)});
}

void Narrator::request(Sentence& to, const Row& row) const {
  if (row.name.empty()) return act(to, row, "asks", "ask");
  const std::string name = text::printable(row.name, !unicode_);
  if (rows_->entered_with.contains(row.name)) {
    return act(to, row, "asks for " + name, "ask for " + name);
  }
  act(to, row, "starts " + name, "start " + name);
}

void Narrator::entry(Sentence& to, const Row& row, bool briefly) const {
  act(to, row, "enters", "enter");
  if (!row.name.empty()) to.push_back({" with " + text::printable(row.name, !unicode_)});
  if (row.since != row.at && !briefly)
    to.push_back({", having waited " + time(row.at - row.since)});
  if (row.companions.empty()) return;
  to.push_back({", beside "});
  people(to, row.companions, trace_->size);
}

void Narrator::choice(Sentence& to, const Row& row) const {
  if (row.peers == row.nodes) return act(to, row, "is the leader", "");
  act(to, row, "takes ", "take ");
  people(to, row.peers, trace_->size);
  to.push_back({row.peers.empty() ? "nobody for the leader" : " for the leader"});
}

Sentence Narrator::tell(const Row& row, bool briefly) const {
  Sentence text;
  const Verb verb = verb_of(row.kind);
  const std::string name = text::printable(row.name, !unicode_);
  switch (row.kind) {
    case TraceKind::request:
      request(text, row);
      break;
    case TraceKind::send:
      people(text, row.nodes, trace_->size - 1);
      text.push_back(
          {(row.nodes.size() > 1 ? " send " : " sends ") + message(row, briefly) + " to "});
      people(text, row.peers, trace_->size - 1);
      break;
    case TraceKind::receive:
    case TraceKind::drop:
      arrival(text, row, briefly);
      break;
    case TraceKind::enter:
      entry(text, row, briefly);
      break;
    case TraceKind::elect:
      choice(text, row);
      break;
    case TraceKind::timer:
      text.push_back({"timer " + name + " runs out at "});
      people(text, row.nodes, trace_->size);
      break;
    case TraceKind::suspect:
    case TraceKind::trust:
      act(text, row, verb.one, verb.many);
      people(text, row.peers, trace_->size);
      if (row.kind == TraceKind::trust) text.push_back({" again"});
      break;
    case TraceKind::record:
      act(text, row, verb.one, verb.many);
      text.push_back({name});
      break;
    case TraceKind::note:
      act(text, row, name, name);
      break;
    default:
      act(text, row, verb.one, verb.many);
      break;
  }
  return text;
}

}  // namespace baton::view
