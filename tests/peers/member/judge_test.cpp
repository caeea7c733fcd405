// What the judge of traces sees, and what it does not hold against a group.
#include "peers/member/judge.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

// A run of three members as each of them writes it down, one event after the other, a millisecond
// apart.
class Told {
 public:
  // Messages first, by which their clocks can be compared.
  Told() : recorder_(whole_) { message(0, 1).message(1, 0).message(0, 2).message(2, 0); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  Told& request(std::uint32_t who) { return local(who, TraceKind::request, "till"); }
  Told& enter(std::uint32_t who, const std::string& fence) {
    return request(who).local(who, TraceKind::enter, "till", "(" + fence + ")");
  }
  Told& exit(std::uint32_t who) { return local(who, TraceKind::exit, "till"); }
  Told& lose(std::uint32_t who) { return local(who, TraceKind::lose, "till"); }
  Told& elect(std::uint32_t who, std::uint32_t whom, const std::string& epoch) {
    local(who, TraceKind::elect, "", epoch);
    whole_.events.back().peer = {whom};
    return *this;
  }
  Told& message(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t number = recorder_.send(tick(), {from}, {to}, "Token", "");
    recorder_.receive(tick(), {to}, number);
    return *this;
  }
  // Now, so that it has not written it down.
  Told& suffers(std::uint32_t who, TraceKind kind) {
    std::size_t written = 0;
    Ticks last{0};
    for (const TraceEvent& event : whole_.events) {
      if (event.node.value != who) continue;
      ++written;
      last = event.at;
    }
    suffered_[who].push_back({kind, written, (tick() - last).value});
    return *this;
  }

  Verdict judged() const {
    std::vector<Diary> diaries;
    for (std::uint32_t i = 0; i < size; ++i) {
      Diary diary{.member = {i}, .suffered = suffered_[i]};
      diary.part = {.source = std::to_string(i), .trace = {.size = size}};
      for (const TraceEvent& event : whole_.events) {
        if (event.node.value == i) diary.part.trace.events.push_back(event);
      }
      diaries.push_back(std::move(diary));
    }
    return judge(std::move(diaries));
  }
  std::string wrong() const {
    std::string all;
    for (const std::string& one : judged().wrong) all += one + "\n";
    return all;
  }

 private:
  static constexpr std::uint32_t size = 3;

  Ticks tick() { return now_ = now_ + Ticks{1000}; }
  Told& local(std::uint32_t who, TraceKind kind, const std::string& name,
              const std::string& body = {}) {
    recorder_.local(tick(), {who}, kind, nobody, name);
    whole_.events.back().body = body;
    return *this;
  }

  Trace whole_{.size = size};
  TraceRecorder recorder_;
  Ticks now_{0};
  std::vector<Suffered> suffered_[size];
};

TEST(Judge, HasNothingAgainstTurns) {
  Told told;
  told.enter(0, "(1 0 1) 1").exit(0).message(0, 1).enter(1, "(1 0 1) 2").exit(1);
  told.enter(2, "(2 0 1) 1").lose(2);
  EXPECT_EQ(told.wrong(), "");
  EXPECT_EQ(told.judged().entries, 3U);
  EXPECT_EQ(told.judged().losses, 1U);
}

TEST(Judge, SeesTwoInside) {
  Told told;
  told.enter(0, "(1 0 1) 1").enter(1, "(2 1 1) 1").exit(1).exit(0);
  EXPECT_NE(told.wrong().find("processes 0 and 1 are inside at the same time"), std::string::npos)
      << told.wrong();
}

TEST(Judge, SeesThatNobodyKnewOfTheOtherInOneView) {
  Told told;
  told.enter(0, "(1 0 1) 1").exit(0).enter(1, "(1 0 1) 2").exit(1);
  EXPECT_EQ(told.wrong(), "till: processes 0 and 1 are inside concurrently, in one view\n");
}

TEST(Judge, SeesFencesThatDoNotGrow) {
  Told same;
  same.enter(0, "(1 0 1) 1").exit(0).message(0, 1).enter(1, "(1 0 1) 1").exit(1);
  EXPECT_NE(same.wrong().find("have the same fence"), std::string::npos) << same.wrong();
  Told smaller;
  smaller.enter(0, "(2 0 1) 7").exit(0).message(0, 1).enter(1, "(2 0 1) 6").exit(1);
  EXPECT_NE(smaller.wrong().find("not larger than one of which it knows"), std::string::npos)
      << smaller.wrong();
}

TEST(Judge, SeesTwoArbitersOfOneEpoch) {
  Told told;
  told.elect(0, 2, "(3 0 1)").elect(1, 2, "(3 0 1)").elect(0, 1, "(4 0 1)");
  EXPECT_EQ(told.wrong(), "");
  told.elect(2, 0, "(4 0 1)");
  EXPECT_NE(told.wrong().find("leads in an epoch in which"), std::string::npos) << told.wrong();
}

TEST(Judge, ExcusesWhoWasPausedAndFindsOutFirst) {
  Told told;
  told.enter(0, "(1 0 1) 1").suffers(0, TraceKind::pause).enter(1, "(2 1 1) 1");
  told.suffers(0, TraceKind::resume).lose(0).exit(1);
  EXPECT_EQ(told.wrong(), "");
  EXPECT_EQ(told.judged().zombies, 1U);
}

TEST(Judge, DoesNotExcuseAPausedOneThatHearsOfOthersFirst) {
  Told told;
  told.enter(0, "(1 0 1) 1").suffers(0, TraceKind::pause).enter(1, "(2 1 1) 1");
  told.suffers(0, TraceKind::resume).message(1, 0).lose(0).exit(1);
  EXPECT_EQ(told.wrong(), "till: process 0 is still inside although it knows of a newer entry\n");
}

TEST(Judge, DoesNotExcuseAPausedOneThatEntersAfterwards) {
  Told told;
  told.suffers(0, TraceKind::pause).enter(1, "(2 1 1) 1").suffers(0, TraceKind::resume);
  told.enter(0, "(1 0 1) 1").lose(0).exit(1);
  EXPECT_NE(told.wrong().find("inside at the same time"), std::string::npos) << told.wrong();
}

TEST(Judge, LetsTheDeadRest) {
  Told told;
  told.enter(0, "(1 0 1) 1").suffers(0, TraceKind::crash).enter(1, "(2 1 1) 1").request(2);
  EXPECT_EQ(told.wrong(), "");
}

TEST(Judge, AKilledHolderIsInsideUntilThen) {
  Told told;
  told.enter(0, "(1 0 1) 1").enter(1, "(2 1 1) 1").suffers(0, TraceKind::crash);
  EXPECT_NE(told.wrong().find("inside at the same time"), std::string::npos) << told.wrong();
}

TEST(Judge, ListsWhoWaitsForNothing) {
  Told told;
  told.enter(0, "(1 0 1) 1").request(1).request(2);
  EXPECT_TRUE(told.judged().waiting.empty()) << "somebody is inside";
  told.exit(0).suffers(2, TraceKind::pause);
  ASSERT_EQ(told.judged().waiting.size(), 1U) << "who is paused cannot do anything";
  EXPECT_EQ(told.judged().waiting.front(), "process 1 waits for till");
  told.suffers(0, TraceKind::crash);
  EXPECT_TRUE(told.judged().waiting.empty()) << "there is no majority";
}

// A new life says first which one it is, even if it was paused before.
TEST(Judge, KnowsALifeThatWasPausedBeforeItHadBegun) {
  Diary first{.member = {1}, .part = {.source = "1a", .trace = {.size = 3}}};
  first.part.trace.events = {{.node = {1}, .kind = TraceKind::request, .name = "till"}};
  Diary second{.member = {1},
               .part = {.source = "1b", .trace = {.size = 3}},
               .suffered = {{TraceKind::pause, 0, 5}, {TraceKind::resume, 0, 9}}};
  second.part.trace.events = {{.node = {1}, .kind = TraceKind::recover, .body = "2"}};
  EXPECT_EQ(judge({first, second}).wrong, std::vector<std::string>{});
}

TEST(Judge, WantsToHearOfEverySending) {
  Diary diary{.member = {1}, .part = {.source = "1", .trace = {.size = 3}}};
  diary.part.trace.events = {{.at = {5},
                              .node = {1},
                              .kind = TraceKind::receive,
                              .peer = {0},
                              .message = 9,
                              .name = "Token",
                              .lamport = {3}}};
  const Verdict verdict = judge({diary});
  ASSERT_EQ(verdict.wrong.size(), 1U);
  EXPECT_EQ(verdict.wrong.front(), "no file tells of the sending of 1 message from 0 to 1");
}

}  // namespace
}  // namespace baton::test
