#include "lab/view/shiviz.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <vector>

#include "core/text.h"

namespace baton::view {

namespace {

// ShiViz takes a word for a process, and a bare number is easily mistaken for a time.
std::vector<std::string> hosts_of(const Trace& trace) {
  std::vector<std::string> hosts;
  std::set<std::string> taken;
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    std::string host =
        trace.names.empty() ? std::string("p").append(std::to_string(i)) : trace.names[i];
    host = text::printable(host, true);
    // Quotes and backslashes would read differently inside the clock's JSON and outside it.
    for (char& letter : host) {
      if (letter == ' ' || letter == '"' || letter == '\\') letter = '_';
    }
    // Two hosts of the same name would be one to ShiViz.
    if (host.empty() || taken.contains(host)) host.append("#").append(std::to_string(i));
    taken.insert(host);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::string text_of(const TraceEvent& event, const std::vector<std::string>& hosts) {
  std::string text(name_of(event.kind));
  if (!event.name.empty()) text.append(" ").append(text::printable(event.name, false));
  if (event.body != "()") text += text::printable(event.body, false);
  if (event.peer == nobody) return text;
  if (event.kind == TraceKind::send) text += " to";
  if (event.kind == TraceKind::receive) text += " from";
  return text.append(" ").append(hosts[event.peer.value]);
}

}  // namespace

std::string write_shiviz(const Trace& trace, std::ostream& to) {
  const bool timed =
      std::none_of(trace.events.begin(), trace.events.end(),
                   [](const TraceEvent& event) { return event.vector.entries().empty(); });
  if (!timed) {
    return "ShiViz needs vector times, which traces of more than " +
           std::to_string(Trace::vector_limit) +
           " processes do not have; try a smaller group, or the export to Perfetto";
  }
  if (trace.events.empty()) return "ShiViz cannot show a trace without events";
  const std::vector<std::string> hosts = hosts_of(trace);
  // The second line would separate several runs in one file.
  to << shiviz_expression << "\n\n";
  for (const TraceEvent& event : trace.events) {
    // Nobody notices a lost message, so it has no place in happened-before.
    if (event.kind == TraceKind::drop) continue;
    to << hosts[event.node.value] << ' ';
    char separator = '{';
    for (std::uint32_t i = 0; i < trace.size; ++i) {
      if (event.vector[{i}] == 0) continue;
      to << separator << text::json_quoted(hosts[i]) << ':' << event.vector[{i}];
      separator = ',';
    }
    to << "}\n" << text_of(event, hosts) << '\n';
  }
  return {};
}

}  // namespace baton::view
