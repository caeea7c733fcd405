#include "algorithms/observe/cut.h"

#include <gtest/gtest.h>

#include <random>

namespace baton::test {
namespace {

// Two processes; the first sends to the second, which answers.
//   0: send 1 (event 0), receive 2 (event 3)
//   1: receive 1 (event 1), send 2 (event 2)
struct Exchange {
  Trace trace;
  Exchange() {
    trace.size = 2;
    TraceRecorder recorder(trace);
    recorder.send({0}, {0}, {1}, "Question", "(1)");
    recorder.receive({1}, {1}, 1);
    recorder.send({1}, {1}, {0}, "Answer", "(2)");
    recorder.receive({2}, {0}, 2);
  }
};

TEST(Cut, IsConsistentIfEveryEffectHasItsCauseInside) {
  const Exchange run;
  for (const Cut& cut : {Cut{0, 0}, Cut{1, 0}, Cut{1, 2}, Cut{1, 3}, Cut{4, 3}}) {
    EXPECT_TRUE(judge(run.trace, cut).is_consistent()) << cut[0] << ' ' << cut[1];
    EXPECT_TRUE(is_consistent_by_vector_time(run.trace, cut)) << cut[0] << ' ' << cut[1];
  }
}

TEST(Cut, IsInconsistentIfAMessageComesFromOutside) {
  const Exchange run;
  const CutJudgement question = judge(run.trace, {0, 2});
  EXPECT_EQ(question.offender, 1U);
  EXPECT_EQ(in_words(run.trace, question),
            "process 1 receives Question(1) inside the cut, which process 0 sends outside");
  EXPECT_EQ(judge(run.trace, {4, 2}).offender, 2U);
  EXPECT_FALSE(is_consistent_by_vector_time(run.trace, {0, 2}));
  EXPECT_FALSE(is_consistent_by_vector_time(run.trace, {4, 2}));
}

TEST(Cut, KnowsWhatIsUnderWay) {
  const Exchange run;
  EXPECT_EQ(judge(run.trace, {0, 0}).in_transit, std::vector<std::uint64_t>{});
  EXPECT_EQ(judge(run.trace, {1, 0}).in_transit, std::vector<std::uint64_t>{1});
  EXPECT_EQ(judge(run.trace, {1, 3}).in_transit, std::vector<std::uint64_t>{2});
  EXPECT_EQ(judge(run.trace, {4, 3}).in_transit, std::vector<std::uint64_t>{});
}

TEST(Cut, DoesNotWaitForWhatIsLost) {
  Trace trace;
  trace.size = 2;
  TraceRecorder recorder(trace);
  recorder.send({0}, {0}, {1}, "Question", "");
  recorder.drop({0}, {1}, 1);
  EXPECT_EQ(judge(trace, {1, 0}).in_transit, std::vector<std::uint64_t>{});
}

TEST(Cut, IsReadFromRecordings) {
  Trace trace;
  trace.size = 2;
  TraceRecorder recorder(trace);
  recorder.local({0}, {1}, TraceKind::record, nobody, "snapshot 1.1");
  recorder.local({1}, {0}, TraceKind::record, nobody, "snapshot 1.1");
  recorder.local({1}, {0}, TraceKind::record, nobody, "snapshot 0.1");
  EXPECT_EQ(cut_of(trace, "snapshot 1.1"), (Cut{2, 1}));
  EXPECT_EQ(cut_of(trace, "snapshot 0.1"), std::nullopt) << "process 1 has not recorded";
}

// Mattern's theorem: the two definitions are the same. Cuts and runs at random.
TEST(Cut, MessagesAndVectorTimesAgree) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  std::size_t consistent = 0;
  std::size_t inconsistent = 0;
  for (int i = 0; i < 2000; ++i) {
    Trace trace;
    trace.size = static_cast<std::uint32_t>(2 + below(4));
    TraceRecorder recorder(trace);
    std::vector<std::pair<std::uint64_t, NodeId>> under_way;
    for (std::int64_t now = 0; now < 30; ++now) {
      const NodeId node{static_cast<std::uint32_t>(below(trace.size))};
      if (!under_way.empty() && below(2) == 0) {
        const std::size_t which = below(under_way.size());
        recorder.receive({now}, under_way[which].second, under_way[which].first);
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        const NodeId to{
            static_cast<std::uint32_t>((node.value + 1 + below(trace.size - 1)) % trace.size)};
        under_way.push_back({recorder.send({now}, node, to, "Message", ""), to});
      }
    }
    Cut cut(trace.size);
    const std::size_t around = below(trace.events.size());
    for (std::size_t& position : cut) position = around + below(5);
    const bool by_messages = judge(trace, cut).is_consistent();
    ASSERT_EQ(by_messages, is_consistent_by_vector_time(trace, cut)) << i;
    ++(by_messages ? consistent : inconsistent);
  }
  EXPECT_GT(consistent, 100U);
  EXPECT_GT(inconsistent, 100U);
}

}  // namespace
}  // namespace baton::test
