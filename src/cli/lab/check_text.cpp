#include "cli/lab/check_text.h"

#include <boost/json.hpp>
#include <cstdio>
#include <cstring>

#include "algorithms/layer/membership.h"
#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "lab/check/catalog.h"
#include "lab/check/state_store.h"
#include "service/lease/lease.h"

namespace baton::cli {

namespace {

using check::Finding;
using check::Search;
using check::Stop;

std::string mebibytes(std::uint64_t bytes) { return grouped(bytes >> 20) + " MiB"; }

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f s" : "%.0f s", value);
  return text;
}

std::string_view reason_of(Stop stop) {
  switch (stop) {
    case Stop::none:
      return "";
    case Stop::violation:
      return "a property is broken";
    case Stop::memory:
      return "the search has used all the memory that it may (--memory)";
    case Stop::states:
      return "the search has found as many states as it may (--states)";
    case Stop::depth:
      return "the search is as deep as it may go (--depth)";
    case Stop::interrupted:
      return "you interrupted the search";
  }
  return "";
}

std::string times(std::uint32_t count, const char* one, const char* many) {
  return count == 1 ? std::string("one ") + one : std::to_string(count) + " " + many;
}

// A line that begins so far to the right, and goes on below its beginning if the terminal is narrow.
std::string line(const std::string& text, std::size_t indent = 0) {
  const std::string margin(indent, ' ');
  return margin + filled(text, table_width(), indent + 2) + "\n";
}

// What was searched, in a line or two.
std::string summary(const Search& search, const char* what) {
  std::string text =
      line(std::string(what) + ": " + grouped(search.distinct) + " states, " +
           grouped(search.generated) + " steps, depth " + std::to_string(search.depth) + ", " +
           seconds(search.seconds) + ", " + mebibytes(search.memory));
  if (search.stop != Stop::none && search.stop != Stop::violation) {
    const std::uint32_t whole = search.depth > 0 ? search.depth - 1 : 0;
    text += line("not exhausted: " + std::string(reason_of(search.stop)) + ". The first " +
                     std::to_string(whole) + " steps of every run were checked; " +
                     grouped(search.frontier) + " states were left.",
                 2);
  }
  return text;
}

}  // namespace

std::string_view name_of(Finding::Verdict verdict) {
  switch (verdict) {
    case Finding::Verdict::holds:
      return "holds";
    case Finding::Verdict::broken:
      return "BROKEN";
    case Finding::Verdict::undecided:
      return "undecided";
  }
  return "";
}

namespace {

// "lease, two clients and one server, durable and fast locks, without the rule drift-margin, "
std::string of_lease(const check::Bounds& bounds, bool two_servers) {
  std::string text = std::string("lease, two clients and ") +
                     (two_servers ? "two servers" : "one server") + ", durable and fast locks, ";
  if (bounds.lease_rule == service::LeaseRule::none) return text;
  return text + "without the rule " + std::string(service::name_of(bounds.lease_rule)) + ", ";
}

}  // namespace

namespace {

std::string of_requests(const Info& info, const check::Bounds& bounds, bool is_lease) {
  const bool is_membership = info.name == Membership::info().name;
  const std::string request = is_membership                    ? "claim"
                              : info.kind == Kind::election    ? "election"
                              : info.kind == Kind::observation ? "observation"
                                                               : "request";
  if (bounds.requests > 0) {
    return times(bounds.requests, request.c_str(), (request + "s").c_str()) + " each";
  }
  return is_membership ? "no claims"
         : is_lease    ? "no requests"
                       : "any number of " + request + "s each";
}

std::string of_faults(const check::Budgets& budgets) {
  std::string text;
  const auto add = [&](std::uint32_t count, const char* one, const char* many) {
    if (count > 0) text += ", " + times(count, one, many);
  };
  add(budgets.lose, "message lost", "messages lost");
  add(budgets.duplicate, "message duplicated", "messages duplicated");
  add(budgets.crash, "crash", "crashes");
  add(budgets.quit, "process that quits", "processes that quit");
  add(budgets.recover, "recovery", "recoveries");
  add(budgets.suspect, "wrong suspicion", "wrong suspicions");
  add(budgets.delay, "late message", "late messages");
  add(budgets.pause, "pause", "pauses");
  add(budgets.cut, "broken connection", "broken connections");
  add(budgets.drift, "drift of a clock", "drifts of a clock");
  if (budgets.faults > 0) {
    text += ", at most " + times(budgets.faults, "fault", "faults") + " in all";
  }
  if (budgets.takeover > 0) text += ", and besides one takeover, early or not";
  return text;
}

}  // namespace

