// What we are printing to.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace baton::cli {

bool stdout_is_terminal();
// Colour if the output is a terminal and NO_COLOR is not set.
bool wants_colour();
// Columns of the terminal; where there is none, what COLUMNS says, or 100.
std::size_t terminal_width();

// One line on the terminal that is rewritten in place, at most a few times a second and only after
// a run has taken a moment; nothing at all where standard error is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_shown() const { return terminal_; }
  void show(const std::string& text);

 private:
  bool terminal_;
  std::size_t width_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace baton::cli
