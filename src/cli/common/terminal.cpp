#include "cli/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "core/text.h"

namespace baton::cli {

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return stdout_is_terminal() && (no_colour == nullptr || *no_colour == '\0');
}

namespace {
// 0 if it is no terminal.
std::size_t width_of(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
}  // namespace

std::size_t terminal_width() {
  if (const std::size_t width = width_of(STDOUT_FILENO)) return width;
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

constexpr char erase_line[] = "\r\x1b[K";

// Whoever interrupts a run should find the prompt on a clean line. The run ends as it would have.
void tidy_up(int signal) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, erase_line, sizeof erase_line - 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}
}  // namespace

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0),
      width_(terminal_ ? std::max<std::size_t>(width_of(STDERR_FILENO), 20) : 80),
      next_(std::chrono::steady_clock::now() + first_after_ms) {}

ProgressLine::~ProgressLine() {
  if (!drawn_) return;
  std::fputs(erase_line, stderr);
  std::signal(SIGINT, SIG_DFL);
}

void ProgressLine::show(const std::string& text) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + then_every_ms;
  if (!drawn_) std::signal(SIGINT, tidy_up);
  drawn_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", text::shortened(text, width_ - 1, "").c_str());
  std::fflush(stderr);
}

}  // namespace baton::cli
