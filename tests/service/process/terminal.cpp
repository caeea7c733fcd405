#include "service/process/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "service/process/scripted_run.h"

namespace baton::process::test {

namespace {

void to_foreground(pid_t group) { tcsetpgrp(STDIN_FILENO, group); }

void obey(char letter, pid_t job) {
  if (letter == 'f') to_foreground(job);
  kill(-job, SIGCONT);
}

}  // namespace

Terminal::Terminal(const std::function<void()>& job) {
  int orders[2];
  int statuses[2];
  EXPECT_EQ(pipe2(orders, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(statuses, O_CLOEXEC), 0);
  int screen = -1;
  shell_ = forkpty(&screen, nullptr, nullptr, nullptr);
  if (shell_ == 0) be_shell(job, orders[0], statuses[1]);
  fcntl(screen, F_SETFD, FD_CLOEXEC);
  fcntl(screen, F_SETFL, O_NONBLOCK);
  screen_ = io::Descriptor(screen);
  orders_ = io::Descriptor(orders[1]);
  statuses_ = io::Descriptor(statuses[0]);
  ::close(orders[0]);
  ::close(statuses[1]);
  job_ = next_status();
}

Terminal::~Terminal() {
  kill(shell_, SIGKILL);
  waitpid(shell_, nullptr, 0);
}

void Terminal::be_shell(const std::function<void()>& job, int orders, int statuses) {
  std::signal(SIGTTOU, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  std::signal(SIGTSTP, SIG_IGN);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    to_foreground(getpid());
    for (const int signal : {SIGTTOU, SIGTTIN, SIGTSTP}) std::signal(signal, SIG_DFL);
    job();
    _exit(99);
  }
  setpgid(child, child);
  to_foreground(child);
  int status = child;
  [[maybe_unused]] ssize_t size = write(statuses, &status, sizeof status);
  for (;;) {
    pollfd order{orders, POLLIN, 0};
    char letter = 0;
    if (poll(&order, 1, 5) > 0 && read(orders, &letter, 1) == 1) obey(letter, child);
    if (waitpid(child, &status, WNOHANG | WUNTRACED) != child) continue;
    to_foreground(getpid());
    size = write(statuses, &status, sizeof status);
  }
}

void Terminal::order(char letter) const { EXPECT_EQ(write(orders_.get(), &letter, 1), 1); }

void Terminal::type(const std::string& keys) const {
  EXPECT_EQ(write(screen_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

bool Terminal::shows(const std::string& text) {
  return eventually([&] {
    char buffer[256];
    ssize_t size = 0;
    while ((size = read(screen_.get(), buffer, sizeof buffer)) > 0) {
      shown_.append(buffer, static_cast<std::size_t>(size));
    }
    return shown_.find(text) != std::string::npos;
  });
}

int Terminal::next_status() const {
  pollfd news{statuses_.get(), POLLIN, 0};
  int status = -1;
  EXPECT_GT(poll(&news, 1, 30'000), 0) << "the shell sees nothing of its job";
  if (news.revents != 0) {
    EXPECT_EQ(read(statuses_.get(), &status, sizeof status), 4);
  }
  return status;
}

pid_t Terminal::foreground() const {
  pid_t group = 0;
  EXPECT_EQ(ioctl(screen_.get(), TIOCGPGRP, &group), 0);
  return group;
}

}  // namespace baton::process::test
