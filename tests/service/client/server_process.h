// A real server in a process of its own, that can be killed, stopped and started again.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

namespace baton::test {

class ServerProcess {
 public:
  // Keeps its journal in the folder, and listens there.
  explicit ServerProcess(std::string folder) : folder_(std::move(folder)) { start(); }
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::string url() const { return "unix:" + folder_ + "/socket"; }
  void start();
  void kill_it();  // -9
  void end_it();   // cleanly
  void pause_it() const { ::kill(process_, SIGSTOP); }
  void resume_it() const { ::kill(process_, SIGCONT); }

 private:
  void end_with(int signal);

  std::string folder_;
  pid_t process_ = -1;
};

}  // namespace baton::test
