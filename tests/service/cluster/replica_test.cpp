// Servers that come and go, against the model of etcd.
#include "service/cluster/replica.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include "support/model_etcd.h"
#include "support/test_name.h"

namespace baton::cluster {
namespace {

constexpr std::int64_t second_us = 1'000'000;

// A server as far as etcd sees it. It dies without a word.
class Server final : private ReplicaHost {
 public:
  Server(etcd::ModelEtcd& etcd, const std::string& nonce, std::int64_t lease_s = 2)
      : model_(etcd), client_(etcd.connect()) {
    ReplicaOptions options;
    options.name = "name";
    options.url = "baton://" + nonce;
    options.nonce = nonce;
    options.lease_s = lease_s;
    member_.emplace(*client_, static_cast<ReplicaHost&>(*this), options);
    member_->start();
  }

  void turn() {
    while (!timers_.empty() && timers_.begin()->first <= model_.now_us()) {
      const auto what = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      what();
    }
  }
  bool is_leading() const { return member_->is_leading(); }

  std::string why_gone;  // empty: it is there
  std::vector<std::string> warnings;

 private:
  std::int64_t clock_us() override { return model_.now_us(); }
  void after(std::int64_t us, std::function<void()> what) override {
    timers_.emplace(model_.now_us() + us, std::move(what));
  }
  void forget(const std::string&) override {}
  void read_snapshot(journal::Position, std::string_view) override {}
  void read_record(journal::Position, std::string_view) override {}
  void follow(const LeaderInfo*) override {}
  void lead(std::int64_t) override {}
  void give_up(const std::string& why) override { why_gone = why; }
  void warn(const std::string& what) override { warnings.push_back(what); }

  etcd::ModelEtcd& model_;
  std::unique_ptr<etcd::ModelClient> client_;
  std::multimap<std::int64_t, std::function<void()>> timers_;
  std::optional<Replica> member_;
};

class NameIsTaken : public testing::TestWithParam<std::uint64_t> {
 protected:
  void advance(std::int64_t us) {
    for (const std::int64_t end_us = etcd.now_us() + us; etcd.now_us() < end_us;) {
      etcd.advance(1000);
      for (Server* server : {first.get(), second.get()}) {
        if (server != nullptr) server->turn();
      }
    }
  }
  void start_first(std::int64_t lease_s = 2) {
    first = std::make_unique<Server>(etcd, "first", lease_s);
    advance(5 * second_us);
    ASSERT_TRUE(first->is_leading());
  }

  etcd::ModelEtcd etcd{GetParam()};
  std::unique_ptr<Server> first;
  std::unique_ptr<Server> second;
};
INSTANTIATE_TEST_SUITE_P(Seed, NameIsTaken, testing::Range<std::uint64_t>(1, 6),
                         test::numbered("seed_"));

TEST_P(NameIsTaken, ByAServerThatRuns) {
  start_first();
  second = std::make_unique<Server>(etcd, "second");
  advance(60 * second_us);
  EXPECT_NE(second->why_gone.find("a server named 'name' already runs at baton://first"),
            std::string::npos);
  ASSERT_EQ(second->warnings.size(), 1U);
  EXPECT_NE(second->warnings[0].find("still belongs to a server at baton://first"),
            std::string::npos);
  EXPECT_TRUE(first->is_leading());
}

TEST_P(NameIsTaken, ByOneThatWasKilled) {
  start_first();
  first.reset();
  second = std::make_unique<Server>(etcd, "second");
  advance(10 * second_us);
  EXPECT_EQ(second->why_gone, "");
  EXPECT_TRUE(second->is_leading());
}

// Each new leader of etcd gives the dead server's lease its time anew.
TEST_P(NameIsTaken, ByOneThatWasKilledWhileEtcdChangesItsLeader) {
  start_first();
  first.reset();
  second = std::make_unique<Server>(etcd, "second");
  for (int i = 0; i < 20; ++i) {
    advance(3 * second_us / 2);
    etcd.change_leader();
  }
  EXPECT_EQ(second->why_gone, "");
  EXPECT_FALSE(second->is_leading());
  advance(10 * second_us);
  EXPECT_EQ(second->why_gone, "");
  EXPECT_TRUE(second->is_leading());
}

TEST_P(NameIsTaken, ByOneThatWasKilledAndHadALongerLease) {
  start_first(40);
  first.reset();
  second = std::make_unique<Server>(etcd, "second");
  advance(30 * second_us);
  EXPECT_FALSE(second->is_leading());
  advance(30 * second_us);
  EXPECT_EQ(second->why_gone, "");
  EXPECT_TRUE(second->is_leading());
}

}  // namespace
}  // namespace baton::cluster
