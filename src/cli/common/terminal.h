// What we are printing to, and how wide that is.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace baton::cli {

bool stdout_is_terminal();
// Whether standard output is a terminal on which escape sequences are welcome: not with TERM=dumb, nor
// with any NO_COLOR.
bool wants_colour();

// Columns for what is written to standard output: those of the terminal. Where that is none, what
// COLUMNS says, and without it:
std::size_t table_width();    // no limit, so that grep and its like find whole lines
std::size_t diagram_width();  // 100
std::size_t prose_width();    // 80; in no case more than 100, which nobody reads with pleasure

// A paragraph, broken between words; lines after the first begin with `indent` blanks.
std::string filled(std::string_view paragraph, std::size_t width, std::size_t indent = 0);

// The same for an explanation on standard output, with its line end.
std::string explained(std::string_view paragraph);

// A message on standard error, of one line, broken between words if that is a terminal.
void tell(const std::string& message);

// One line on the terminal that is rewritten in place, at most a few times a second and only after
// a run has taken a moment; nothing at all where standard error is no terminal that can do so.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_shown() const { return can_rewrite_; }
  void show(const std::string& text);

 private:
  bool can_rewrite_;
  std::size_t width_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace baton::cli
