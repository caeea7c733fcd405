#include "cli/service/tool.h"

namespace baton::test {
namespace {

class Locking : public Tool {};

TEST_F(Locking, TheCommandsExitCodeIsPassedThrough) {
  EXPECT_EQ(baton("lock a -- true").code, 0);
  EXPECT_EQ(baton("lock a -- sh -c 'exit 7'").code, 7);
  EXPECT_EQ(baton("lock a -- sh -c 'kill -KILL $$'").code, 137);
  EXPECT_EQ(baton("lock a -c 'exit 9'").code, 9);
  EXPECT_EQ(baton("lock a -- " + file("nothing").string()).code, 127);
  EXPECT_EQ(baton("lock a -- /").code, 126);
  EXPECT_EQ(use_of("a"), "0+0");
}

TEST_F(Locking, TheCommandHasItsStreams) {
  const Outcome outcome = shell("echo in | $BATON lock a -- sh -c 'cat; echo err >&2'");
  EXPECT_EQ(outcome.out, "in\n");
  EXPECT_EQ(outcome.err, "err\n");
}

TEST_F(Locking, TheCommandKnowsWhatItHolds) {
  const std::string show =
      " -- sh -c 'echo $BATON_LOCK $BATON_SESSION $BATON_FENCE ${BATON_SLOT-none}'";
  std::string name;
  std::string slot;
  std::uint64_t session = 0;
  std::uint64_t first = 0;
  std::istringstream(baton("lock a" + show).out) >> name >> session >> first >> slot;
  EXPECT_EQ(name, "a");
  EXPECT_EQ(slot, "none");
  EXPECT_GT(session, 0U);
  EXPECT_GT(first, 0U);
  std::uint64_t second = 0;
  std::istringstream(baton("lock b --slots 3" + show).out) >> name >> session >> second >> slot;
  EXPECT_GT(second, first) << "fences go on from lock to lock";
  EXPECT_EQ(slot, "0");
  EXPECT_EQ(baton("lock 'x y' z -- sh -c 'echo \"$BATON_LOCK\"'").out, "x y\nz\n");
}

TEST_F(Locking, WhatIsTakenIsNotHadTwice) {
  const auto holder = hold("a --label mine");
  const Outcome outcome = baton("lock a --try -- touch $F/never");
  EXPECT_EQ(outcome.code, 75);
  EXPECT_TRUE(has(outcome.err, "'a' is held by ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "process " + std::to_string(holder->id()))) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "'mine'")) << outcome.err;
  EXPECT_EQ(baton("lock a --try --conflict-exit-code 9 -- touch $F/never").code, 9);
  EXPECT_EQ(baton("lock a --wait 200ms -- touch $F/never").code, 75);
  EXPECT_EQ(baton("lock a b --try -- touch $F/never").code, 75);
  EXPECT_EQ(baton("lock b --try -- true").code, 0) << "all or none";
  EXPECT_FALSE(has_file("never"));
  touch("end");
  EXPECT_EQ(holder->wait(), 0);
  EXPECT_EQ(baton("lock a --try -- true").code, 0);
  EXPECT_EQ(json("sessions").at("sessions").as_array().size(), 0U) << "nobody is left behind";
}

TEST_F(Locking, WhoWaitsGetsItInTheEnd) {
  const auto holder = hold("a");
  Running waiter("$BATON lock a --wait 1m -- true");
  EXPECT_TRUE(eventually([&] { return use_of("a") == "1+1"; }));
  touch("end");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holder->wait(), 0);
}

TEST_F(Locking, AWaitCanBeGivenUp) {
  const auto holder = hold("a");
  Running waiter("$BATON lock a -- true");
  EXPECT_TRUE(eventually([&] { return use_of("a") == "1+1"; }));
  waiter.send(SIGINT);
  EXPECT_EQ(waiter.wait(), 130);
  EXPECT_TRUE(eventually([&] { return use_of("a") == "1+0"; }));
}

TEST_F(Locking, SharedAndSlots) {
  const auto first = hold("a --shared");
  EXPECT_EQ(baton("lock a --shared --try -- true").code, 0);
  EXPECT_EQ(baton("lock a --try -- true").code, 75);
  const auto one = hold("s --slots 2");
  EXPECT_EQ(baton("lock s --slots 2 --try -- sh -c 'exit $BATON_SLOT'").code, 1);
  const auto two = hold("s --slots 2");
  EXPECT_EQ(baton("lock s --slots 2 --try -- true").code, 75);
  EXPECT_EQ(baton("lock s --slots 3 --try -- true").code, 2);
}

TEST_F(Locking, FastLocksExcludeAsWell) {
  const auto holder = hold("a --fast");
  EXPECT_EQ(baton("lock a --try --fast -- true").code, 75);
  EXPECT_EQ(baton("lock a --try -- true").code, 75);
}

TEST_F(Locking, WrongUsage) {
  expect_refused("lock -- true", "say which lock");
  expect_refused("lock a", "say what to run: -- COMMAND, or -c 'shell line'");
  expect_refused("lock a ./backup.sh", "say what to run");
  expect_refused("lock a --", "say what to run");
  expect_refused("lock a -c true -- true", "exclude each other");
  expect_refused("lock a --try --wait 1s -- true", "exclude each other");
  expect_refused("lock a --shared --slots 2 -- true", "exclude each other");
  expect_refused("lock a --tri -- true", "there is no option '--tri'; did you mean '--try'?");
  expect_refused("lock a --on-lost kil -- true", "did you mean 'kill'?");
  expect_refused("lock a --slots 0 -- true", "0 is too small");
  expect_refused("lock a --slots many -- true", "'many' is not a whole number");
  expect_refused("lock a --conflict-exit-code 256 -- true", "256 is too large");
  for (const std::string time : {"soon", "", "1x", "1s2", "s", "1e99"}) {
    expect_refused("lock a --wait '" + time + "' -- true", "--wait takes a length of time");
  }
  expect_refused("lck a -- true", "there is no command 'lck'; did you mean 'lock'?");
}

TEST_F(Locking, ALeaseThatIsTooShortToStopTheCommandIsRefused) {
  expect_refused("lock a --ttl 3s -- true", "--ttl 3s leaves too little time");
  expect_refused("lock a --ttl 3s -- true", "with --kill-after 2s it must be at least 3.6s");
  expect_refused("lock a --ttl 10s --kill-after 10s -- true", "leaves too little time");
  EXPECT_EQ(baton("lock a --ttl 3.6s -- true").code, 0);
  EXPECT_EQ(baton("lock a --ttl 3s --kill-after 1s -- true").code, 0);
  EXPECT_EQ(baton("lock a --ttl 2s --on-lost ignore -- true").code, 0);
}

TEST_F(Locking, BadNames) {
  const std::string too_long(513, 'x');
  for (const std::string& name :
       {std::string("''"), too_long, std::string("\"$(printf '\\377')\"")}) {
    const Outcome outcome = baton("lock " + name + " -- touch $F/never");
    EXPECT_EQ(outcome.code, 2) << name << outcome.err;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  }
  EXPECT_FALSE(has_file("never"));
  EXPECT_EQ(baton("lock a a -- true").code, 2) << "the same name twice";
}

TEST_F(Locking, TheCommandMayBeAnyBytes) {
  EXPECT_EQ(baton("lock a -- printf '%s' \"$(printf '\\377')\"").out, "\377");
  std::string umlauts;
  for (int i = 0; i < 60; ++i) umlauts += "ü";
  for (const std::string before : {"", "x"}) {
    EXPECT_EQ(baton("lock a -- printf " + before + umlauts).out, before + umlauts);
    EXPECT_EQ(baton("lock a --label " + before + umlauts + umlauts + " -- true").code, 0);
  }
}

TEST_F(Locking, BadLabels) {
  for (const std::string& label : {std::string(1025, 'x'), std::string("\"$(printf '\\377')\"")}) {
    for (const auto& [first, rest] : {std::pair("lock a --label ", " -- touch $F/never"),
                                      std::pair("acquire a --label ", "")}) {
      const Outcome outcome = baton(first + label + rest);
      EXPECT_EQ(outcome.code, 2) << first << outcome.err;
      EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
    }
  }
  EXPECT_FALSE(has_file("never"));
  EXPECT_EQ(use_of("a"), "0+0");
}

TEST_F(Locking, TwoNestedLocksThatWaitForEachOtherAreADeadlock) {
  const auto nested = [&](const std::string& first, const std::string& cue,
                          const std::string& second) {
    return "$BATON lock " + first + " --label outer-" + first + " -- sh -c 'touch $F/has-" + first +
           "; while [ ! -e $F/" + cue + " ]; do sleep 0.05; done; $BATON lock " + second +
           " --wait 20s" + " -- true; echo $?'";
  };
  Running one(nested("left", "cue-one", "right"));
  Running two(nested("right", "cue-two", "left"));
  EXPECT_TRUE(eventually([&] { return has_file("has-left") && has_file("has-right"); }));
  touch("cue-one");
  EXPECT_TRUE(eventually([&] { return use_of("right") == "1+1"; }));
  touch("cue-two");
  EXPECT_EQ(two.wait(), 0);
  EXPECT_EQ(two.out(), "122\n") << two.err();
  EXPECT_TRUE(has(two.err(), "left")) << two.err();
  EXPECT_TRUE(has(two.err(), "right")) << two.err();
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(one.out(), "0\n") << "the other one goes on";
}

TEST_F(Locking, WithAnotherServerANestedLockIsNoPartOfTheFirst) {
  // The number of a session of one server is that of another session at another one.
  Running server("$BATON serve --listen unix:$F/other --journal memory:");
  EXPECT_TRUE(eventually([&] { return has_file("other"); }));
  const std::string url = " --url unix:$F/other";
  EXPECT_EQ(json("acquire x" + url).at("session_id").as_int64(), 1);
  const std::string within = " | grep -c '\"within\":[1-9]'";
  EXPECT_EQ(
      baton("lock a -- $BATON lock a" + url + " -- $BATON sessions --json" + url + within).out,
      "0\n");
  EXPECT_EQ(baton("lock a -- $BATON lock b -- $BATON sessions --json" + within).out, "1\n");
}

}  // namespace
}  // namespace baton::test
