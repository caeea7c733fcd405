// What `baton sim superpeer` shows besides: the four requirements, before and after, and a map.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "core/setup.h"
#include "lab/sim/report.h"

namespace baton::cli {

std::string superpeer_text(const Setup& setup, const sim::Report& report, std::size_t width);
boost::json::object superpeer_json(const sim::SuperpeerMeasures& measures);

}  // namespace baton::cli
