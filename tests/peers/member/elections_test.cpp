// What one sees at one member of what happens at another.
#include <gtest/gtest.h>

#include "peers/member/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

class Elsewhere : public testing::Test {
 protected:
  Elsewhere() { setenv("F", band_.file("").c_str(), 1); }

  // Until the file of that name is there.
  std::string command(const std::string& until) const {
    return " -- sh -c 'while [ ! -e $F/" + until + " ]; do sleep 0.05; done'";
  }
  void touch(const std::string& name) const { std::ofstream(band_.file(name)) << "\n"; }
  std::string leader_at(std::size_t member) const {
    return baton("leader shift --url " + band_.url(member)).out;
  }

  Band band_;
};

TEST_F(Elsewhere, LeadersAreKnownAndWatched) {
  Running watch("$BATON leader --watch shift --url " + band_.url(2));
  Running first("$BATON elect shift --value ann --url " + band_.url(0) + command("end-ann"));
  ASSERT_TRUE(eventually([&] { return leader_at(2) == "ann\n"; })) << band_.logs();
  EXPECT_EQ(leader_at(1), "ann\n");
  Running second("$BATON elect shift --value ben --url " + band_.url(1) + command("end-ben"));
  ASSERT_TRUE(eventually([&] {
    return has(baton("locks --elections --url " + band_.url(2)).out, "waits");
  })) << baton("locks --elections --url " + band_.url(2)).out;
  EXPECT_EQ(leader_at(2), "ann\n");
  touch("end-ann");
  EXPECT_EQ(first.wait(), 0) << first.err();
  ASSERT_TRUE(eventually([&] { return leader_at(2) == "ben\n" && leader_at(0) == "ben\n"; }))
      << band_.logs();
  ASSERT_TRUE(eventually([&] { return has(watch.out(), "ben"); })) << watch.out() << watch.err();
  EXPECT_LT(watch.out().find("ann"), watch.out().find("ben")) << watch.out();
  touch("end-ben");
  EXPECT_EQ(second.wait(), 0) << second.err();
  EXPECT_TRUE(eventually([&] { return leader_at(2).empty(); })) << leader_at(2);
}

TEST_F(Elsewhere, WhoLedAtAMemberThatIsKilledLeadsNoMore) {
  Running first("$BATON elect shift --value ann --url " + band_.url(0) + command("end"));
  ASSERT_TRUE(eventually([&] { return leader_at(2) == "ann\n"; })) << band_.logs();
  band_.kill(0);
  EXPECT_TRUE(eventually([&] { return leader_at(2).empty() && leader_at(1).empty(); }))
      << band_.logs();
  Running second("$BATON elect shift --value ben --url " + band_.url(1) + command("end"));
  EXPECT_TRUE(eventually([&] { return leader_at(2) == "ben\n"; })) << band_.logs();
  // Who comes back is told.
  band_.start(0);
  EXPECT_TRUE(eventually([&] { return leader_at(0) == "ben\n"; })) << band_.logs();
  touch("end");
}

TEST_F(Elsewhere, HoldersAndWaitersAreShown) {
  Client holder = band_.connect(0);
  Client waiter = band_.connect(1);
  const Lock held = holder.lock("till").value();
  auto asked = ask(waiter, "till");
  Outcome seen;
  ASSERT_TRUE(eventually([&] {
    seen = baton("locks --url " + band_.url(2));
    return has(seen.out, "holds") && has(seen.out, "waits");
  })) << seen.out
      << seen.err;
  EXPECT_TRUE(has(seen.out, std::to_string(held.fence()))) << seen.out;
  EXPECT_TRUE(has(seen.out, "till")) << seen.out;
}

// A member that does not answer keeps nobody from the answers of the others.
TEST_F(Elsewhere, AMemberThatIsPausedIsLeftOut) {
  Client holder = band_.connect(0);
  const Lock held = holder.lock("till").value();
  band_.pause(2);
  const Outcome seen = baton("locks --url " + band_.url(1));
  EXPECT_EQ(seen.code, 0) << seen.err;
  EXPECT_TRUE(has(seen.out, "till")) << seen.out;
}

}  // namespace
}  // namespace baton::test
