// Members that are killed, paused and cut off as a seed has it, never more than a minority at a
// time, with clients at all of them. With other seeds and more of them: BATON_FIRST_SEED,
// BATON_SEEDS.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stop_token>
#include <thread>

#include "baton/fence.h"
#include "peers/member/algorithms.h"
#include "peers/member/band.h"
#include "service/failover/history.h"
#include "support/seeds.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

constexpr std::array names{"till", "safe"};

// Clients that take locks, and show their fences to a resource while they believe to be alone.
class Clients {
 public:
  Clients(Band& band, std::uint64_t seed) : band_(band) {
    for (const char* name : names) {
      fences_.push_back(Fence::in_file(band.file(std::string(name) + ".fence").string()).value());
      newest_.push_back(0);
    }
    for (std::size_t i = 0; i < 2 * band.size(); ++i) {
      done_.push_back(std::make_unique<std::atomic<std::uint64_t>>(0));
      threads_.emplace_back([this, i, seed] { work(i, seed * 100 + i); });
    }
  }
  ~Clients() { end(); }

  // Waits until each has got something that it asked for after now.
  bool go_on() const {
    std::vector<std::uint64_t> before;
    for (const auto& one : done_) before.push_back(*one);
    return eventually([&] {
      for (std::size_t i = 0; i < done_.size(); ++i) {
        if (*done_[i] < before[i] + 2) return false;
      }
      return true;
    });
  }
  std::uint64_t done() const {
    std::uint64_t all = 0;
    for (const auto& one : done_) all += *one;
    return all;
  }
  std::string verdict() {
    end();
    std::vector<std::string> all = judge(beliefs_);
    all.insert(all.end(), wrong_.begin(), wrong_.end());
    std::string text;
    for (std::size_t i = 0; i < all.size() && i < 20; ++i) text += all[i] + "\n";
    return text;
  }

 private:
  void work(std::size_t number, std::uint64_t seed) {
    std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed + 1));
    const std::size_t member = number % band_.size();
    while (!is_over_) {
      ClientOptions options;
      options.url = band_.url(member);
      options.ttl = 1s;  // soon back after its member was killed
      options.patience = 500ms;
      auto client = Client::connect(options);
      while (client && client->is_alive() && !is_over_) {
        if (!work_once(*client, number, random)) break;
      }
    }
  }

  bool work_once(Client& client, std::size_t number, std::minstd_rand& random) {
    const std::size_t which = random() % names.size();
    LockOptions options;
    options.wait = 5s;
    options.give_up = give_up_.get_token();
    auto lock = client.lock(names[which], options);
    if (!lock) return lock.error() == Error::timed_out;
    Belief belief{names[which], number, lock->fence(), io::boottime_us(), 0};
    if (!lock->is_held()) return true;
    belief.until_us = belief.from_us;
    for (std::uint32_t i = random() % 4; i < 5; ++i) {
      write(which, lock->fence());
      const std::int64_t at_us = io::boottime_us();
      if (!lock->is_held()) break;
      belief.until_us = at_us;
      std::this_thread::sleep_for(1ms);
    }
    {
      const std::lock_guard guard(mutex_);
      beliefs_.push_back(belief);
    }
    ++*done_[number];
    return !client.is_alive() || lock->release().ok();
  }

  // Of what it lets in, no fence is smaller than one before.
  void write(std::size_t which, std::uint64_t fence) {
    const std::lock_guard guard(mutex_);
    const auto pass = fences_[which].enter(fence);
    const bool is_newest = fence >= newest_[which];
    if (pass.ok() != is_newest) {
      wrong_.push_back(std::string(names[which]) + ": the resource judges " +
                       std::to_string(fence) + " after " + std::to_string(newest_[which]) +
                       " wrongly");
    }
    if (pass) newest_[which] = std::max(newest_[which], fence);
  }

  void end() {
    is_over_ = true;
    give_up_.request_stop();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  Band& band_;
  std::vector<Fence> fences_;
  std::vector<std::unique_ptr<std::atomic<std::uint64_t>>> done_;
  std::vector<std::thread> threads_;
  std::atomic<bool> is_over_{false};
  std::stop_source give_up_;
  std::mutex mutex_;
  std::vector<std::uint64_t> newest_;
  std::vector<Belief> beliefs_;
  std::vector<std::string> wrong_;
};

class Nemesis {
 public:
  Nemesis(Band& band, std::uint64_t seed)
      : band_(band), random_(static_cast<std::uint32_t>(seed + 1)) {}

  void step() {
    const std::size_t most = (band_.size() - 1) / 2;
    if (troubled_.size() == most || (!troubled_.empty() && pick(3) == 0)) mend(*troubled_.begin());
    trouble(pick(band_.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(pick(1200)));
  }
  void mend_all() {
    while (!troubled_.empty()) mend(*troubled_.begin());
  }
  const std::string& story() const { return story_; }

 private:
  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  void tell(const std::string& what, std::size_t whom) {
    story_ += std::to_string(io::boottime_us() / 1000) + " ms: " + what + " " +
              std::to_string(whom + 1) + "\n";
  }

  void trouble(std::size_t member) {
    if (!troubled_.insert(member).second) return;
    switch (pick(4)) {
      case 0:
        tell("pause", member);
        return band_.pause(member);
      case 1:
        tell("cut off", member);
        return band_.cut_off(member);
      case 2:
        tell("cut one way from", member);
        return cut_one_way(member);
      default:
        tell("kill", member);
        return band_.kill(member);
    }
  }
  void cut_one_way(std::size_t member) {
    for (std::size_t i = 0; i < band_.size(); ++i) {
      if (i != member) band_.between(i, member).cut(pick(2) == 0 ? Way::up : Way::down);
    }
  }
  void mend(std::size_t member) {
    tell("mend", member);
    troubled_.erase(member);
    if (band_.is_paused(member)) band_.resume(member);
    if (!band_.is_running(member)) band_.start(member);
    for (std::size_t i = 0; i < band_.size(); ++i) {
      if (i != member && !troubled_.contains(i)) band_.between(i, member).heal();
    }
  }

  Band& band_;
  std::minstd_rand random_;
  std::set<std::size_t> troubled_;
  std::string story_;
};

TEST(RandomFaults, KeepAllPromises) {
  constexpr int steps = 10;
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", 2);
  const std::vector<std::string> algorithms = all_locks();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string algorithm = algorithms[seed % algorithms.size()];
    Band band({.size = 3 + seed % 3, .algorithm = algorithm, .is_hasty = true, .seed = seed + 1});
    Clients clients(band, seed);
    Nemesis nemesis(band, seed);
    for (int i = 0; i < steps; ++i) nemesis.step();
    nemesis.mend_all();
    const bool goes_on = clients.go_on();
    const std::uint64_t done = clients.done();
    const std::string verdict = clients.verdict();
    EXPECT_GE(band.verdict().entries, done) << "the members have told of everything";
    ASSERT_TRUE(goes_on && verdict.empty())
        << "seed " << seed << ", " << algorithm << ", " << done << " locks had\n"
        << verdict << "\n"
        << nemesis.story() << "\n"
        << band.logs();
  }
}

}  // namespace
}  // namespace baton::test
