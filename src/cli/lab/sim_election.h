// What `baton sim` shows of an election: its messages, who leads whom, and the tree if it built
// one.
#pragma once

#include <string>
#include <vector>

#include "cli/common/text.h"
#include "lab/sim/report.h"

namespace baton::cli {

// `names` are the processes' names, empty for their numbers; `by_type` lists the messages.
void add_election_rows(Table& table, const sim::Report& report,
                       const std::vector<std::string>& names, const std::string& by_type);

}  // namespace baton::cli
