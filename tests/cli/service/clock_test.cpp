// The date jumps by years, for the server or for a client, while a lock is held and renewed: no
// lease takes notice, and no fence goes back.
#include <array>

#include "cli/service/served.h"

namespace baton::test {
namespace {

constexpr std::array libraries{"/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
                               "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
                               "/usr/lib/faketime/libfaketimeMT.so.1"};

class Clock : public Served {
 protected:
  void SetUp() override {
    for (const char* library : libraries) {
      if (access(library, R_OK) == 0) library_ = library;
    }
    if (library_.empty()) GTEST_SKIP() << "there is no libfaketime: apt-get install faketime";
    jump("+0");
  }

  // From now on, for everything that runs under it.
  void jump(const std::string& by) const {
    std::ofstream(file("date.new")) << by << "\n";
    std::filesystem::rename(file("date.new"), file("date"));
  }
  // Before a command in the shell's line. Only the date is faked: clocks that count how long
  // something takes do not jump on a real machine either.
  std::string under_it() const {
    return "env LD_PRELOAD=" + library_ + " FAKETIME_TIMESTAMP_FILE=" + file("date").string() +
           " FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1";
  }
  // Longer than the lease that the tests use.
  static void let_a_lease_pass() { std::this_thread::sleep_for(std::chrono::seconds(4)); }

 private:
  std::string library_;
};

constexpr auto lease = "a --ttl 3s --kill-after 500ms";

TEST_F(Clock, OfTheServerJumpsWhileALockIsHeld) {
  start(under_it());
  const auto holder = hold(lease);
  std::uint64_t fence = next_fence();
  for (const char* by : {"+3650d", "-3650d"}) {
    ASSERT_EQ(baton("acquire b --ttl 2s").code, 0);
    jump(by);
    EXPECT_EQ(baton("lock b --wait 1m -- true").code, 0) << "a lease that is over, " << by;
    let_a_lease_pass();
    EXPECT_TRUE(is_alive(last_command())) << by;
    EXPECT_EQ(use_of("a"), "1+0") << by;
    const std::uint64_t next = next_fence();
    EXPECT_GT(next, fence) << by;
    fence = next;
  }
  touch("end");
  EXPECT_EQ(holder->wait(), 0) << holder->err();
}

TEST_F(Clock, OfAClientJumpsWhileItHoldsALock) {
  start();
  Running holder(under_it() + " $BATON lock " + lease +
                 " -- sh -c 'touch $F/held; while [ ! -e $F/end ]; do sleep 0.05; done'");
  ASSERT_TRUE(eventually([&] { return has_file("held"); })) << holder.err();
  for (const char* by : {"+3650d", "-3650d"}) {
    jump(by);
    let_a_lease_pass();
    EXPECT_EQ(use_of("a"), "1+0") << by;
    EXPECT_EQ(baton("lock a --try -- true").code, 75) << by;
  }
  touch("end");
  EXPECT_EQ(holder.wait(), 0) << holder.err();
}

TEST_F(Clock, IsYearsBackAfterARestart) {
  start(under_it());
  jump("+3650d");
  kill_server();
  start(under_it());
  const auto holder = hold("a --ttl 1m");
  std::uint64_t fence = next_fence();
  for (const char* by : {"+0", "-3650d", "+0"}) {
    jump(by);
    kill_server();
    start(under_it());
    EXPECT_EQ(use_of("a"), "1+0") << by;
    const std::uint64_t next = next_fence();
    EXPECT_GT(next, fence) << by;
    fence = next;
  }
  touch("end");
  EXPECT_EQ(holder->wait(), 0) << holder->err();
}

}  // namespace
}  // namespace baton::test
