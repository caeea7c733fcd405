// A supervised run as a test sees it: the foreground is forked off the test, the holder does what
// the test tells it, and everything that happens is logged in a folder of its own. The test is the
// reaper of all that is below it, and kills by their ids what a run leaves behind.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "io/descriptor.h"
#include "service/process/supervise.h"

namespace baton::process::test {

// Whether it comes true within half a minute.
bool eventually(const std::function<bool()>& condition);
bool is_alive(pid_t process);
bool is_stopped(pid_t process);

class Scratch {
 public:
  Scratch();
  ~Scratch();
  std::string file(const std::string& name) const { return folder_ / name; }
  std::string text(const std::string& name) const;
  bool has(const std::string& name) const { return std::filesystem::exists(file(name)); }
  // The number that a process writes there as a line, waited for.
  pid_t number(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

// Reads letters: h held, l lost, f failed, s to be stopped in a second, n no longer so.
class ScriptedHolder : public Holder {
 public:
  ScriptedHolder(const Scratch& scratch, int orders) : scratch_(scratch), orders_(orders) {}
  void begin() override;
  int descriptor() const override { return news_.get(); }
  State state() override;
  Environment environment() override { return {{"BATON_FENCE", "42"}, {"BATON_LOCK", "a b"}}; }
  std::string message() override {
    log("told why");
    return "as ordered";
  }
  int failure_code() override { return exit_code::conflict; }
  std::optional<std::chrono::nanoseconds> stop_by() override;
  void release() override { log("released"); }

  std::function<void()> at_begin;

 private:
  void obey();
  void log(const std::string& line) const;

  const Scratch& scratch_;
  int orders_;
  io::Descriptor news_;
  std::thread thread_;
  std::atomic<State> state_ = State::waiting;
  std::atomic<std::int64_t> stop_by_ = 0;
};

class ScriptedRun {
 public:
  // The script is for sh; it finds the folder in $DIR.
  explicit ScriptedRun(const std::string& script);
  ~ScriptedRun();

  // To be set before start().
  Options options;
  std::function<void()> in_front;                     // before all else
  std::function<void()> in_keeper;                    // before the holder begins
  std::function<void(std::function<void()>)> launch;  // other than by fork

  void start();
  void order(char letter) const;
  // Starts it and has the lock granted.
  void start_held();

  pid_t foreground() const { return foreground_; }
  pid_t lease_keeper() const;
  pid_t reaper() const;
  pid_t child_named(pid_t parent, const std::string& name) const;
  // As of waitpid.
  int wait();
  int exit_code() { return WEXITSTATUS(wait()); }
  int times_logged(const std::string& line) const;
  bool has_logged(const std::string& line) const { return times_logged(line) > 0; }

  Scratch scratch;

 protected:
  void adopt(pid_t foreground) { foreground_ = foreground; }

 private:
  void be_front();

  io::Descriptor orders_from_;
  io::Descriptor orders_to_;
  pid_t foreground_ = 0;
  std::optional<int> status_;
};

// A script that starts what should be stopped with it, and notes the ids under these names.
extern const std::string tree_script;
extern const std::vector<std::string> tree_names;
std::vector<pid_t> tree_of(const ScriptedRun& run);
bool are_gone(const std::vector<pid_t>& processes);

}  // namespace baton::process::test
