#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace baton::cli {

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return stdout_is_terminal() && (no_colour == nullptr || *no_colour == '\0');
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  // Where the output is no terminal, shells still tell its width, if asked to export it.
  if (const char* columns = std::getenv("COLUMNS")) {
    const int typed = std::atoi(columns);
    if (typed > 0) return static_cast<std::size_t>(typed);
  }
  return 100;
}

namespace {
constexpr std::chrono::milliseconds first_after_ms{500};
constexpr std::chrono::milliseconds then_every_ms{200};
}  // namespace

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0),
      next_(std::chrono::steady_clock::now() + first_after_ms) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::show(const std::string& text) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + then_every_ms;
  drawn_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
}

}  // namespace baton::cli
