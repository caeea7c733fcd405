#include "algorithms/shared/semaphore.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace baton::test {
namespace {

TEST(CountingSemaphore, LetsInAsManyAsItHasSlots) {
  CountingSemaphore slots(2);
  EXPECT_TRUE(slots.try_wait());
  EXPECT_TRUE(slots.try_wait());
  EXPECT_FALSE(slots.try_wait());
  slots.signal();
  EXPECT_EQ(slots.value(), 1U);
  slots.wait();
  EXPECT_FALSE(slots.try_wait());
}

TEST(CountingSemaphore, ASignalThatComesFirstIsNotLost) {
  CountingSemaphore semaphore(0);
  semaphore.signal();
  semaphore.wait();
  EXPECT_EQ(semaphore.value(), 0U);
}

TEST(CountingSemaphore, AThreadWaitsUntilAnotherSignals) {
  CountingSemaphore ready(0);
  int message = 0;
  std::thread reader([&] {
    ready.wait();
    EXPECT_EQ(message, 42);
  });
  message = 42;
  ready.signal();
  reader.join();
}

TEST(CountingSemaphore, NeverMoreThanItsSlotsAreInside) {
  for (const std::uint32_t slots : {1U, 3U}) {
    CountingSemaphore semaphore(slots);
    std::atomic<std::uint32_t> inside = 0;
    std::atomic<std::uint32_t> most = 0;
    std::vector<std::thread> workers;
    for (int i = 0; i < 8; ++i) {
      workers.emplace_back([&] {
        for (int n = 0; n < 1'000; ++n) {
          semaphore.wait();
          const std::uint32_t now = ++inside;
          for (std::uint32_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          if (n % 16 == 0) std::this_thread::yield();
          --inside;
          semaphore.signal();
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    EXPECT_LE(most, slots);
    EXPECT_EQ(semaphore.value(), slots);
  }
}

// The bank of the Chubby Slides: wait(S), obtain the amount, add the deposit, update it, signal(S).
TEST(CountingSemaphore, TwoAtmsLoseNoDeposit) {
  CountingSemaphore semaphore(1);
  int amount = 1'000;
  const auto atm = [&] {
    for (int deposit = 0; deposit < 1'000; ++deposit) {
      semaphore.wait();
      const int obtained = amount;
      std::this_thread::yield();
      amount = obtained + 10;
      semaphore.signal();
    }
  };
  std::thread first(atm);
  std::thread second(atm);
  first.join();
  second.join();
  EXPECT_EQ(amount, 21'000);
}

}  // namespace
}  // namespace baton::test
