// Schedules that are written by hand, and followed step by step.
#include "lab/sim/replay.h"

#include <gtest/gtest.h>

#include <sstream>

#include "algorithms/election/bully.h"
#include "algorithms/election/ring_election.h"
#include "algorithms/layer/reliable.h"
#include "algorithms/mutex/ricart_agrawala.h"
#include "algorithms/mutex/ricart_agrawala_wrong.h"
#include "algorithms/mutex/suzuki_kasami_wrong.h"
#include "algorithms/mutex/token_ring.h"
#include "algorithms/mutex/token_ring_bidirectional.h"
#include "algorithms/observe/chandy_lamport.h"
#include "algorithms/observe/dijkstra_scholten.h"
#include "lab/sim/replay_host.h"

namespace baton::test {
namespace {

using sim::Replayed;
using Step = ScheduledStep;
using Steps = std::vector<Step>;
using Do = ScheduledStep::Kind;

Step at(Do kind, std::uint32_t node) { return {.kind = kind, .node = {node}}; }
Step request(std::uint32_t node) { return at(Do::request, node); }
Step release(std::uint32_t node) { return at(Do::release, node); }
Step crash(std::uint32_t node) { return at(Do::crash, node); }
Step recover(std::uint32_t node) { return at(Do::recover, node); }
Step between(Do kind, std::uint32_t node, std::uint32_t peer) {
  return {.kind = kind, .node = {node}, .peer = {peer}};
}
Step to_message(Do kind, std::uint32_t from, std::uint32_t to, const char* text) {
  return {.kind = kind, .node = {to}, .peer = {from}, .message = text};
}
Step deliver(std::uint32_t from, std::uint32_t to, const char* text) {
  return to_message(Do::deliver, from, to, text);
}
Step expire(std::uint32_t node, std::uint32_t timer) {
  return {.kind = Do::expire, .node = {node}, .timer = timer};
}
Step choosing(Step step, std::vector<std::uint32_t> choices) {
  step.choices = std::move(choices);
  return step;
}

template <class P>
Replayed follow(std::uint32_t size, Steps steps, std::optional<std::size_t> loop = {},
                NodeId inside = nobody) {
  const Setup setup = default_setup(size);
  const Schedule schedule{.algorithm = std::string(info_of<P>(Setup{}).name),
                          .arguments = {},
                          .verdict = "whatever it says",
                          .steps = std::move(steps),
                          .loop = loop};
  return sim::replay<P>(setup, {.inside = inside}, schedule);
}

template <class P>
std::string error_of(std::uint32_t size, Steps steps) {
  const Replayed replayed = follow<P>(size, std::move(steps));
  return replayed.error ? replayed.error->message() : "";
}

// One line per event: "3 1 send Reply(<1,0> 1) 0".
std::string story(const Trace& trace) {
  std::ostringstream text;
  for (const TraceEvent& event : trace.events) {
    text << event.at.value / message_time.value << " " << event.node.value << " "
         << name_of(event.kind);
    if (!event.name.empty()) text << " " << event.name << event.body;
    if (event.peer != nobody) text << " " << event.peer.value;
    text << "\n";
  }
  return text.str();
}

const Steps both_enter = {request(0),
                          request(1),
                          deliver(0, 1, "Request(<1,0>)"),
                          deliver(1, 0, "Request(<1,1>)"),
                          deliver(1, 0, "Reply(<1,0> 1)"),
                          release(0),
                          deliver(0, 1, "Reply(<1,1> 1)"),
                          release(1)};

TEST(Replay, TwoEnterOneAfterTheOther) {
  const Replayed replayed = follow<RicartAgrawala>(2, both_enter);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "");
  EXPECT_EQ(replayed.trace.algorithm, "ricart-agrawala");
  EXPECT_EQ(replayed.trace.verdict, "");
  EXPECT_EQ(story(replayed.trace),
            "1 0 request\n"
            "1 0 send Request(<1,0>) 1\n"
            "2 1 request\n"
            "2 1 send Request(<1,1>) 0\n"
            "3 1 receive Request(<1,0>) 0\n"
            "3 1 send Reply(<1,0> 1) 0\n"
            "4 0 receive Request(<1,1>) 1\n"
            "5 0 receive Reply(<1,0> 1) 1\n"
            "5 0 enter\n"
            "6 0 exit\n"
            "6 0 send Reply(<1,1> 1) 1\n"
            "7 1 receive Reply(<1,1> 1) 0\n"
            "7 1 enter\n"
            "8 1 exit\n");
}

TEST(Replay, WhoIsInsideFromTheBeginningLeaves) {
  const Replayed replayed =
      follow<RicartAgrawala>(2, {request(1), deliver(1, 0, "Request(<1,1>)"), release(0)}, {}, {0});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(story(replayed.trace),
            "1 1 request\n"
            "1 1 send Request(<1,1>) 0\n"
            "2 0 receive Request(<1,1>) 1\n"
            "3 0 exit\n"
            "3 0 send Reply(<1,1> 1) 1\n");
}

TEST(Replay, FindsTwoInside) {
  const Steps steps = {request(2),
                       deliver(2, 0, "Request(<1,2>)"),
                       request(1),
                       request(0),
                       deliver(0, 2, "Reply(<1,2> 1)"),
                       deliver(0, 2, "Request(<2,0>)"),
                       deliver(0, 1, "Request(<2,0>)"),
                       deliver(2, 1, "Request(<1,2>)"),
                       deliver(1, 0, "Request(<1,1>)"),
                       deliver(0, 1, "Reply(<1,1> 2)"),
                       deliver(1, 2, "Request(<1,1>)"),
                       deliver(1, 2, "Reply(<1,2> 2)"),
                       deliver(2, 1, "Reply(<1,1> 2)"),
                       release(1)};
  const Replayed replayed = follow<WrongRicartAgrawalaComparesClock>(3, steps);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  // Also when the schedule goes on and one of them leaves.
  EXPECT_EQ(replayed.found, "two inside: 1 and 2");
  EXPECT_EQ(replayed.trace.verdict, replayed.found);
}

TEST(Replay, FindsADeadlock) {
  Steps steps = {request(0), request(1), deliver(0, 1, "Request(<1,0>)")};
  // As long as a message is under way there is hope.
  EXPECT_EQ(follow<WrongRicartAgrawalaNoTieBreak>(2, steps).found, "");
  steps.push_back(deliver(1, 0, "Request(<1,1>)"));
  EXPECT_EQ(follow<WrongRicartAgrawalaNoTieBreak>(2, steps).found,
            "nothing is under way, and 0 and 1 wait");
}

TEST(Replay, NobodyIsStuckWhileSomeoneIsInside) {
  Steps steps(both_enter.begin(), both_enter.begin() + 5);
  EXPECT_EQ(follow<RicartAgrawala>(2, steps).found, "");
}

TEST(Replay, WhatIsLostIsMissed) {
  const Replayed replayed = follow<RicartAgrawala>(
      2, {request(0), to_message(Do::lose, 0, 1, "Request(<1,0>)"), at(Do::pass, 0)});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "nothing is under way, and 0 waits");
  EXPECT_EQ(story(replayed.trace),
            "1 0 request\n"
            "1 0 send Request(<1,0>) 1\n"
            "2 1 drop Request(<1,0>) 0\n");
}

