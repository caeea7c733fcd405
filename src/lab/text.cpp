#include "lab/text.h"

#include <algorithm>
#include <sstream>

#include "core/table.h"
#include "core/text.h"
#include "lab/view/diagram.h"
#include "lab/view/json_lines.h"
#include "lab/view/svg.h"

namespace baton::lab {

namespace {

using text::number;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string row(const std::string& what, const std::string& value, const std::string& remark = {}) {
  std::string line = "  " + padded(what, 22) + value;
  return line + (remark.empty() ? "" : "  " + remark) + "\n";
}

std::string row(const std::string& what, const sim::Summary& summary, const std::string& remark) {
  if (summary.count == 0) return "";
  return row(
      what, number(summary.mean()),
      "message times (" + number(summary.min) + " to " + number(summary.max) + ") " + remark);
}

std::string of_lock(const sim::Report& report) {
  return row("entries", std::to_string(report.entries),
             "of " + std::to_string(report.requests) + " requests") +
         row("messages per entry", number(report.per_entry(report.messages())),
             number(report.per_entry(report.messages_enter)) + " to enter, " +
                 number(report.per_entry(report.messages_exit)) + " to exit") +
         row("waiting", report.waiting, "from request to entry") +
         row("hand-over", report.sync_delay, "from an exit to the next entry") +
         row("most bypassed", std::to_string(report.most_bypassed),
             "entries of others during one wait");
}

std::string of_election(const sim::Report& report) {
  std::string leaders;
  for (std::size_t i = 0; i < report.leaders.size(); ++i) {
    const NodeId leader = report.leaders[i];
    leaders += (i == 0 ? "" : " ") + (leader == nobody ? "-" : std::to_string(leader.value));
  }
  return row("messages", std::to_string(report.messages())) +
         row("leaders", leaders, "as processes 0, 1, … see it");
}

std::string verdict_of(const check::Finding& finding) {
  switch (finding.verdict) {
    case check::Finding::Verdict::holds:
      return "holds";
    case check::Finding::Verdict::broken:
      return "BROKEN: " + finding.what;
    case check::Finding::Verdict::undecided:
      return "undecided";
  }
  return "";
}

std::string why(check::Stop stop) {
  switch (stop) {
    case check::Stop::none:
    case check::Stop::violation:
      return "";
    case check::Stop::memory:
      return "memory";
    case check::Stop::states:
      return "the number of states";
    case check::Stop::depth:
      return "the depth";
    case check::Stop::interrupted:
      return "an interruption";
  }
  return "";
}

std::string of_search(const char* what, const check::Search& search) {
  std::string text = std::string(what) + ": " + std::to_string(search.distinct) +
                     " states, depth " + std::to_string(search.depth) + "\n";
  const std::string limit = why(search.stop);
  return limit.empty() ? text : text + "  not all was seen: " + limit + " ended the search\n";
}

}  // namespace

std::string text_of(const Info& info, const sim::Plan& plan, const sim::Report& report) {
  std::string text = std::string(info.title.empty() ? info.name : info.title) + ", " +
                     std::to_string(plan.setup.size) + " processes, seed " +
                     std::to_string(plan.seed) + "\n";
  text += info.kind == Kind::election ? of_election(report) : of_lock(report);
  for (const sim::MessageType& type : report.by_type) {
    if (type.count > 0) text += row(std::string(type.name), std::to_string(type.count), "messages");
  }
  for (const sim::Violation& violation : report.violations) {
    const bool judged = info.promises.has(violation.promise) || plan.demands.has(violation.promise);
    text += std::string(sim::name_of(violation.promise)) +
            (judged ? " is BROKEN" : " is not promised, and not kept") + " at " +
            number(in_message_times(violation.at)) + ": " + violation.what + "\n";
  }
  if (report.broken(info.promises | plan.demands) == nullptr) text += "every promise was kept\n";
  return text;
}

std::string text_of(const std::vector<Measured>& measured) {
  text::Table table({"situation", "metric", "formula", "theory", "measured"});
  for (const Measured& one : measured) {
    if (!one.expected) continue;
    const Expected& expected = *one.expected;
    std::string theory = number(expected.low);
    if (expected.high != expected.low) theory += ".." + number(expected.high);
    std::string value = number(one.value);
    if (one.half_width > 0) value += " +-" + number(one.half_width);
    if (!one.agrees) value += "  DIFFERS";
    table.add({one.situation, one.metric, one.formula, theory, value});
  }
  return table.str();
}

std::string text_of(const Info& info, const check::Bounds& bounds, const check::Report& report) {
  std::string text =
      std::string(info.name) + ", " + std::to_string(bounds.setup.size) + " processes, ";
  text += bounds.requests == 0 ? "any number of requests"
                               : std::to_string(bounds.requests) + " request(s)";
  text += std::string(" each, channels ") + (bounds.fifo ? "FIFO" : "not FIFO") + "\n";
  std::size_t width = 0;
  for (const check::Finding& finding : report.findings) {
    width = std::max(width, finding.property.size());
  }
  for (const check::Finding& finding : report.findings) {
    text += "  " + padded(finding.property, width + 2) + verdict_of(finding) + "\n";
  }
  text += of_search("safety", report.safety);
  if (report.liveness) text += of_search("liveness", *report.liveness);
  return text;
}

std::string diagram(const Trace& trace, std::size_t width) {
  view::DiagramOptions options;
  options.width = width;
  return view::draw(trace, options);
}

std::string svg(const Trace& trace) {
  std::ostringstream picture;
  const std::string wrong = view::write_svg(trace, picture);
  if (!wrong.empty()) throw Refused(wrong);
  return picture.str();
}

std::string json_lines(const Trace& trace) {
  std::ostringstream lines;
  view::write_json_lines(trace, lines);
  return lines.str();
}

}  // namespace baton::lab
