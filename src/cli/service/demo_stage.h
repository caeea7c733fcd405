// The stage of a demo: a directory and a server of its own, which go when it is over, and a voice
// that says what happens when.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/service/connection.h"

namespace baton::cli {

class DemoStage {
 public:
  // Changes the environment of this process, so that all that it starts meets there.
  explicit DemoStage(const std::string& title);
  ~DemoStage();
  DemoStage(const DemoStage&) = delete;
  DemoStage& operator=(const DemoStage&) = delete;

  // "  0.4 s  text"
  void say(const std::string& text) const;
  // Without a time, below the last.
  void add(const std::string& text) const;

  const Reach& reach() const { return reach_; }
  std::filesystem::path file(const std::string& name) const { return directory_ / name; }

  // This program with these arguments; all that it says is a part of the story.
  pid_t start(const std::vector<std::string>& arguments) const;
  static int exit_code_of(pid_t process);

 private:
  static std::filesystem::path set_up();

  std::filesystem::path directory_;
  Reach reach_;
  std::chrono::steady_clock::time_point begin_;
};

int demo_zombie();
int demo_deadlock();

}  // namespace baton::cli
