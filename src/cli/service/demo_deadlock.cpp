// The deadly embrace, with two nested `baton lock` each: the request that would close the circle is
// refused, and the circle is named.
#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "cli/service/demo_stage.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Takes `first`, waits for a file, and takes `second` while it holds the first.
std::vector<std::string> embrace(const std::string& name, const std::string& first,
                                 const std::string& second, const std::filesystem::path& cue) {
  const std::string inner = "while [ ! -e '" + cue.string() +
                            "' ]; do sleep 0.05; done; exec \"$BATON\" lock " + second +
                            " --label " + name + " -- echo '         " + name +
                            " has both: it works with " + first + " and " + second + "'";
  return {"lock", first, "--label", name, "--", "sh", "-c", inner};
}

template <class Condition>
bool wait_until(Client& client, const std::string& name, Condition condition) {
  const auto deadline = steady_clock::now() + 20s;
  while (steady_clock::now() < deadline) {
    const LocksInfo info = value_of(client.locks({.name = name}));
    if (!info.locks.empty() && condition(info.locks.front())) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

}  // namespace

int demo_deadlock() {
  const DemoStage stage(
      "A takes 'left' and then wants 'right'; B takes 'right' and then wants 'left'.");
  const auto cue_a = stage.file("cue-a");
  const auto cue_b = stage.file("cue-b");
  const auto is_held = [](const LockInfo& lock) { return !lock.holders.empty(); };
  const auto is_waited_for = [](const LockInfo& lock) { return !lock.waiters.empty(); };

  const pid_t a = stage.start(embrace("A", "left", "right", cue_a));
  const pid_t b = stage.start(embrace("B", "right", "left", cue_b));
  Client client = stage.reach().connect();
  bool is_good = wait_until(client, "left", is_held) && wait_until(client, "right", is_held);
  stage.say("A: baton lock left  -- …   has it");
  stage.say("B: baton lock right -- …   has it");
  std::ofstream(cue_a) << "go";
  is_good = is_good && wait_until(client, "right", is_waited_for);
  stage.say("A: baton lock right -- …   waits for B, within the first");
  stage.say("B: baton lock left  -- …   would wait for A, for ever:");
  std::ofstream(cue_b) << "go";
  const int code_b = DemoStage::exit_code_of(b);
  stage.say(
      fmt::format("B was refused (exit code {}) and has let 'right' go, so A goes on:", code_b));
  const int code_a = DemoStage::exit_code_of(a);
  is_good = is_good && code_a == exit_ok && code_b == exit_deadlock;
  stage.add(is_good ? "Nobody waits for ever, and the message says who held what."
                    : "This is not what should have happened.");
  return is_good ? exit_ok : exit_violation;
}

}  // namespace baton::cli
