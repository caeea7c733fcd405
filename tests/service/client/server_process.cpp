#include "service/client/server_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "baton/server.h"

namespace baton::test {

namespace {

[[noreturn]] void serve(const std::string& folder, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &end, nullptr);
  auto server =
      Server::start({.listen = {"unix:" + folder + "/socket"}, .directory = folder + "/journal"});
  if (!server) {
    std::fprintf(stderr, "%s\n", server.message().c_str());
    _exit(1);
  }
  (void)!write(ready, "r", 1);
  int signal = 0;
  sigwait(&end, &signal);
  _exit(server->stop() ? 0 : 1);
}

}  // namespace

void ServerProcess::start() {
  int ready[2];
  if (pipe(ready) != 0) throw std::runtime_error("pipe");
  process_ = fork();
  if (process_ == 0) serve(folder_, ready[1]);
  close(ready[1]);
  char byte = 0;
  const bool is_ready = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  if (!is_ready) throw std::runtime_error("the server did not start");
}

ServerProcess::~ServerProcess() {
  if (process_ > 0) end_with(SIGKILL);
}

void ServerProcess::kill_it() { end_with(SIGKILL); }
void ServerProcess::end_it() { end_with(SIGTERM); }

void ServerProcess::end_with(int signal) {
  ::kill(process_, signal);
  ::kill(process_, SIGCONT);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace baton::test
