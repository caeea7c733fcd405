// A terminal with a shell's job control on it, as far as the tests need it: one job, in the
// foreground or not.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "io/descriptor.h"

namespace baton::process::test {

class Terminal {
 public:
  // Runs the job as a process group of its own in the foreground of the terminal.
  explicit Terminal(const std::function<void()>& job);
  ~Terminal();

  pid_t job() const { return job_; }
  void type(const std::string& keys) const;
  // Whether this text has appeared, or appears.
  bool shows(const std::string& text);
  // What the shell sees next of its job, as of waitpid.
  int next_status() const;
  // As the shell's own commands.
  void fg() const { order('f'); }
  void bg() const { order('b'); }
  pid_t foreground() const;

 private:
  void order(char letter) const;
  [[noreturn]] static void be_shell(const std::function<void()>& job, int orders, int statuses);

  io::Descriptor screen_;
  io::Descriptor orders_;
  io::Descriptor statuses_;
  pid_t shell_ = 0;
  pid_t job_ = 0;
  std::string shown_;
};

}  // namespace baton::process::test
