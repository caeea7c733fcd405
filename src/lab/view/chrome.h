// Export to the Trace Event Format of chrome://tracing and https://ui.perfetto.dev: a thread per
// process, waiting and critical sections as slices, messages as arrows. One message time is shown
// as one millisecond.
#pragma once

#include <iosfwd>

#include "core/trace.h"

namespace baton::view {

void write_chrome(const Trace& trace, std::ostream& to);

}  // namespace baton::view
