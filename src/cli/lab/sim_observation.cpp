#include "cli/lab/sim_observation.h"

#include "cli/common/text.h"

namespace baton::cli {

namespace {

using sim::CutFound;
using sim::MessageType;
using sim::Report;

constexpr std::size_t most_listed = 20;

std::string name_of(const CutFound& cut) {
  return "snapshot " + std::to_string(cut.initiator.value) + "." + std::to_string(cut.number.value);
}

std::string plural(std::uint64_t count, const std::string& one) {
  return grouped(count) + " " + one + (count == 1 ? "" : "s");
}

// "20 Marker, 4 Piece": the types from `first` to `end`.
std::string types(const Report& report, std::size_t first, std::size_t end, std::uint64_t& total) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) {
    const MessageType& type = report.by_type[i];
    total += type.count;
    text += (text.empty() ? "" : ", ") + grouped(type.count) + " " + std::string(type.name);
  }
  return text;
}

std::vector<std::string> row_of(const CutFound& cut, bool ascii) {
  std::string value = cut.consistent ? "consistent" : "INCONSISTENT";
  std::string remark = plural(cut.messages, "message") + " under way";
  if (cut.counts) {
    remark += "; " + grouped(cut.in_states) + " in states + " + grouped(cut.in_channels) +
              " in channels = " + grouped(cut.in_states + cut.in_channels);
    if (!cut.is_conserved()) {
      remark += (ascii ? ", not " : " ≠ ") + grouped(cut.in_all);
      if (cut.consistent) value = "WRONG SUM";
    }
  }
  return {name_of(cut), value, remark};
}

}  // namespace

bool is_observer(const Info& info) {
  return info.kind == Kind::observation &&
         (info.promises.has(Promise::consistency) || info.promises.has(Promise::detection));
}

std::vector<std::vector<std::string>> observation_rows(const Report& report, bool ascii) {
  std::vector<std::vector<std::string>> rows;
  std::uint64_t own = 0;
  std::uint64_t others = 0;
  const std::string own_types = types(report, 0, report.observer_types, own);
  const std::string other_types =
      types(report, report.observer_types, report.by_type.size(), others);
  rows.push_back({"observed", grouped(others) + " messages", other_types});
  rows.push_back({"to observe", grouped(own) + " messages", own_types});
  rows.push_back({"bytes", grouped(report.bytes), ""});
  if (report.lost + report.duplicated > 0) {
    rows.push_back(
        {"lost, duplicated", grouped(report.lost) + ", " + grouped(report.duplicated), ""});
  }
  rows.push_back({"time", number(in_message_times(report.ended)), "message times"});
  if (!report.cuts.empty()) {
    rows.push_back(
        {"snapshots", grouped(report.cuts.size()), "of " + grouped(report.requests) + " begun"});
  }
  for (std::size_t i = 0; i < report.cuts.size() && i < most_listed; ++i) {
    rows.push_back(row_of(report.cuts[i], ascii));
  }
  if (report.cuts.size() > most_listed) {
    rows.push_back({"...", "", grouped(report.cuts.size() - most_listed) + " more"});
  }
  for (std::size_t i = 0; i < report.announcements.size() && i < most_listed; ++i) {
    const sim::Announcement& one = report.announcements[i];
    rows.push_back({"terminated", "at " + number(in_message_times(one.at)),
                    "says process " + std::to_string(one.node.value)});
  }
  return rows;
}

void add_observation(boost::json::object& to, const Report& report) {
  boost::json::array cuts;
  for (const CutFound& cut : report.cuts) {
    boost::json::object one{{"initiator", cut.initiator.value},
                            {"number", cut.number.value},
                            {"consistent", cut.consistent},
                            {"messages_under_way", cut.messages}};
    if (cut.counts) {
      one["in_states"] = cut.in_states;
      one["in_channels"] = cut.in_channels;
      one["in_all"] = cut.in_all;
    }
    cuts.push_back(std::move(one));
  }
  to["cuts"] = std::move(cuts);
  boost::json::array announcements;
  for (const sim::Announcement& one : report.announcements) {
    announcements.push_back({{"process", one.node.value}, {"at", in_message_times(one.at)}});
  }
  to["announcements"] = std::move(announcements);
  std::uint64_t own = 0;
  for (std::size_t i = 0; i < report.observer_types; ++i) own += report.by_type[i].count;
  to["messages_to_observe"] = own;
}

}  // namespace baton::cli