TEST(Replay, WhatIsThereTwiceArrivesTwice) {
  const Step twice = to_message(Do::duplicate, 0, 1, "Request(<1,0>)");
  const Step once = deliver(0, 1, "Request(<1,0>)");
  EXPECT_EQ(error_of<RicartAgrawala>(2, {request(0), twice, once, once}), "");
  EXPECT_EQ(error_of<RicartAgrawala>(2, {request(0), once, once}),
            "step 3: no message Request(<1,0>) is under way from 0 to 1; nothing is");
  const Replayed replayed = follow<RicartAgrawala>(2, {request(0), twice, once, once});
  std::set<std::uint64_t> numbers;
  for (const TraceEvent& event : replayed.trace.events) {
    if (event.name == "Request") numbers.insert(event.message);
  }
  EXPECT_EQ(numbers.size(), 1U);
}

TEST(Replay, WhatIsDelayedStaysUnderWay) {
  const Replayed replayed = follow<RicartAgrawala>(
      2,
      {request(0), to_message(Do::delay, 0, 1, "Request(<1,0>)"), deliver(0, 1, "Request(<1,0>)")});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_NE(story(replayed.trace).find("2 1 note will get Request(<1,0>) of 0 late\n"),
            std::string::npos);
}

// Channels need not be FIFO: a message is named by what it says.
TEST(Replay, MessagesOvertakeEachOther) {
  const Replayed replayed =
      follow<RicartAgrawala>(2, {request(0), deliver(0, 1, "Request(<1,0>)"), request(1),
                                 deliver(1, 0, "Request(<2,1>)"), deliver(1, 0, "Reply(<1,0> 1)")});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.trace.events.back().kind, TraceKind::enter);
}

