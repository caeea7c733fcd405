// The paused holder: a process that has a lock is stopped, its lease runs out, another one gets the
// lock, and then the first goes on and writes, since it cannot know. The resource knows: it has
// seen a newer fencing token.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "baton/fence.h"
#include "cli/common/terminal.h"
#include "cli/service/demo_stage.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

constexpr const char* lock_name = "account";

// A process of the story. Both sides talk in lines.
struct Actor {
  pid_t id = 0;
  int to = -1;
  int from = -1;

  void tell(const std::string& line) const {
    const std::string text = line + "\n";
    [[maybe_unused]] const ssize_t written = write(to, text.data(), text.size());
  }
  // Empty if it is gone.
  std::string hear() const {
    std::string line;
    char byte = 0;
    ssize_t size = 0;
    while ((size = read(from, &byte, 1)) == 1 || (size < 0 && errno == EINTR)) {
      if (size == 1 && byte == '\n') return line;
      if (size == 1) line += byte;
    }
    return "";
  }
};

// The resource: refuses whoever is out of date, and is written while nobody newer can be let in.
std::string write_account(const DemoStage& stage, std::uint64_t token, const std::string& text) {
  auto fence = Fence::in_file(stage.file("fence").string());
  if (!fence) return fence.message();
  const auto pass = fence->enter(token);
  if (!pass) return "refused: " + pass.message();
  std::ofstream(stage.file("account")) << text;
  return "written";
}

std::string account(const DemoStage& stage) {
  std::ifstream file(stage.file("account"));
  return {std::istreambuf_iterator<char>(file), {}};
}

// Takes the lock, says its token, and then writes whatever it is told to, as a program does that
// has looked whether it holds the lock a moment ago.
void act(const DemoStage& stage, const Actor& boss, const std::string& name) {
  Client client = stage.reach().connect({.ttl = 2s, .label = name});
  Result<Lock> lock = client.lock(lock_name, {.label = name});
  if (!lock) return boss.tell(lock.message());
  boss.tell(std::to_string(lock->fence()));
  for (std::string text = boss.hear(); !text.empty(); text = boss.hear()) {
    boss.tell(write_account(stage, lock->fence(), text));
  }
}

// Must be called while this process has one thread.
Actor start_actor(const DemoStage& stage, const std::string& name) {
  int down[2];
  int up[2];
  if (pipe(down) != 0 || pipe(up) != 0) throw Refused("no pipe", process::exit_code::failed);
  const pid_t id = fork();
  if (id == 0) {
    close(down[1]);
    close(up[0]);
    if (name == "B") {
      // B waits for its cue.
      char cue = 0;
      if (read(down[0], &cue, 1) != 1) _exit(0);
    }
    try {
      act(stage, {getppid(), up[1], down[0]}, name);
    } catch (const std::exception& error) {
      tell(name + ": " + error.what());
    }
    _exit(0);
  }
  close(down[0]);
  close(up[1]);
  return {id, down[1], up[0]};
}

void end(const Actor& actor) {
  kill(actor.id, SIGKILL);
  waitpid(actor.id, nullptr, 0);
  close(actor.to);
  close(actor.from);
}

}  // namespace

int demo_zombie() {
  DemoStage stage(
      "A process that holds a lock is paused for longer than its lease, and goes on afterwards.");
  const Actor b = start_actor(stage, "B");
  const Actor a = start_actor(stage, "A");
  std::signal(SIGPIPE, SIG_IGN);

  const std::string token_a = a.hear();
  stage.say(fmt::format("A (process {}) has the lock '{}', fence {}", a.id, lock_name, token_a));
  a.tell("100, says A");
  stage.say("A writes \"100, says A\": " + a.hear());
  kill(a.id, SIGSTOP);
  stage.say("A is paused (SIGSTOP), as by a full swap or a sleeping laptop; its lease is 2 s");

  b.tell("");
  stage.say(fmt::format("B (process {}) asks for the lock, and waits", b.id));
  const std::string token_b = b.hear();
  stage.say(fmt::format("A's lease is over: B has the lock, fence {}", token_b));
  b.tell("200, says B");
  stage.say("B writes \"200, says B\": " + b.hear());

  a.tell("100 again, says A");
  kill(a.id, SIGCONT);
  const std::string verdict = a.hear();
  stage.say("A goes on (SIGCONT), and writes \"100 again, says A\", with its old fence:");
  stage.add(verdict);
  const std::string left = account(stage);
  stage.say("the account says: \"" + left + "\"");
  end(a);
  end(b);
  const bool is_good = verdict.starts_with("refused") && left == "200, says B";
  stage.add(is_good ? "No lock alone can prevent the late write: the fence does."
                    : "This is not what should have happened.");
  return is_good ? exit_ok : exit_violation;
}

}  // namespace baton::cli
