#include "cli/lab/sim_election.h"

#include <algorithm>
#include <map>

namespace baton::cli {

namespace {

class Names {
 public:
  explicit Names(const std::vector<std::string>& names) : names_(&names) {}

  std::string of(NodeId node) const {
    return names_->empty() ? std::to_string(node.value) : (*names_)[node.value];
  }

  std::string of(const std::vector<NodeId>& nodes) const {
    constexpr std::size_t most_listed = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(nodes.size(), most_listed); ++i) {
      text += (text.empty() ? "" : ", ") + of(nodes[i]);
    }
    return text + (nodes.size() > most_listed ? ", ..." : "");
  }

 private:
  const std::vector<std::string>* names_;
};

// The processes, by what each says of another.
std::map<NodeId, std::vector<NodeId>> grouped_by(const std::vector<NodeId>& said) {
  std::map<NodeId, std::vector<NodeId>> groups;
  for (std::uint32_t i = 0; i < said.size(); ++i) groups[said[i]].push_back({i});
  return groups;
}

// Who is whose child: "0: 1, 4; 1: 2, 3".
std::string tree_of(const std::vector<NodeId>& parents, const Names& names) {
  std::string text;
  for (const auto& [parent, children] : grouped_by(parents)) {
    if (parent == nobody) continue;
    text += (text.empty() ? "" : "; ") + names.of(parent) + ": " + names.of(children);
  }
  return text;
}

}  // namespace

void add_election_rows(Table& table, const sim::Report& report,
                       const std::vector<std::string>& names, const std::string& by_type) {
  const Names called(names);
  table.add({"elections", grouped(report.requests), "started by the application"});
  table.add({"messages", grouped(report.messages()), by_type});
  table.add({"bytes", grouped(report.bytes), ""});
  if (report.lost + report.duplicated > 0) {
    table.add(
        {"lost, duplicated", grouped(report.lost) + ", " + grouped(report.duplicated),
         report.returned > 0 ? grouped(report.returned) + " of those lost found nobody" : ""});
  }
  table.add({"time", number(in_message_times(report.ended)), "message times"});
  for (const auto& [leader, followers] : grouped_by(report.leaders)) {
    table.add({leader == nobody ? "no leader, or down" : "leader " + called.of(leader),
               grouped(followers.size()) + (followers.size() == 1 ? " process" : " processes"),
               called.of(followers)});
  }
  if (!report.parents.empty()) table.add({"tree", "", tree_of(report.parents, called)});
}

}  // namespace baton::cli