TEST(Replay, StartComesBeforeTheFirstStep) {
  const Replayed replayed =
      follow<TokenRing>(2, {request(1), deliver(0, 1, "Token()"), release(1)});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "");
  EXPECT_EQ(story(replayed.trace),
            "0 0 send Token() 1\n"
            "1 1 request\n"
            "2 1 receive Token() 0\n"
            "2 1 enter\n"
            "3 1 exit\n"
            "3 1 send Token() 0\n");
}

// The token is passed forwards for 0 and backwards for 1; its first holder does so at once.
TEST(Replay, ChoicesAreTakenInOrder) {
  const Steps steps = {choosing(request(2), {0}), choosing(deliver(0, 1, "Token()"), {1}),
                       choosing(deliver(1, 0, "Token()"), {0})};
  const Replayed replayed = follow<TokenRingBidirectional>(3, steps);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "");  // a token is under way

  const auto with = [&](std::size_t step, std::vector<std::uint32_t> choices) {
    Steps changed = steps;
    changed[step].choices = std::move(choices);
    return error_of<TokenRingBidirectional>(3, changed);
  };
  EXPECT_EQ(with(0, {}), "step 1: a choice is missing, of a number below 2");
  EXPECT_EQ(with(0, {2}), "step 1: choice 2 is not below 2");
  EXPECT_EQ(with(0, {0, 0}), "step 1: nobody asked for 1 of its 2 choices");
  EXPECT_EQ(with(1, {}), "step 2: a choice is missing, of a number below 2");
  EXPECT_EQ(with(2, {0, 1, 1}), "step 3: nobody asked for 2 of its 3 choices");
  EXPECT_EQ(error_of<TokenRingBidirectional>(3, {}),
            "step 1: a choice is missing, of a number below 2");
}

TEST(Replay, ALoopThatClosesStarves) {
  const Steps steps = {choosing(request(2), {0}), choosing(deliver(0, 1, "Token()"), {1}),
                       choosing(deliver(1, 0, "Token()"), {0})};
  const Replayed replayed = follow<TokenRingBidirectional>(3, steps, 1);
  EXPECT_EQ(replayed.found, "2 waits while steps 2 to 3 repeat");
  EXPECT_TRUE(replayed.loop_closes);
  EXPECT_TRUE(replayed.loop_repeats);
  EXPECT_NE(story(replayed.trace).find("2 1 note sees the loop begin\n"), std::string::npos);
}

TEST(Replay, ALoopInWhichNobodyWaitsIsNothing) {
  // What start() chose is not chosen again.
  const Steps steps = {choosing(deliver(0, 1, "Token()"), {0, 1}),
                       choosing(deliver(1, 0, "Token()"), {0})};
  const Replayed replayed = follow<TokenRingBidirectional>(2, steps, 0);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_TRUE(replayed.loop_closes);
  EXPECT_EQ(replayed.found, "");
}

