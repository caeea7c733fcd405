// Several `baton lock` at work on one resource, while whatever belongs to them is killed at any
// moment: the server, the commands, and each of the processes that look after a command.
//
// The resource notes every visit with its fence. A command is stopped before its lock can go to
// another, so no visit with an older fence may come after one with a newer.
#include <random>
#include <sstream>

#include "cli/service/served.h"

namespace baton::test {
namespace {

std::vector<pid_t> children_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) +
                     "/children");
  std::vector<pid_t> found;
  for (pid_t child = 0; file >> child;) found.push_back(child);
  return found;
}

// With all that it has started.
std::vector<pid_t> tree_of(pid_t process) {
  std::vector<pid_t> found{process};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const pid_t child : children_of(found[i])) found.push_back(child);
  }
  return found;
}

class Kills : public Served {
 protected:
  static constexpr auto visit =
      "lock r --ttl 3s --kill-after 500ms -- sh -c 'for i in 1 2 3; do echo $BATON_FENCE "
      ">>$F/visits; "
      "sleep 0.02; done'";

  std::vector<std::uint64_t> visits() const {
    std::istringstream lines(text("visits"));
    std::vector<std::uint64_t> found;
    for (std::uint64_t fence = 0; lines >> fence;) found.push_back(fence);
    return found;
  }
  bool comes_to(std::size_t count) const {
    return eventually([&] { return visits().size() >= count; });
  }
};

TEST_F(Kills, AtAnyMomentUnderLoad) {
  constexpr unsigned seed = 7;
  constexpr std::size_t workers = 3;
  constexpr int rounds = 24;
  std::mt19937 random(seed);
  start();
  std::array<std::unique_ptr<Running>, workers> all;
  const auto work = [&](std::size_t i) {
    all[i] = std::make_unique<Running>(std::string("$BATON ") + visit);
  };
  // Those that have ended, by themselves or not, are followed by others.
  const auto keep_busy = [&] {
    for (std::size_t i = 0; i < workers; ++i) {
      if (all[i] && is_alive(all[i]->id())) continue;
      if (all[i]) all[i]->wait();
      work(i);
    }
  };
  for (int round = 0; round < rounds; ++round) {
    keep_busy();
    // Half of the kills come early, the others in the midst of work.
    if (round % 2 == 0) {
      // Workers that are alive now may all be about to end, and would visit nothing any more.
      const std::size_t next = visits().size() + 1;
      EXPECT_TRUE(eventually([&] {
        keep_busy();
        return visits().size() >= next;
      }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 120));
    if (round % 8 == 7) {
      kill_server();
      start();
      continue;
    }
    const std::vector<pid_t> tree = tree_of(all[random() % workers]->id());
    kill(tree[random() % tree.size()], SIGKILL);
  }
  for (auto& one : all) one.reset();
  const std::size_t before = visits().size();
  EXPECT_EQ(baton(std::string("") + visit).code, 0) << "nothing is left that holds it";
  EXPECT_TRUE(comes_to(before + 3));
  const auto seen = visits();
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()))
      << "an older fence after a newer one, seed " << seed << ":\n"
      << text("visits");
  EXPECT_TRUE(eventually([&] { return use_of("r") == "0+0"; }));
}

}  // namespace
}  // namespace baton::test
