// A user of the tool, with a state directory of his own: what he starts is his, and ends with the
// test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "cli/lab/baton.h"

namespace baton::test {

// Looks again and again, for as long as anything may take on a busy machine.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// A command of the shell that runs in the background.
class Running {
 public:
  explicit Running(const std::string& line) {
    id_ = fork();
    if (id_ == 0) {
      const auto open_as = [](const std::filesystem::path& path, int as) {
        dup2(open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), as);
      };
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      open_as(folder_ / "out", STDOUT_FILENO);
      open_as(folder_ / "err", STDERR_FILENO);
      execl("/bin/sh", "sh", "-c", ("exec " + line).c_str(), nullptr);
      _exit(127);
    }
  }
  ~Running() {
    if (id_ == 0) return;
    kill(id_, SIGTERM);
    kill(id_, SIGCONT);
    wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t id() const { return id_; }
  void send(int signal) const { kill(id_, signal); }
  std::string out() const { return contents(folder_ / "out"); }
  std::string err() const { return contents(folder_ / "err"); }

  // As a shell counts.
  int wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  Folder folder_;
  pid_t id_ = 0;
};

class Tool : public testing::Test {
 protected:
  Tool() {
    setenv("BATON", BATON_PROGRAM, 1);
    setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    setenv("BATON_RUN_DIRECTORY", (folder_ / "run").c_str(), 1);
    setenv("BATON_IDLE_STOP", "60", 1);
    setenv("F", (folder_ / "").c_str(), 1);
    for (const char* variable : {"BATON_URL", "BATON_SESSION", "BATON_SESSION_URL"}) {
      unsetenv(variable);
    }
  }
  ~Tool() override {
    if (const pid_t server = server_process(); server != 0) end(server);
  }

  static void end(pid_t process) {
    kill(process, SIGCONT);
    kill(process, SIGTERM);
    if (!eventually([&] { return !is_alive(process); })) kill(process, SIGKILL);
  }

  // Not only waiting to be reaped.
  static bool is_alive(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string stat;
    std::getline(file, stat);
    const auto end = stat.rfind(')');
    return end != stat.npos && end + 2 < stat.size() && stat[end + 2] != 'Z';
  }

  // Of the local server, if there is one.
  pid_t server_process() const {
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_ / "state/baton", ignored)) {
      std::ifstream file(entry.path() / "server.lock");
      std::string word;
      pid_t process = 0;
      if (file >> word >> process && is_alive(process)) return process;
    }
    return 0;
  }
  // The directory that it meets its clients in.
  std::filesystem::path meeting_point() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "state/baton")) {
      return entry.path();
    }
    return {};
  }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  bool has_file(const std::string& name) const { return std::filesystem::exists(file(name)); }
  void touch(const std::string& name) const { std::ofstream(file(name)) << "\n"; }
  std::string text(const std::string& name) const {
    std::string all = contents(file(name));
    while (all.ends_with('\n')) all.pop_back();
    return all;
  }

  static boost::json::value json(const std::string& arguments) {
    const Outcome outcome = baton(arguments + " --json");
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    boost::json::error_code problem;
    auto value = boost::json::parse(outcome.out, problem);
    EXPECT_FALSE(problem) << outcome.out;
    return value;
  }
  // How many hold and wait, as "1+0"; "0+0" if nobody has to do with it.
  static std::string use_of(const std::string& name) {
    const auto info = json("locks " + name);
    const auto& locks = info.at("locks").as_array();
    if (locks.empty()) return "0+0";
    return std::to_string(locks[0].at("holders").as_array().size()) + "+" +
           std::to_string(locks[0].at("waiters").as_array().size());
  }

  // Holds the lock until the file `end` is there; returns once it holds.
  std::unique_ptr<Running> hold(const std::string& arguments, const std::string& end = "end") {
    const std::string mark = "held-" + std::to_string(++holders_);
    auto running = std::make_unique<Running>(
        "$BATON lock " + arguments + " -- sh -c 'echo $$ >" + file(mark + "x").string() + "; mv " +
        file(mark + "x").string() + " " + file(mark).string() + "; while [ ! -e " +
        file(end).string() + " ]; do sleep 0.05; done'");
    EXPECT_TRUE(eventually([&] { return has_file(mark); })) << running->err();
    last_command_ = static_cast<pid_t>(std::atol(text(mark).c_str()));
    return running;
  }
  // Of the command that the last hold() runs.
  pid_t last_command() const { return last_command_; }

  // The keeper of a `baton lock`: its child.
  static pid_t keeper_of(pid_t front) {
    std::ifstream file("/proc/" + std::to_string(front) + "/task/" + std::to_string(front) +
                       "/children");
    pid_t child = 0;
    file >> child;
    return child;
  }

 private:
  Folder folder_;
  int holders_ = 0;
  pid_t last_command_ = 0;
};

}  // namespace baton::test