TEST(Replay, ALoopInWhichEveryoneEntersIsNothing) {
  const Steps steps = {request(0), request(1), deliver(0, 1, "Token()"),
                       // From here on they take turns.
                       release(1), request(1), deliver(1, 0, "Token()"), release(0), request(0),
                       deliver(0, 1, "Token()")};
  const Replayed replayed = follow<TokenRing>(2, steps, 3);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_TRUE(replayed.loop_closes);
  EXPECT_EQ(replayed.found, "");
}

TEST(Replay, MessagesThatPileUpDoNotCloseALoop) {
  const Replayed replayed =
      follow<RicartAgrawala>(2, {request(0), to_message(Do::duplicate, 0, 1, "Request(<1,0>)")}, 1);
  EXPECT_FALSE(replayed.loop_closes);
}

// Whoever waits is only not served because something that is due never happens.
TEST(Replay, ALoopThatPutsSomethingOffIsNothing) {
  const auto expect_nothing = [](const Replayed& replayed) {
    ASSERT_FALSE(replayed.error) << replayed.error->message();
    EXPECT_FALSE(replayed.loop_repeats);
    EXPECT_EQ(replayed.found, "");
  };
  const Step pass{.kind = Do::pass};
  expect_nothing(follow<RicartAgrawala>(2, {request(0), pass}, 1));
  expect_nothing(follow<RicartAgrawala>(
      2, {request(0), to_message(Do::duplicate, 0, 1, "Request(<1,0>)")}, 1));
  // Someone stays inside.
  expect_nothing(
      follow<RicartAgrawala>(2, {request(1), deliver(1, 0, "Request(<1,1>)"), pass}, 2, {0}));
  // The timer after which the message would be sent again does not run out.
  expect_nothing(follow<Reliable<RicartAgrawala>>(
      2, {request(0), to_message(Do::lose, 0, 1, "Request(<1,0>)"), pass}, 2));
  // What was put off before the loop is due in it; who is down is not waited for.
  EXPECT_EQ(follow<RicartAgrawala>(2, {request(0), crash(1), pass}, 2).found,
            "0 waits while steps 3 to 3 repeat");
}

TEST(Replay, ALoopThatDoesNotRepeatIsNothing) {
  const Steps steps(both_enter.begin(), both_enter.begin() + 4);
  const Replayed replayed = follow<RicartAgrawala>(2, steps, 2);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_FALSE(replayed.loop_closes);
  EXPECT_FALSE(replayed.loop_repeats);
  EXPECT_EQ(replayed.found, "");
}

// Sequence numbers grow, so that no state comes twice; the steps are possible again all the same.
// A copy of an old request stays under way, and is not taken for the new ones behind it.
TEST(Replay, ALoopInWhichNumbersGrowStarves) {
  Steps steps = {request(0), request(1), deliver(1, 0, "Request(1)"), request(2),
                 deliver(2, 0, "Request(1)"), release(0), deliver(0, 2, "Token([0 0 0] [1])"),
                 deliver(1, 2, "Request(1)"), deliver(2, 1, "Request(1)"), request(0),
                 deliver(0, 1, "Request(1)"), deliver(0, 2, "Request(1)"), release(2),
                 deliver(2, 0, "Token([0 0 1] [1])"),
                 // From here on 0 and 2 take turns.
                 request(2), deliver(2, 1, "Request(2)"), deliver(2, 0, "Request(2)"), release(0),
                 deliver(0, 2, "Token([1 0 1] [1])"), request(0), deliver(0, 1, "Request(2)"),
                 deliver(0, 2, "Request(2)"), release(2), deliver(2, 0, "Token([1 0 2] [1])")};
  steps.insert(steps.begin() + 4, to_message(Do::duplicate, 2, 0, "Request(1)"));
  const Replayed replayed = follow<WrongSuzukiKasamiLastFirst>(3, steps, 15);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "1 waits while steps 16 to 25 repeat");
  EXPECT_FALSE(replayed.loop_closes);
  EXPECT_TRUE(replayed.loop_repeats);
  // What is repeated is not told.
  EXPECT_EQ(replayed.trace.events.back().at, 25 * message_time);
}

