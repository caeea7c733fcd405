#include "algorithms/shared/monitor.h"

#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <thread>

namespace baton::test {
namespace {

// The textbook's example of a monitor: producers wait while it is full, consumers while it is
// empty.
class BoundedBuffer {
 public:
  explicit BoundedBuffer(std::size_t capacity) : capacity_(capacity) {}

  void put(int item) {
    items_.wait_until([this](const Items& items) { return items.size() < capacity_; },
                      [&](Items& items) { items.push_back(item); });
  }
  int take() {
    return items_.wait_until([](const Items& items) { return !items.empty(); },
                             [](Items& items) {
                               const int item = items.front();
                               items.pop_front();
                               return item;
                             });
  }
  std::size_t size() {
    return items_.with([](Items& items) { return items.size(); });
  }

 private:
  using Items = std::deque<int>;
  std::size_t capacity_;
  Monitor<Items> items_;
};

TEST(Monitor, ABoundedBufferKeepsTheOrderOfOneProducer) {
  BoundedBuffer buffer(2);
  std::thread producer([&] {
    for (int i = 0; i < 2'000; ++i) buffer.put(i);
  });
  for (int i = 0; i < 2'000; ++i) {
    ASSERT_LE(buffer.size(), 2U);
    ASSERT_EQ(buffer.take(), i);
  }
  producer.join();
}

TEST(Monitor, SeveralProducersAndConsumersLoseNothing) {
  constexpr int threads = 3;
  constexpr int items = 1'000;
  BoundedBuffer buffer(4);
  Monitor<long> sum(0);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (int i = 1; i <= items; ++i) buffer.put(i);
    });
    workers.emplace_back([&] {
      for (int i = 0; i < items; ++i) {
        const int item = buffer.take();
        sum.with([&](long& total) { total += item; });
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_EQ(sum.with([](long& total) { return total; }), threads * items * (items + 1) / 2);
}

TEST(Monitor, WaitsForTheConditionAndSeesItHold) {
  Monitor<int> level(0);
  std::thread climber([&] {
    for (int i = 0; i < 5; ++i) level.with([](int& now) { ++now; });
  });
  const int seen =
      level.wait_until([](const int& now) { return now >= 5; }, [](int& now) { return now; });
  climber.join();
  EXPECT_EQ(seen, 5);
}

TEST(Monitor, IsFreeAndAnnouncedAfterAnException) {
  Monitor<int> level(0);
  std::thread waiter(
      [&] { level.wait_until([](const int& now) { return now == 1; }, [](int&) {}); });
  const auto change_and_fail = [](int& now) {
    now = 1;
    throw std::runtime_error("failed halfway");
  };
  EXPECT_THROW(level.with(change_and_fail), std::runtime_error);
  waiter.join();
  EXPECT_EQ(level.with([](int& now) { return now; }), 1);
}

}  // namespace
}  // namespace baton::test