std::string describe(const Info& info, const check::Bounds& bounds) {
  const bool has_two_servers = info.name == check::lease_takeover().info().name;
  const bool is_lease = has_two_servers || info.name == check::lease().info().name;
  std::string text =
      is_lease ? of_lease(bounds, has_two_servers)
               : std::string(info.name) + ", " + std::to_string(bounds.setup.size) + " processes, ";
  if (info.kind == Kind::shared_memory) {
    return text + (bounds.atomic ? "atomic" : "safe") + " registers, tickets up to " +
           std::to_string(bounds.tickets);
  }
  if (bounds.requesters != 0) text += "of which " + std::to_string(bounds.requesters) + " ask, ";
  text += of_requests(info, bounds, is_lease);
  text += bounds.fifo ? ", FIFO channels" : ", channels not FIFO";
  if (bounds.under_way != 0) {
    text += ", at most " + std::to_string(bounds.under_way) + " messages on each";
  }
  text += of_faults(bounds.budgets);
  if (bounds.time.counts) {
    text += ", time counts";
    if (bounds.time.limit != 0) text += " (" + std::to_string(bounds.time.limit) + " units)";
    if (bounds.time.prompt) text += ", heartbeats and timers prompt";
  }
  return text;
}

std::string text_of(const Info& info, const check::Bounds& bounds, const check::Report& report,
                    bool ascii) {
  std::string text = line(in_characters(describe(info, bounds), ascii));
  std::size_t width = 0;
  for (const Finding& finding : report.findings) {
    width = std::max(width, finding.property.size());
  }
  for (const Finding& finding : report.findings) {
    std::string verdict(name_of(finding.verdict));
    if (!finding.what.empty()) verdict += ": " + finding.what;
    const std::string property =
        "  " + finding.property + std::string(width + 2 - finding.property.size(), ' ');
    text += property + filled(verdict, table_width(), property.size()) + "\n";
  }
  text += summary(report.safety, "safety");
  if (report.fingerprints) {
    char chance[32];
    std::snprintf(chance, sizeof chance, "%.1e",
                  check::omission_probability(report.safety.distinct));
    text += line("by 64-bit fingerprints: the chance that a state was left out is below " +
                     std::string(chance),
                 2);
  }
  if (report.liveness) {
    const bool fifo = bounds.fifo || !info.assumes.has(Assumption::fifo);
    text +=
        summary(*report.liveness, fifo ? "liveness, FIFO channels" : "ways out, channels not FIFO");
  }
  return text;
}

namespace {

// For programs, which need no capital letters to see it.
std::string_view word_of(Finding::Verdict verdict) {
  return verdict == Finding::Verdict::broken ? "broken" : name_of(verdict);
}

}  // namespace

boost::json::object json_of(const Info& info, const check::Bounds& bounds,
                            const check::Report& report) {
  const auto of_search = [](const Search& search) {
    return boost::json::object{
        {"distinct", search.distinct}, {"generated", search.generated},
        {"depth", search.depth},       {"took_s", search.seconds},
        {"bytes", search.memory},      {"exhausted", search.stop == Stop::none}};
  };
  boost::json::object all{{"algorithm", info.name},
                          {"instance", describe(info, bounds)},
                          {"n", bounds.setup.size},
                          {"safety", of_search(report.safety)}};
  if (report.liveness) all["liveness"] = of_search(*report.liveness);
  boost::json::array properties;
  for (const Finding& finding : report.findings) {
    boost::json::object one{{"property", finding.property}, {"verdict", word_of(finding.verdict)}};
    if (!finding.what.empty()) one["what"] = finding.what;
    if (finding.length() > 0) one["steps"] = finding.length();
    if (finding.loop) one["loop"] = *finding.loop + 1;
    properties.push_back(std::move(one));
  }
  all["properties"] = std::move(properties);
  return all;
}

std::string steps_of(const Finding& finding) {
  std::string text;
  std::size_t number = 0;
  const auto add = [&](const std::string& step) {
    if (finding.loop == number) text += "     from here it can go on for ever:\n";
    char label[32];
    std::snprintf(label, sizeof label, "%4zu ", ++number);
    text += label + filled(step, table_width(), std::strlen(label)) + "\n";
  };
  for (const std::string& step : finding.told) add(step);
  for (const ScheduledStep& step : finding.steps) {
    std::string words(name_of(step.kind));
    if (step.node != nobody) words += " " + std::to_string(step.node.value);
    if (step.peer != nobody) words += ", " + std::to_string(step.peer.value);
    if (!step.message.empty()) words += ": " + step.message;
    add(words);
  }
  return text;
}

std::string progress_of(const check::Progress& progress) {
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(progress.distinct) /
                                               std::max(progress.seconds, 0.001));
  return grouped(progress.distinct) + " states, " + grouped(rate) + "/s, depth " +
         std::to_string(progress.depth) + ", " + grouped(progress.frontier) + " in the frontier, " +
         mebibytes(progress.memory);
}

int exit_code(const check::Report& report) {
  if (report.broken() != nullptr) return exit_violation;
  return report.is_exhausted() ? exit_ok : exit_undecided;
}

}  // namespace baton::cli
