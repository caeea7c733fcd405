// Where the tests of etcd take place: the model in virtual time, or a real etcd in real time. Both
// run callbacks only while a test waits.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/etcd/etcd.h"
#include "service/etcd/grpc_etcd.h"
#include "support/etcd_process.h"
#include "support/model_etcd.h"

namespace baton::etcd {

// Callbacks wait here until the test runs them.
class Mailbox {
 public:
  std::function<void(std::function<void()>)> post() {
    return [this](std::function<void()> callback) {
      const std::lock_guard lock(mutex_);
      callbacks_.push_back(std::move(callback));
      changed_.notify_all();
    };
  }

  // Waits until something has come, and does not run it.
  bool fill() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120), [&] { return !callbacks_.empty(); });
  }
  bool is_empty() {
    const std::lock_guard lock(mutex_);
    return callbacks_.empty();
  }

  // Runs what comes until `condition` holds; false if it does not within `limit`.
  bool run_until(const std::function<bool()>& condition,
                 std::chrono::milliseconds limit = std::chrono::seconds(120)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      std::unique_lock lock(mutex_);
      // Conditions may also be about the world outside: look now and then.
      const auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
      changed_.wait_until(lock, std::min(end, next), [&] { return !callbacks_.empty(); });
      if (callbacks_.empty()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        continue;
      }
      const std::function<void()> callback = std::move(callbacks_.front());
      callbacks_.pop_front();
      lock.unlock();
      callback();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> callbacks_;
};

class World {
 public:
  virtual ~World() = default;
  virtual std::unique_ptr<Etcd> connect() = 0;
  // False if the condition does not come to hold for a very long time.
  virtual bool until(const std::function<bool()>& condition) = 0;
  virtual std::int64_t now_us() const = 0;
  void pass(std::int64_t us) {
    const std::int64_t end_us = now_us() + us;
    until([&] { return now_us() >= end_us; });
  }
};

class ModelWorld : public World {
 public:
  explicit ModelWorld(std::uint64_t seed) : etcd(seed) {}

  std::unique_ptr<Etcd> connect() override { return etcd.connect(); }
  bool until(const std::function<bool()>& condition) override {
    constexpr std::int64_t hour_us = 3'600'000'000;
    const std::int64_t end_us = now_us() + hour_us;
    while (!condition()) {
      if (now_us() >= end_us) return false;
      etcd.advance(100);
    }
    return true;
  }
  std::int64_t now_us() const override { return etcd.now_us(); }

  ModelEtcd etcd;
};

class RealWorld : public World {
 public:
  explicit RealWorld(support::EtcdClusterOptions options = {}) : cluster(std::move(options)) {}

  EtcdOptions options() {
    EtcdOptions result;
    result.endpoints = cluster.endpoints();
    result.post = mailbox.post();
    result.timeout_ms = 60'000;  // machines that run tests may be slow
    return result;
  }
  std::unique_ptr<Etcd> connect() override { return etcd::connect(options()); }
  bool until(const std::function<bool()>& condition) override {
    return mailbox.run_until(condition);
  }
  std::int64_t now_us() const override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }

  support::EtcdCluster cluster;
  Mailbox mailbox;
};

// Etcd with answers that are waited for.
class Waiting {
 public:
  Waiting(World& world, Etcd& etcd) : world_(world), etcd_(etcd) {}

  struct Transacted {
    Outcome outcome;
    TransactionResult result;
  };
  Transacted transact(Transaction transaction) {
    std::optional<Transacted> got;
    etcd_.transact(std::move(transaction), [&](const Outcome& outcome, TransactionResult result) {
      got = {outcome, std::move(result)};
    });
    wait(got);
    return *got;
  }
  Transacted put(const std::string& key, const std::string& value, LeaseId lease = 0) {
    return transact({{}, {Operation::put(key, value, lease)}, {}});
  }
  Transacted remove(const KeyRange& keys) { return transact({{}, {Operation::remove(keys)}, {}}); }

  struct Ranged {
    Outcome outcome;
    RangeResult result;
  };
  Ranged range(Range range) {
    std::optional<Ranged> got;
    etcd_.range(std::move(range), [&](const Outcome& outcome, RangeResult result) {
      got = {outcome, std::move(result)};
    });
    wait(got);
    return *got;
  }
  std::optional<KeyValue> get(const std::string& key) {
    const Ranged ranged = range({KeyRange::one(key)});
    EXPECT_TRUE(ranged.outcome.ok()) << ranged.outcome.message;
    if (ranged.result.items.empty()) return {};
    return ranged.result.items.front();
  }

  struct Granted {
    Outcome outcome;
    LeaseId lease = 0;
    std::int64_t ttl_s = 0;
  };
  Granted grant(std::int64_t ttl_s) {
    std::optional<Granted> got;
    etcd_.grant_lease(ttl_s, [&](const Outcome& outcome, LeaseId lease, std::int64_t ttl) {
      got = {outcome, lease, ttl};
    });
    wait(got);
    return *got;
  }
  struct Renewed {
    Outcome outcome;
    std::int64_t ttl_s = 0;
  };
  Renewed renew(LeaseId lease) {
    std::optional<Renewed> got;
    etcd_.renew_lease(lease, [&](const Outcome& outcome, std::int64_t ttl) {
      got = {outcome, ttl};
    });
    wait(got);
    return *got;
  }
  Outcome revoke(LeaseId lease) {
    std::optional<Outcome> got;
    etcd_.revoke_lease(lease, [&](const Outcome& outcome) { got = outcome; });
    wait(got);
    return *got;
  }
  Outcome compact(Revision revision) {
    std::optional<Outcome> got;
    etcd_.compact(revision, [&](const Outcome& outcome) { got = outcome; });
    wait(got);
    return *got;
  }
  std::vector<MemberStatus> members() {
    std::optional<std::vector<MemberStatus>> got;
    etcd_.members([&](std::vector<MemberStatus> members) { got = std::move(members); });
    wait(got);
    return *got;
  }

 private:
  template <class Answer>
  void wait(const std::optional<Answer>& got) {
    if (!world_.until([&] { return got.has_value(); })) throw std::runtime_error("no answer");
  }

  World& world_;
  Etcd& etcd_;
};

// What a watch has told, put together.
struct Told {
  std::vector<Event> events;
  std::vector<std::size_t> sizes;  // of each piece of news
  Revision revision = 0;
  std::optional<Outcome> end;

  std::function<void(Changes)> hear() {
    return [this](Changes changes) {
      EXPECT_FALSE(end) << "told after the end";
      if (!changes.outcome.ok()) {
        end = changes.outcome;
        return;
      }
      EXPECT_GE(changes.revision, revision);
      for (const Event& event : changes.events) {
        EXPECT_GT(event.item.mod_revision, revision) << "one revision in two pieces";
        EXPECT_LE(event.item.mod_revision, changes.revision);
      }
      revision = changes.revision;
      sizes.push_back(changes.events.size());
      events.insert(events.end(), changes.events.begin(), changes.events.end());
    };
  }

  // "+a=1@5 -a@6": puts and removals, with their revisions counted from `base`.
  std::string text(Revision base) const {
    std::string result;
    for (const Event& event : events) {
      if (!result.empty()) result += ' ';
      result += (event.is_removal ? "-" : "+") + event.item.key;
      if (!event.is_removal) result += "=" + event.item.value;
      result += "@" + std::to_string(event.item.mod_revision - base);
    }
    return result;
  }
};

}  // namespace baton::etcd
