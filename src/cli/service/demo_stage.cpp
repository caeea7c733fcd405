#include "cli/service/demo_stage.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "cli/common/terminal.h"
#include "service/process/handle.h"

extern char** environ;

namespace baton::cli {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

// Where texts begin, to the right of the time.
constexpr std::size_t column = 9;

}  // namespace

fs::path DemoStage::set_up() {
  std::string name = (fs::temp_directory_path() / "baton-demo-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Refused("cannot make a directory below " + fs::temp_directory_path().string(),
                  process::exit_code::failed);
  }
  setenv("XDG_STATE_HOME", name.c_str(), 1);
  setenv("BATON_RUN_DIRECTORY", name.c_str(), 1);
  setenv("BATON_IDLE_STOP", "5", 1);  // should this process be killed
  for (const char* variable : {"BATON_URL", "BATON_SESSION", "BATON_SESSION_URL"}) {
    unsetenv(variable);
  }
  return name;
}

DemoStage::DemoStage(const std::string& title)
    : directory_(set_up()), reach_(""), begin_(steady_clock::now()) {
  std::cout << explained(title) << "\n" << std::flush;
  reach_.revive();
  begin_ = steady_clock::now();
}

DemoStage::~DemoStage() {
  try {
    const pid_t server = [this] {
      Client client = reach_.connect();
      return static_cast<pid_t>(value_of(client.status()).process);
    }();
    const process::Handle handle(server);
    handle.send(SIGTERM);
    const auto deadline = steady_clock::now() + 5s;
    while (!handle.has_ended() && steady_clock::now() < deadline) std::this_thread::sleep_for(10ms);
  } catch (const Refused&) {
    // There is none any more.
  }
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void DemoStage::say(const std::string& text) const {
  const std::chrono::duration<double> time = steady_clock::now() - begin_;
  std::cout << fmt::format("{:5.1f} s  {}\n", time.count(), filled(text, table_width(), column))
            << std::flush;
}

void DemoStage::add(const std::string& text) const {
  std::cout << std::string(column, ' ') << filled(text, table_width(), column) << "\n"
            << std::flush;
}

pid_t DemoStage::start(const std::vector<std::string>& arguments) const {
  std::string program = "/proc/self/exe";
  std::error_code problem;
  if (const fs::path path = fs::read_symlink(program, problem); !problem) program = path.string();
  setenv("BATON", program.c_str(), 1);
  std::vector<char*> words;
  words.push_back(const_cast<char*>("baton"));
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int error =
      posix_spawn(&process, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw Refused("cannot start " + program, process::exit_code::failed);
  }
  return process;
}

int DemoStage::exit_code_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace baton::cli
