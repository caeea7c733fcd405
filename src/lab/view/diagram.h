// The space-time diagram for terminals. Time runs downwards. Each process has a column, whose line
// shows whether the process is outside, waiting, inside or down. A dot shows where a message is
// sent and an arrow where it arrives; a sentence beside each row says what happens.
#pragma once

#include <cstddef>
#include <string>

#include "core/trace.h"

namespace baton::view {

struct DiagramOptions {
  bool unicode = true;       // else only 7-bit characters
  bool colour = false;       // ANSI escapes; each process has its own of 256 colours
  std::size_t width = 80;    // no line is wider, in terminal columns
  std::size_t max_rows = 0;  // shows only the last so many; 0: all
};

// Lines, each ending in a newline. If the group is too large for the width, one sentence says so
// and what to do instead.
std::string draw(const Trace& trace, const DiagramOptions& options);

}  // namespace baton::view