const Steps highest_is_down = {crash(2),
                               request(0),
                               deliver(0, 1, "Election()"),
                               deliver(0, 2, "Election()"),
                               deliver(1, 0, "Ok()"),
                               deliver(1, 2, "Election()"),
                               expire(1, 0),
                               deliver(1, 0, "Coordinator()")};

TEST(Replay, AnElectionWithACrashAndATimer) {
  const Replayed replayed = follow<Bully>(3, highest_is_down);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "");
  EXPECT_EQ(story(replayed.trace),
            "1 2 crash\n"
            "2 0 request an election\n"
            "2 0 send Election() 1\n"
            "2 0 send Election() 2\n"
            "3 1 receive Election() 0\n"
            "3 1 send Ok() 0\n"
            "3 1 send Election() 2\n"
            "4 2 drop Election() 0\n"
            "5 0 receive Ok() 1\n"
            "6 2 drop Election() 1\n"
            "7 1 timer 0\n"
            "7 1 send Coordinator() 0\n"
            "7 1 elect 1\n"
            "8 0 receive Coordinator() 1\n"
            "8 0 elect 1\n");
}

TEST(Replay, ATimerThatRunsOutTooEarlyGivesTwoLeaders) {
  const Replayed replayed = follow<Bully>(
      2, {request(0), expire(0, 0), deliver(0, 1, "Election()"), deliver(1, 0, "Ok()")});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(replayed.found, "0 takes 0 and 1 takes 1 for the leader");
}

TEST(Replay, AnElectionThatEndsWithTheWrongLeader) {
  Steps steps = {request(0), expire(0, 0), to_message(Do::lose, 0, 1, "Election()")};
  EXPECT_EQ(follow<Bully>(2, steps).found,
            "process 0 takes process 0 for the leader, which should be process 1");
  // Who is down does not count.
  steps.push_back(crash(1));
  EXPECT_EQ(follow<Bully>(2, steps).found, "");
}

TEST(Replay, WhoComesBackKnowsNothing) {
  Steps steps = highest_is_down;
  steps.push_back(recover(2));
  steps.push_back(expire(2, 0));
  const Replayed replayed = follow<Bully>(3, steps);
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  const std::string told = story(replayed.trace);
  EXPECT_NE(told.find("9 2 recover\n10 2 timer 0\n"), std::string::npos) << told;
}

TEST(Replay, TimersEndWithACrashAndWhenCancelled) {
  // Were 0's timer still armed, all would not be quiet.
  EXPECT_EQ(
      follow<Bully>(2, {request(0), to_message(Do::lose, 0, 1, "Election()"), crash(0)}).found,
      "process 1 knows no leader in the end");
  Steps steps = highest_is_down;
  steps.push_back(expire(0, 0));
  EXPECT_EQ(error_of<Bully>(3, steps), "step 9: timer 0 of process 0 is not armed");
}

TEST(Replay, SuspicionAndTrustAreTold) {
  const Replayed replayed =
      follow<Bully>(2, {between(Do::suspect, 0, 1), between(Do::trust, 0, 1)});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_EQ(story(replayed.trace),
            "1 0 suspect 1\n"
            "1 0 send Election() 1\n"
            "2 0 trust 1\n");
}

TEST(Replay, WhatFindsNobodyIsGivenBack) {
  const Replayed replayed =
      follow<RingElection>(3, {crash(1), request(0), deliver(0, 1, "Election(1 [0])")});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_NE(story(replayed.trace).find("3 1 drop Election(1 [0]) 0\n3 0 send Election(1 [0]) 2\n"),
            std::string::npos);
}

TEST(Replay, AnObserverIsAskedIfItCanBe) {
  // Each account draws how long it waits before its first transfer.
  const Replayed replayed =
      follow<ChandyLamport>(2, {choosing(request(0), {0, 0}), deliver(0, 1, "Marker(0.1)")});
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_NE(story(replayed.trace).find("2 1 record snapshot 0.1\n"), std::string::npos)
      << story(replayed.trace);
}

