// The cuts of snapshots in a picture: a dashed line through the points at which the processes
// record their states.
#pragma once

#include <functional>
#include <string>

#include "core/trace.h"
#include "lab/view/svg_labels.h"

namespace baton::view::svg {

// One line per snapshot of the trace, with its name above; "" if there is none. `place` gives the
// place in the picture of a process at a time.
std::string cuts(const Trace& trace, const std::function<Point(Ticks, NodeId)>& place);

}  // namespace baton::view::svg
