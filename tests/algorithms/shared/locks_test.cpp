#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "algorithms/shared/bakery_lock.h"
#include "algorithms/shared/dijkstra_lock.h"

namespace baton::test {
namespace {

template <class Lock>
class ThreadLock : public testing::Test {};
using Locks = testing::Types<BakeryLock, DijkstraLock>;
TYPED_TEST_SUITE(ThreadLock, Locks);

// The Notes: ten processes add 1 to a shared counter, which is a load, an addition and a store.
// Now and then a thread lets others run in between, so that even a single core sees them collide.
TYPED_TEST(ThreadLock, TenThreadsCountTogetherAndMissNothing) {
  constexpr int threads = 10;
  constexpr std::int64_t additions = 5'000;
  TypeParam lock(threads);
  std::int64_t counter = 0;
  std::barrier start(threads);
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      typename TypeParam::Participant mine(lock);
      start.arrive_and_wait();
      for (std::int64_t n = 0; n < additions; ++n) {
        const std::scoped_lock guard(mine);
        const std::int64_t seen = counter;
        if (n % 50 == 0) std::this_thread::yield();
        counter = seen + 1;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(counter, threads * additions);
}

TYPED_TEST(ThreadLock, WhoTriesWhileAnotherIsInsideIsRefusedAtOnce) {
  TypeParam lock(3);
  typename TypeParam::Participant first(lock);
  typename TypeParam::Participant second(lock);
  std::unique_lock holder(first);
  std::unique_lock other(second, std::try_to_lock);
  EXPECT_FALSE(other.owns_lock());
  holder.unlock();
  EXPECT_TRUE(other.try_lock());
  EXPECT_FALSE(holder.try_lock());
}

// The narrow moments are those in which nobody has anything yet and two come at once.
TYPED_TEST(ThreadLock, TwoThatComeTogetherAgainAndAgainNeverMeetInside) {
  constexpr int rounds = 20'000;
  TypeParam lock(2);
  std::array<std::atomic<int>, 2> round{};
  std::atomic<int> inside = 0;
  std::atomic<int> meetings = 0;
  const auto work = [&](std::size_t self) {
    typename TypeParam::Participant mine(lock);
    for (int n = 1; n <= rounds; ++n) {
      round[self] = n;
      for (int spins = 0; round[1 - self] < n; ++spins) {
        if (spins > 1'000) std::this_thread::yield();
      }
      mine.lock();
      if (inside.fetch_add(1, std::memory_order_relaxed) != 0) ++meetings;
      if (n % 10 == 0) std::this_thread::yield();
      inside.fetch_sub(1, std::memory_order_relaxed);
      mine.unlock();
    }
  };
  std::thread one(work, 0);
  std::thread two(work, 1);
  one.join();
  two.join();
  EXPECT_EQ(meetings, 0);
}

TYPED_TEST(ThreadLock, TriesThatFailAndThreadsThatWaitStillExcludeEachOther) {
  constexpr int threads = 4;
  constexpr int entries = 2'000;
  TypeParam lock(threads);
  int counter = 0;
  std::barrier start(threads);
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&, tries = i % 2 == 0] {
      typename TypeParam::Participant mine(lock);
      start.arrive_and_wait();
      for (int n = 0; n < entries; ++n) {
        if (tries) {
          while (!mine.try_lock()) std::this_thread::yield();
        } else {
          mine.lock();
        }
        const int seen = counter;
        if (n % 50 == 0) std::this_thread::yield();
        counter = seen + 1;
        mine.unlock();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(counter, threads * entries);
}

// std::lock takes several locks in any order without deadlock, by trying.
TYPED_TEST(ThreadLock, SeveralAreTakenTogetherInAnyOrder) {
  constexpr int entries = 2'000;
  TypeParam left(2);
  TypeParam right(2);
  int counter = 0;
  std::barrier start(2);
  const auto work = [&](bool left_first) {
    typename TypeParam::Participant my_left(left);
    typename TypeParam::Participant my_right(right);
    start.arrive_and_wait();
    for (int n = 0; n < entries; ++n) {
      const std::scoped_lock guard(left_first ? my_left : my_right,
                                   left_first ? my_right : my_left);
      ++counter;
    }
  };
  std::thread one(work, true);
  std::thread two(work, false);
  one.join();
  two.join();
  EXPECT_EQ(counter, 2 * entries);
}

TYPED_TEST(ThreadLock, HasAsManyPlacesAsItWasMadeFor) {
  TypeParam lock(2);
  typename TypeParam::Participant first(lock);
  {
    typename TypeParam::Participant second(lock);
    EXPECT_THROW(typename TypeParam::Participant third(lock), std::length_error);
  }
  EXPECT_NO_THROW(typename TypeParam::Participant third(lock));
}

// The bank of the Chubby Slides: $1000 in the account, and two ATMs that deposit $10,000 each.
struct Account {
  int amount = 1'000;
};

// An ATM whose every step is taken when the test says so. With a lock it enters first and stays
// where it is as long as it cannot.
template <class Participant>
class Atm {
 public:
  Atm(Account& account, Participant* lock) : account_(account), lock_(lock) {}

  bool is_done() const { return next_ == 3; }
  void step() {
    switch (next_) {
      case 0:
        if (lock_ != nullptr && !lock_->try_lock()) return;
        local_ = account_.amount;
        break;
      case 1:
        local_ += 10'000;
        break;
      case 2:
        account_.amount = local_;
        if (lock_ != nullptr) lock_->unlock();
        break;
      default:
        return;
    }
    ++next_;
  }

 private:
  Account& account_;
  Participant* lock_;
  int local_ = 0;
  int next_ = 0;
};

// Bit n of the script says whose step is the n-th; whatever is left is done afterwards in order.
template <class Lock>
int balance_after(unsigned script, bool locked) {
  Lock lock(2);
  typename Lock::Participant first(lock);
  typename Lock::Participant second(lock);
  Account account;
  using Machine = Atm<typename Lock::Participant>;
  std::array<Machine, 2> atms{Machine(account, locked ? &first : nullptr),
                              Machine(account, locked ? &second : nullptr)};
  for (int n = 0; n < 8; ++n) atms[(script >> n) & 1].step();
  // Of two unfinished ones only the one that is inside gets ahead.
  while (!atms[0].is_done() || !atms[1].is_done()) {
    for (Machine& atm : atms) atm.step();
  }
  return account.amount;
}

TYPED_TEST(ThreadLock, WithoutItADepositIsLost) {
  // Both read before either writes: 0 reads, 1 reads, 0 adds, 1 adds, 0 writes, 1 writes.
  EXPECT_EQ(balance_after<TypeParam>(0b101010, false), 11'000);
  // One after the other.
  EXPECT_EQ(balance_after<TypeParam>(0b111000, false), 21'000);
  std::set<int> outcomes;
  for (unsigned script = 0; script < 256; ++script) {
    outcomes.insert(balance_after<TypeParam>(script, false));
  }
  EXPECT_EQ(outcomes, (std::set<int>{11'000, 21'000}));
}

TYPED_TEST(ThreadLock, WithItBothDepositsArriveInEveryInterleaving) {
  for (unsigned script = 0; script < 256; ++script) {
    ASSERT_EQ(balance_after<TypeParam>(script, true), 21'000) << "script " << script;
  }
}

}  // namespace
}  // namespace baton::test