TEST(Replay, ALayerIsPartOfTheProtocol) {
  const Replayed replayed = follow<Reliable<RicartAgrawala>>(
      2, {request(0), to_message(Do::lose, 0, 1, "Request(<1,0>)"), expire(0, 0)});
  EXPECT_EQ(replayed.found, "");
  const std::string told = story(replayed.trace);
  EXPECT_NE(told.find("2 1 drop Request(<1,0>) 0\n"), std::string::npos) << told;
}

TEST(Replay, StepsThatCannotBe) {
  const auto error = [](Steps steps) { return error_of<RicartAgrawala>(2, std::move(steps)); };
  EXPECT_EQ(error({deliver(1, 0, "Reply(<1,0> 1)")}),
            "step 1: no message Reply(<1,0> 1) is under way from 1 to 0; nothing is");
  EXPECT_EQ(error({request(0), deliver(0, 1, "Request(<2,0>)")}),
            "step 2: no message Request(<2,0>) is under way from 0 to 1; under way are: "
            "Request(<1,0>)");
  EXPECT_EQ(error({request(0), to_message(Do::lose, 0, 1, "Request")}),
            "step 2: no message Request is under way from 0 to 1; under way are: Request(<1,0>)");
  EXPECT_EQ(error({request(0), to_message(Do::duplicate, 1, 0, "x")}),
            "step 2: no message x is under way from 1 to 0; nothing is");
  EXPECT_EQ(error({to_message(Do::delay, 1, 0, "x")}),
            "step 1: no message x is under way from 1 to 0; nothing is");
  EXPECT_EQ(error({release(0)}), "step 1: process 0 is not inside");
  EXPECT_EQ(error({request(0), release(0)}), "step 2: process 0 is not inside");
  EXPECT_EQ(error({request(0), request(0)}), "step 2: process 0 is waiting already");
  EXPECT_EQ(error({expire(1, 7)}), "step 1: timer 7 of process 1 is not armed");
  EXPECT_EQ(error({request(2)}), "step 1: there is no process 2; the processes are 0 to 1");
  EXPECT_EQ(error({deliver(9, 0, "x")}), "step 1: there is no process 9; the processes are 0 to 1");
  EXPECT_EQ(error({{.kind = Do::crash}}), "step 1: it does not say which process");
  EXPECT_EQ(error({crash(0), request(0)}), "step 2: process 0 is down");
  EXPECT_EQ(error({crash(0), crash(0)}), "step 2: process 0 is down");
  EXPECT_EQ(error({recover(0)}), "step 1: process 0 is not down");
  EXPECT_EQ(error({between(Do::suspect, 1, 1)}), "step 1: process 1 is its own peer");
  EXPECT_EQ(error({choosing(at(Do::pass, 0), {1})}), "step 1: nobody asked for 1 of its 1 choices");

  Steps twice(both_enter.begin(), both_enter.begin() + 5);
  twice.push_back(request(0));
  EXPECT_EQ(error(twice), "step 6: process 0 is inside already");
  // An armed timer runs out once.
  EXPECT_EQ(error_of<Bully>(2, {request(0), expire(0, 0), expire(0, 0)}),
            "step 3: timer 0 of process 0 is not armed");
  EXPECT_EQ(error_of<Bully>(2, {request(0), crash(0), recover(0), crash(0), expire(0, 0)}),
            "step 5: process 0 is down");
  EXPECT_EQ(error_of<Bully>(2, {release(0)}), "step 1: process 0 is not inside");
}

TEST(Replay, NothingHappensAfterAStepThatCannotBe) {
  const Replayed replayed = follow<RicartAgrawala>(2, {request(0), release(1), request(1)});
  ASSERT_TRUE(replayed.error);
  EXPECT_EQ(replayed.error->step, 2U);
  EXPECT_EQ(replayed.trace.events.size(), 2U);
  EXPECT_EQ(replayed.found, "");
}

}  // namespace
}  // namespace baton::test
