// What `baton sim` tells of observers: the cuts of snapshots, and announcements.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "core/info.h"
#include "lab/sim/report.h"

namespace baton::cli {

// Whether the report is about something observed. (Other protocols of that kind are locks.)
bool is_observer(const Info& info);

// Rows of three columns: what, value, remark.
std::vector<std::vector<std::string>> observation_rows(const sim::Report& report, bool ascii);

void add_observation(boost::json::object& to, const sim::Report& report);

}  // namespace baton::cli
