#include "service/process/scripted_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "io/clock.h"
#include "service/process/descendants.h"
#include "service/process/takedown.h"

namespace baton::process::test {

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    poll(nullptr, 0, 5);
  }
  return condition();
}

bool is_alive(pid_t process) {
  const auto found = look_up(process);
  return found && found->is_alive;
}

bool is_stopped(pid_t process) {
  const auto found = look_up(process);
  return found && found->state == 'T';
}

Scratch::Scratch() {
  std::string name = std::filesystem::temp_directory_path() / "baton-process-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Scratch::text(const std::string& name) const {
  std::ifstream file(folder_ / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

pid_t Scratch::number(const std::string& name) const {
  EXPECT_TRUE(eventually([&] { return text(name).ends_with('\n'); })) << name;
  return static_cast<pid_t>(std::atoi(text(name).c_str()));
}

void ScriptedHolder::begin() {
  log("begun");
  if (at_begin) at_begin();
  news_ = io::Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  thread_ = std::thread([this] { obey(); });
  thread_.detach();
}

void ScriptedHolder::obey() {
  char letter = 0;
  while (read(orders_, &letter, 1) == 1) {
    if (letter == 'h') state_ = State::held;
    if (letter == 'l') state_ = State::lost;
    if (letter == 'f') state_ = State::failed;
    if (letter == 'n') stop_by_ = 0;
    if (letter == 's') stop_by_ = (io::boottime_us() + 1'000'000) * 1000;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(news_.get(), &one, sizeof one);
  }
}

Holder::State ScriptedHolder::state() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(news_.get(), &count, sizeof count);
  return state_;
}

std::optional<std::chrono::nanoseconds> ScriptedHolder::stop_by() {
  if (stop_by_ == 0) return std::nullopt;
  log("asked when");
  return std::chrono::nanoseconds(stop_by_);
}

void ScriptedHolder::log(const std::string& line) const {
  std::ofstream(scratch_.file("log"), std::ios::app) << line << std::endl;
}

ScriptedRun::ScriptedRun(const std::string& script) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  orders_from_ = io::Descriptor(ends[0]);
  orders_to_ = io::Descriptor(ends[1]);
  options.command.words = {"/bin/sh", "-c", script};
  options.command.environment = {{"DIR", scratch.file("")}};
  options.use_cgroup = false;
  options.kill_after = std::chrono::milliseconds(300);
}

ScriptedRun::~ScriptedRun() {
  const auto left = Takedown{}.kill_all(std::chrono::seconds(20));
  EXPECT_TRUE(left.empty()) << describe(left);
}

void ScriptedRun::be_front() {
  if (in_front) in_front();
  ScriptedHolder holder(scratch, orders_from_.get());
  holder.at_begin = in_keeper;
  const Outcome outcome = run_supervised(options, holder);
  std::ofstream(scratch.file("message")) << outcome.message << std::endl;
  end_like(outcome);
}

void ScriptedRun::start() {
  if (launch) return launch([this] { be_front(); });
  foreground_ = fork();
  if (foreground_ == 0) {
    be_front();
    _exit(99);
  }
}

void ScriptedRun::order(char letter) const { ASSERT_EQ(write(orders_to_.get(), &letter, 1), 1); }

void ScriptedRun::start_held() {
  start();
  order('h');
}

pid_t ScriptedRun::child_named(pid_t parent, const std::string& name) const {
  pid_t found = 0;
  const bool is_there = eventually([&] {
    for (const Process& process : descendants_of(parent)) {
      if (process.parent == parent && process.name == name) found = process.id;
    }
    return found != 0;
  });
  // A test that went on would send its signals to process 0: to its own process group.
  if (!is_there) throw std::runtime_error("there is no process " + name);
  return found;
}

pid_t ScriptedRun::lease_keeper() const { return child_named(foreground_, "lock-keeper"); }
pid_t ScriptedRun::reaper() const { return child_named(lease_keeper(), "lock-reaper"); }

int ScriptedRun::wait() {
  if (status_) return *status_;
  int status = 0;
  const bool ended =
      eventually([&] { return waitpid(foreground_, &status, WNOHANG) == foreground_; });
  EXPECT_TRUE(ended) << "the foreground does not end";
  status_ = ended ? status : -1;
  return *status_;
}

int ScriptedRun::times_logged(const std::string& line) const {
  int times = 0;
  std::istringstream lines(scratch.text("log"));
  for (std::string logged; std::getline(lines, logged);) {
    if (logged == line) ++times;
  }
  return times;
}

const std::string tree_script = R"(
  sleep 1000 & echo $! > $DIR/child
  (sleep 1000 & echo $! > $DIR/grandchild; wait) &
  setsid sh -c 'sleep 1000 & echo $! > $DIR/daemon' &
  sh -c 'trap "" TERM HUP INT; echo $$ > $DIR/stubborn; while :; do sleep 1000; done' &
  echo $$ > $DIR/command
  while :; do wait; sleep 1; done
)";
const std::vector<std::string> tree_names = {"child", "grandchild", "daemon", "stubborn",
                                             "command"};

std::vector<pid_t> tree_of(const ScriptedRun& run) {
  std::vector<pid_t> processes;
  for (const std::string& name : tree_names) processes.push_back(run.scratch.number(name));
  for (const pid_t process : processes) EXPECT_TRUE(is_alive(process));
  return processes;
}

bool are_gone(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    if (is_alive(process)) return false;
  }
  return true;
}

}  // namespace baton::process::test
