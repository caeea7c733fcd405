// `baton serve` as a process of the test's own (SERVE_PROGRAM), which ends with the test.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace baton::support {

using Environment = std::map<std::string, std::string>;

class ServeProcess {
 public:
  // `prepare` runs in the child, before it becomes the server.
  ServeProcess(const std::vector<std::string>& arguments, const std::filesystem::path& log,
               const Environment& environment = {}, const std::function<void()>& prepare = {}) {
    std::filesystem::remove(log);  // of the one before
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int out = ::open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ::dup2(out, 2);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (prepare) prepare();
    std::vector<std::string> all{SERVE_PROGRAM, "serve"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& one : all) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    ::execv(SERVE_PROGRAM, pointers.data());
    ::_exit(99);
  }
  ~ServeProcess() {
    if (pid_ > 0) end(SIGKILL);
  }
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  int end(int number) {
    signal(number);
    return wait();
  }
  // Its exit code; -1 if a signal ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace baton::support
