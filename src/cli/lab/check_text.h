// What came of a check, in words and for programs.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "core/info.h"
#include "lab/check/report.h"

namespace baton::cli {

// "ricart-agrawala, 3 processes, any number of requests each, …"
std::string describe(const Info& info, const check::Bounds& bounds);
// The whole report for people.
std::string text_of(const Info& info, const check::Bounds& bounds, const check::Report& report,
                    bool ascii);
boost::json::object json_of(const Info& info, const check::Bounds& bounds,
                            const check::Report& report);
// The run that breaks a property, step by step.
std::string steps_of(const check::Finding& finding);
// One line while it goes on.
std::string progress_of(const check::Progress& progress);
// "holds", "broken", "undecided".
std::string_view name_of(check::Finding::Verdict verdict);
int exit_code(const check::Report& report);

}  // namespace baton::cli
