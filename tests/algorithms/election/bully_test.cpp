#include "algorithms/election/bully.h"

#include <gtest/gtest.h>

#include "algorithms/election/bully_repeating.h"
#include "algorithms/election/bully_wrong.h"
#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"
#include "support/election_conversation.h"

namespace baton::test {
namespace {

// Canonical Problems: of processes 0 to 7 the leader 7 has crashed, and 4 notices.
TEST(Bully, TheExampleOfCanonicalProblems) {
  ElectionConversation<Bully> talk({.size = 8});
  talk.crash(7);
  talk.elect(4);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "7 crashes\n"
            "4 holds an election\n"
            "4 -> 5 Election()\n"
            "4 -> 6 Election()\n"
            "4 -> 7 Election()\n"
            // 5 and 6 respond, telling 4 to stop, and each holds an election.
            "5 -> 4 Ok()\n"
            "5 -> 6 Election()\n"
            "5 -> 7 Election()\n"
            "6 -> 4 Ok()\n"
            "6 -> 7 Election()\n"
            // 6 tells 5 to stop.
            "6 -> 5 Ok()\n");
  EXPECT_EQ(talk.node(4).state().phase, Bully::Phase::waiting);
  EXPECT_EQ(talk.node(5).state().phase, Bully::Phase::waiting);
  // 6 wins and tells everyone.
  ASSERT_TRUE(talk.fire_timer(6));
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "6 has waited long enough\n"
            "6 -> 0 Coordinator()\n"
            "6 -> 1 Coordinator()\n"
            "6 -> 2 Coordinator()\n"
            "6 -> 3 Coordinator()\n"
            "6 -> 4 Coordinator()\n"
            "6 -> 5 Coordinator()\n"
            "6 takes 6 for the leader\n"
            "0 takes 6 for the leader\n"
            "1 takes 6 for the leader\n"
            "2 takes 6 for the leader\n"
            "3 takes 6 for the leader\n"
            "4 takes 6 for the leader\n"
            "5 takes 6 for the leader\n");
  for (std::uint32_t node = 0; node < 7; ++node) {
    EXPECT_FALSE(talk.fire_timer(node)) << "process " << node << " still waits";
  }
}

TEST(Bully, WhoAnsweredAndCrashedIsNotWaitedForInVain) {
  ElectionConversation<Bully> talk({.size = 3});
  talk.elect(0);
  talk.crash(2);
  talk.deliver_next();  // to 1, which answers and asks 2
  talk.deliver_all();
  talk.crash(1);
  ASSERT_EQ(talk.node(0).state().phase, Bully::Phase::waiting);
  talk.fire_timer(0);
  talk.deliver_all();
  talk.fire_timer(0);
  EXPECT_EQ(talk.leaders()[0], NodeId{0});
}

// Process 1 asked 2 while that was down and will announce itself. If 2 announced itself the moment
// it is back, 0 might hear of 1 after it heard of 2, and stay with it.
TEST(Bully, WhoComesBackLetsElectionsThatMissedItComeToAnEnd) {
  const baton::Setup setup{.size = 3};
  ElectionConversation<Bully> talk(setup);
  talk.crash(2);
  talk.elect(1);
  talk.deliver_all();
  talk.take_log();
  talk.recover(2);
  EXPECT_EQ(talk.take_log(), "2 recovers\n");
  EXPECT_GT(talk.armed_for(2, TimerId{0}), 3 * setup.delay_bound);
  talk.fire_timer(1);
  talk.deliver_all();
  talk.fire_timer(2);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), (std::vector<NodeId>{{2}, {2}, {2}}));
}

// The only one that held an election is gone with it.
TEST(Bully, WhoKnowsOfNoLeaderHoldsAnElectionWhenAnyoneCrashes) {
  ElectionConversation<Bully> talk({.size = 3});
  talk.crash(2);
  talk.elect(1);
  talk.crash(1);
  talk.deliver_all();
  talk.suspect(1);
  talk.fire_timer(0);
  EXPECT_EQ(talk.leaders()[0], NodeId{0});
}

TEST(Bully, HeedsIdentitiesAndNotNumbers) {
  ElectionConversation<Bully> talk({.size = 3, .identities = {30, 10, 20}});
  talk.elect(1);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), (std::vector<NodeId>{{0}, {0}, {0}}));
}

TEST(BullyRepeating, TheLeaderRepeatsTheResultAndItsSilenceCallsForAnElection) {
  const baton::Setup setup{.size = 3};
  ElectionConversation<BullyRepeating> talk(setup);
  talk.elect(2);
  talk.deliver_all();
  talk.take_log();
  ASSERT_TRUE(talk.fire_timer(2));
  talk.deliver_all();
  // What is known already is not told to the application again.
  EXPECT_EQ(talk.take_log(),
            "2 has waited long enough\n"
            "2 -> 0 Coordinator()\n"
            "2 -> 1 Coordinator()\n");
  talk.crash(2);
  ASSERT_TRUE(talk.fire_timer(1));
  EXPECT_EQ(talk.take_log(),
            "2 crashes\n"
            "1 has waited long enough\n"
            "1 -> 2 Election()\n");
}

// No failure detector tells anyone anything.
TEST(BullyRepeating, NoticesACrashByItself) {
  sim::Plan plan;
  plan.setup = default_setup(4);
  plan.workload.kind = sim::Workload::Kind::one;
  plan.workload.first = {0};
  plan.faults.schedule.push_back(
      {.at = 50 * message_time, .kind = sim::Fault::Kind::crash, .node = {3}});
  const sim::Report report = sim::find("bully-repeating")->run(plan, nullptr);
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.leaders, (std::vector<NodeId>{{2}, {2}, {2}, nobody}));
  // Plain bully has to be told.
  EXPECT_EQ(sim::find("bully")->run(plan, nullptr).leaders,
            (std::vector<NodeId>{{3}, {3}, {3}, nobody}));
}

// There and back takes two messages. Process 1 waits for one, and leads; then 2 leads as well.
TEST(WrongBullyImpatient, TwoLeadAtOnce) {
  const baton::Setup setup{.size = 3};
  ElectionConversation<WrongBullyImpatient> talk(setup);
  talk.elect(1);
  EXPECT_LT(talk.armed_for(1, TimerId{0}), 2 * setup.delay_bound);
  talk.fire_timer(1);
  talk.deliver_next();  // the question reaches 2, which answers and, being the highest, leads
  EXPECT_EQ(talk.leaders()[1], NodeId{1});
  EXPECT_EQ(talk.leaders()[2], NodeId{2});

  ElectionConversation<Bully> patient(setup);
  patient.elect(1);
  EXPECT_GT(patient.armed_for(1, TimerId{0}), 2 * setup.delay_bound);
}

}  // namespace
}  // namespace baton::test
