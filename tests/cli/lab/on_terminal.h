// The program on a pseudo-terminal of a given width, as a user has it: what it prints there, and what
// Ctrl-C does.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cli/lab/baton.h"
#include "core/text.h"

namespace baton::test {

using Variables = std::map<std::string, std::string>;

// A command line of the shell, in which $BATON is the program. Its three streams are the terminal.
class OnTerminal {
 public:
  explicit OnTerminal(const std::string& line, unsigned columns = 80,
                      const Variables& variables = {{"NO_COLOR", "1"}}) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = static_cast<unsigned short>(columns);
    id_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (id_ == 0) {
      setenv("BATON", program().c_str(), 1);
      setenv("TERM", "xterm", 1);
      for (const char* name : {"COLUMNS", "NO_COLOR"}) unsetenv(name);
      for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
      execl("/bin/sh", "sh", "-c", ("exec " + line).c_str(), nullptr);
      _exit(127);
    }
  }
  ~OnTerminal() {
    if (id_ > 0) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
    close(terminal_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  // Reads until it has printed this; false if it ends, or has not after a minute.
  bool prints(const std::string& text) {
    return read_until([&] { return has(out_, text); });
  }
  void press_control_c() const {
    const char interrupt = '\x03';
    EXPECT_EQ(write(terminal_, &interrupt, 1), 1);
  }
  // To its end. The exit code, or 128 and the number of the signal that ended it.
  int wait() {
    read_until([] { return false; });
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // What it has printed so far, with the line ends of files.
  std::string out() const {
    std::string text = out_;
    for (auto at = text.find("\r\n"); at != text.npos; at = text.find("\r\n", at))
      text.erase(at, 1);
    return text;
  }
  // Lines are read, and typed letters are shown, as before.
  bool is_sane() const {
    termios mode{};
    return tcgetattr(terminal_, &mode) == 0 && (mode.c_lflag & ICANON) != 0 &&
           (mode.c_lflag & ECHO) != 0 && (mode.c_lflag & ISIG) != 0;
  }

 private:
  template <class Condition>
  bool read_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      pollfd waits{.fd = terminal_, .events = POLLIN, .revents = 0};
      if (poll(&waits, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t count = read(terminal_, bytes, sizeof bytes);
      if (count <= 0) return condition();  // nobody has the other end any more
      out_.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
  }

  int terminal_ = -1;
  pid_t id_ = 0;
  std::string out_;
};

inline Outcome on_terminal(const std::string& arguments, unsigned columns = 80,
                           const Variables& variables = {{"NO_COLOR", "1"}}) {
  OnTerminal terminal("$BATON " + arguments, columns, variables);
  const int code = terminal.wait();
  return {code, terminal.out(), ""};
}

inline void expect_fits(const std::string& text, std::size_t columns, const std::string& of) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(text::columns(line), columns) << of << "\n" << line;
  }
}

}  // namespace baton::test
