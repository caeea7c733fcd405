#include "cli/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "core/table.h"
#include "core/text.h"

namespace baton::cli {

namespace {

constexpr std::size_t usual_width = 80;
constexpr std::size_t widest_prose = 100;

bool is_terminal(int file) { return isatty(file) != 0; }

bool can_do_escapes() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::optional<std::size_t> told_by_shell() {
  const char* columns = std::getenv("COLUMNS");
  const int typed = columns == nullptr ? 0 : std::atoi(columns);
  return typed > 0 ? std::optional(static_cast<std::size_t>(typed)) : std::nullopt;
}

// Nothing if it is no terminal, and nobody says how wide the output shall be.
std::optional<std::size_t> width_of(int file) {
  winsize size{};
  if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const auto told = told_by_shell()) return told;
  return is_terminal(file) ? std::optional(usual_width) : std::nullopt;
}

}  // namespace

bool stdout_is_terminal() { return is_terminal(STDOUT_FILENO); }
bool wants_colour() { return stdout_is_terminal() && can_do_escapes(); }

std::size_t table_width() { return width_of(STDOUT_FILENO).value_or(text::Table::unlimited); }
std::size_t diagram_width() { return width_of(STDOUT_FILENO).value_or(100); }

std::size_t prose_width() {
  return std::min(width_of(STDOUT_FILENO).value_or(usual_width), widest_prose);
}

std::string filled(std::string_view paragraph, std::size_t width, std::size_t indent) {
  std::string all;
  for (const std::string& line : text::wrapped(paragraph, width - std::min(width, indent))) {
    all += (all.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  }
  return all;
}

std::string explained(std::string_view paragraph) {
  return filled(paragraph, prose_width()) + "\n";
}

void tell(const std::string& message) {
  const auto width = is_terminal(STDERR_FILENO) ? width_of(STDERR_FILENO) : std::nullopt;
  const std::string text = width ? filled(message, *width, 2) : message;
  std::fputs((text + "\n").c_str(), stderr);
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

// A command that has something to say when it is interrupted, and one that is to go on, keep their
// handlers.
bool ends_by_interrupt() {
  struct sigaction now {};
  return sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

bool tidies_up() {
  struct sigaction now {};
  return sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == tidy_up;
}

}  // namespace

ProgressLine::ProgressLine()
    : can_rewrite_(is_terminal(STDERR_FILENO) && can_do_escapes()),
      width_(std::max<std::size_t>(width_of(STDERR_FILENO).value_or(usual_width), 20)),
      next_(std::chrono::steady_clock::now() + first_after_ms) {}

ProgressLine::~ProgressLine() {
  if (!drawn_) return;
  std::fputs(erase_line, stderr);
  if (tidies_up()) std::signal(SIGINT, SIG_DFL);
}

void ProgressLine::show(const std::string& text) {
  if (!can_rewrite_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + then_every_ms;
  if (!drawn_ && ends_by_interrupt()) std::signal(SIGINT, tidy_up);
  drawn_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", text::shortened(text, width_ - 1, "").c_str());
  std::fflush(stderr);
}

}  // namespace baton::cli
