#include "lab/view/json_lines.h"

#include <ostream>
#include <string_view>

#include "core/text.h"

namespace baton::view {

namespace {

std::string_view peer_key(TraceKind kind) {
  switch (kind) {
    case TraceKind::send:
      return "to";
    case TraceKind::receive:
    case TraceKind::drop:
      return "from";
    default:
      return "whom";
  }
}

void write_header(const Trace& trace, std::ostream& to) {
  to << "{\"baton\":\"trace\",\"version\":" << trace_version
     << ",\"algorithm\":" << text::json_quoted(trace.algorithm) << ",\"n\":" << trace.size
     << ",\"seed\":" << trace.seed;
  if (!trace.names.empty()) {
    to << ",\"names\":";
    char separator = '[';
    for (const std::string& name : trace.names) {
      to << separator << text::json_quoted(name);
      separator = ',';
    }
    to << ']';
  }
  to << ",\"message_time\":" << message_time.value;
}

}  // namespace

void append_json_line(const TraceEvent& event, std::ostream& to) {
  to << "{\"t\":" << event.at.value << ",\"p\":" << event.node.value << ",\"e\":\""
     << name_of(event.kind) << '"';
  if (event.peer != nobody) to << ",\"" << peer_key(event.kind) << "\":" << event.peer.value;
  if (event.message != 0) to << ",\"id\":" << event.message;
  if (!event.name.empty()) to << ",\"m\":" << text::json_quoted(event.name);
  if (!event.body.empty()) to << ",\"body\":" << text::json_quoted(event.body);
  to << ",\"lamport\":" << event.lamport.value;
  if (!event.vector.entries().empty()) {
    to << ",\"vector\":";
    char separator = '[';
    for (const std::uint64_t entry : event.vector.entries()) {
      to << separator << entry;
      separator = ',';
    }
    to << ']';
  }
  to << "}\n";
}

void begin_json_lines(const Trace& trace, std::ostream& to) {
  write_header(trace, to);
  to << "}\n";
}

void write_json_lines(const Trace& trace, std::ostream& to) {
  write_header(trace, to);
  to << ",\"events\":" << trace.events.size() << "}\n";
  for (const TraceEvent& event : trace.events) append_json_line(event, to);
  if (!trace.verdict.empty()) to << "{\"verdict\":" << text::json_quoted(trace.verdict) << "}\n";
}

}  // namespace baton::view
