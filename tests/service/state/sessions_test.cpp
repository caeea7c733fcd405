#include <gtest/gtest.h>

#include "service/state/world.h"

namespace baton::service {
namespace {

TEST(Sessions, AnOpeningThatIsRepeatedFindsItsSession) {
  World world;
  const auto a = world.open({.nonce = "n"});
  EXPECT_EQ(world.open({.nonce = "n"}), a);
  EXPECT_EQ(world.state.session_of("n"), a);
  EXPECT_EQ(world.state.session_count(), 1u);
  world.ask(a, CloseSession{});
  EXPECT_NE(world.open({.nonce = "n"}), a);
}

TEST(Sessions, TellWhoTheyAre) {
  World world;
  const auto outer = world.open();
  const auto a = world.open({.who = {"alpha", 77, "kim", "backup"},
                             .ttl = seconds(3),
                             .lock_delay = seconds(4),
                             .fast = true,
                             .within = outer});
  world.lock(a, {"x"});
  const auto info = world.state.session(a);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->terms.who, (Who{"alpha", 77, "kim", "backup"}));
  EXPECT_EQ(info->terms.ttl, seconds(3));
  EXPECT_EQ(info->terms.lock_delay, seconds(4));
  EXPECT_TRUE(info->terms.fast);
  EXPECT_EQ(info->terms.within, outer);
  EXPECT_EQ(info->holds, 1u);
  EXPECT_EQ(world.state.sessions().size(), 2u);
  EXPECT_EQ(world.state.describe(a), "session 2 (backup on host alpha)");
  EXPECT_EQ(world.state.describe(outer), "session 1");
}

TEST(Sessions, CloseReleasesAllAtOnce) {
  World world;
  const auto a = world.open({.lock_delay = seconds(30)}), b = world.open(), c = world.open();
  world.lock(a, {"x"});
  world.lock(a, {"y"}, {1});
  world.lock(c, {"z"});
  const auto both = world.lock(b, {"x", "y"});
  const auto waiting = world.lock(a, {"z"}, {2});
  const auto close = world.ask(a, CloseSession{});
  EXPECT_EQ(world.error(close), Error::none);
  EXPECT_EQ(world.error(waiting), Error::session_lost);
  EXPECT_TRUE(world.is_granted(both));
  EXPECT_TRUE(world.told<SessionOver>().empty());
  EXPECT_EQ(world.error(world.lock(a, {"x"})), Error::session_lost);
}

TEST(Sessions, LocksOfAnExpiredSessionStayClosedForAWhile) {
  World world;
  const auto a = world.open({.lock_delay = seconds(30)}), b = world.open(), c = world.open();
  world.lock(a, {"x"});
  world.share(a, {"shared"});
  world.ask(a, Acquire{.names = {"pool"}, .terms = {.slots = 2}});
  const auto waiting = world.lock(b, {"x"});
  world.apply({.what = ExpireSession{a}});
  ASSERT_EQ(world.told<SessionOver>().size(), 1u);
  EXPECT_EQ(world.told<SessionOver>()[0].session, a);
  EXPECT_FALSE(world.is_granted(waiting));
  // Readers were never in its way, nor the other slot.
  EXPECT_TRUE(world.is_granted(world.share(c, {"shared"})));
  EXPECT_TRUE(world.is_granted(world.ask(c, Acquire{.names = {"pool"}, .terms = {.slots = 2}})));
  EXPECT_TRUE(world.is_queued(world.ask(b, Acquire{.names = {"pool"}, .terms = {.slots = 2}})));
  const auto tried = world.ask(c, Acquire{.names = {"x"}, .wait = Duration{0}});
  EXPECT_EQ(world.message(tried), "'x' stays closed for a while after session 1");
  EXPECT_TRUE(world.state.lock(Namespace::lock, "x")->holders[0].expired);
  EXPECT_EQ(world.error(world.ask(c, Break{.name = "x"})), Error::busy);
  world.pass(seconds(29));
  EXPECT_FALSE(world.is_granted(waiting));
  world.pass(seconds(1));
  EXPECT_TRUE(world.is_granted(waiting));
}

TEST(Sessions, ForceOpensWhatStaysClosed) {
  World world;
  const auto a = world.open({.lock_delay = seconds(30)}), b = world.open();
  world.lock(a, {"x"});
  const auto waiting = world.lock(b, {"x"});
  world.apply({.what = ExpireSession{a}});
  world.ask(b, Break{.name = "x", .force = true});
  EXPECT_TRUE(world.is_granted(waiting));
  EXPECT_FALSE(world.state.next_due());
}

TEST(Sessions, WithoutADelayAnExpiredSessionLetsGo) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  const auto waiting = world.lock(b, {"x"});
  world.apply({.what = ExpireSession{a}});
  EXPECT_TRUE(world.is_granted(waiting));
}

TEST(Sessions, ABrokenSessionMayClearUp) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  world.lock(b, {"y"});
  const auto waits = world.lock(a, {"y"});
  const auto waiting = world.lock(b, {"x"}, {1});
  world.apply({.request = {9}, .what = BreakSession{.session = a}});
  EXPECT_EQ(world.error({9}), Error::none);
  EXPECT_EQ(world.told<SessionOver>().size(), 1u);
  EXPECT_EQ(world.error(waits), Error::session_lost);
  EXPECT_EQ(world.error(world.lock(a, {"z"})), Error::session_lost);
  EXPECT_TRUE(world.state.session(a)->ends);
  world.ask(a, CloseSession{});
  EXPECT_TRUE(world.is_granted(waiting));
  EXPECT_FALSE(world.state.next_due());
}

TEST(Sessions, ABrokenSessionThatDoesNotAnswerExpires) {
  World world;
  const auto a = world.open({.lock_delay = seconds(5)}), b = world.open();
  world.lock(a, {"x"});
  const auto waiting = world.lock(b, {"x"});
  world.ask(b, BreakSession{.session = a});
  world.pass(seconds(10));
  EXPECT_FALSE(world.state.session(a));
  EXPECT_TRUE(world.told<SessionOver>().empty());
  EXPECT_FALSE(world.is_granted(waiting));
  world.pass(seconds(5));
  EXPECT_TRUE(world.is_granted(waiting));
}

TEST(Sessions, BrokenByForceLosesAllAtOnce) {
  World world;
  const auto a = world.open({.lock_delay = seconds(5)}), b = world.open();
  world.lock(a, {"x"});
  const auto waiting = world.lock(b, {"x"});
  world.ask(b, BreakSession{.session = a, .force = true});
  EXPECT_EQ(world.told<SessionOver>().size(), 1u);
  EXPECT_TRUE(world.is_granted(waiting));
  EXPECT_EQ(world.error(world.ask(b, BreakSession{.session = a})), Error::not_found);
}

TEST(Retries, AreAnsweredNotRepeated) {
  World world;
  const auto a = world.open(), b = world.open();
  const Acquire acquire{.names = {"x"}};
  world.apply({.session = a, .request = {5}, .what = acquire});
  const auto first = world.effects;
  world.apply({.session = a, .request = {5}, .what = acquire});
  EXPECT_EQ(world.effects, first);
  EXPECT_EQ(world.state.lock(Namespace::lock, "x")->holders[0].times, 1u);
  world.apply({.session = b, .request = {5}, .what = acquire});
  const auto queued = world.effects;
  world.apply({.session = b, .request = {5}, .what = acquire});
  EXPECT_EQ(world.effects, queued);
  EXPECT_EQ(world.state.lock(Namespace::lock, "x")->queue.size(), 1u);
  world.apply({.session = a, .request = {6}, .what = Release{.names = {"x"}}});
  const auto granted = *world.reply({5});
  world.apply({.session = b, .request = {5}, .what = acquire});
  EXPECT_EQ(world.effects, Effects{granted});
  // The retry of the release does not release what was acquired since.
  world.apply({.session = b, .request = {6}, .what = Release{.names = {"x"}}});
  world.apply({.session = a, .request = {7}, .what = acquire});
  world.apply({.session = a, .request = {6}, .what = Release{.names = {"x"}}});
  EXPECT_EQ(world.error({6}), Error::none);
  EXPECT_EQ(world.holders("x"), std::vector<SessionId>{a});
}

TEST(Retries, AnswersAreKeptUntilTheyAreConfirmed) {
  World world;
  const auto a = world.open();
  world.apply({.session = a, .request = {5}, .what = Acquire{.names = {"x"}}});
  world.apply({.session = a, .request = {6}, .what = Acquire{.names = {"y"}}});
  EXPECT_EQ(world.state.image().sessions[0].answers.size(), 2u);
  world.apply({.session = a, .request = {7}, .confirmed = {6}, .what = Tick{}});
  EXPECT_EQ(world.error({7}), Error::bad_request);
  EXPECT_EQ(world.state.image().sessions[0].answers.size(), 1u);
  world.apply({.session = a, .request = {5}, .what = Acquire{.names = {"z"}}});
  EXPECT_EQ(world.error({5}), Error::bad_request);
  EXPECT_FALSE(world.state.lock(Namespace::lock, "z"));
}

TEST(Retries, UnconfirmedAnswersAreBounded) {
  World world;
  const auto a = world.open();
  for (std::size_t i = 0; i < most_unconfirmed; ++i)
    EXPECT_EQ(world.error(world.ask(a, Cancel{{999'999}})), Error::not_found);
  EXPECT_EQ(world.error(world.lock(a, {"x"})), Error::too_many);
  world.apply(
      {.session = a, .request = {20'000}, .confirmed = {20'000}, .what = Acquire{.names = {"x"}}});
  EXPECT_TRUE(world.is_granted({20'000}));
}

TEST(BadInput, IsRefusedAndLeavesNothing) {
  World world;
  const auto a = world.open();
  const auto refusal = [&](auto what) { return world.error(world.ask(a, what)); };
  const std::string long_name(longest_name + 1, 'x');
  EXPECT_TRUE(world.is_granted(world.lock(a, {std::string(longest_name, 'x')})));
  world.unlock(a, {std::string(longest_name, 'x')});
  EXPECT_TRUE(world.is_granted(world.lock(a, {"blåbær \xF0\x9F\x8E\xBC"})));
  world.unlock(a, {"blåbær \xF0\x9F\x8E\xBC"});
  for (const std::string name : {"", "\xFF", "\xC0\xAF", "a\xE2\x82", "\xED\xA0\x80", "\x80",
                                 "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_EQ(refusal(Acquire{.names = {name}}), Error::bad_request) << name;
    EXPECT_EQ(refusal(Acquire{.names = {"good", name}}), Error::bad_request);
    EXPECT_EQ(refusal(Release{.names = {name}}), Error::bad_request);
    EXPECT_EQ(refusal(Upgrade{.name = name}), Error::bad_request);
    EXPECT_EQ(refusal(Downgrade{.name = name}), Error::bad_request);
    EXPECT_EQ(refusal(Proclaim{.name = name}), Error::bad_request);
    EXPECT_EQ(refusal(Put{.key = name}), Error::bad_request);
    EXPECT_EQ(refusal(Remove{.key = name}), Error::bad_request);
    EXPECT_EQ(refusal(Break{.name = name}), Error::bad_request);
    EXPECT_EQ(refusal(Acknowledge{.name = name}), Error::bad_request);
  }
  EXPECT_EQ(refusal(Acquire{.names = {long_name}}), Error::too_large);
  EXPECT_EQ(refusal(Acquire{.names = {}}), Error::bad_request);
  EXPECT_EQ(refusal(Acquire{.names = {"x", "y", "x"}}), Error::bad_request);
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= most_names_at_once; ++i) names.push_back(std::to_string(i));
  EXPECT_EQ(refusal(Acquire{.names = names}), Error::too_many);
  EXPECT_EQ(refusal(Acquire{.names = {"x"}, .terms = {.slots = 0}}), Error::bad_request);
  EXPECT_EQ(refusal(Acquire{.names = {"x"}, .terms = {.slots = most_slots + 1}}), Error::too_many);
  EXPECT_EQ(refusal(Acquire{.names = {"x"}, .terms = {.hold = {.mode = Mode::shared}, .slots = 2}}),
            Error::bad_request);
  EXPECT_EQ(refusal(Acquire{.space = Namespace::election, .names = {"x"}, .terms = {.slots = 2}}),
            Error::bad_request);
  EXPECT_EQ(refusal(Acquire{.names = {"x"}, .wait = Duration{-1}}), Error::bad_request);
  EXPECT_EQ(refusal(Acquire{.names = {"x"}, .terms = {.hold = {.max_hold = {-1}}}}),
            Error::bad_request);
  EXPECT_EQ(refusal(Acquire{.names = {"x"},
                            .terms = {.hold = {.label = std::string(longest_label + 1, 'x')}}}),
            Error::too_large);
  EXPECT_EQ(refusal(Acquire{.names = {"x"},
                            .terms = {.hold = {.value = std::string(largest_file + 1, 'x')}}}),
            Error::too_large);
  EXPECT_EQ(refusal(Acquire{.names = {"x"}, .terms = {.fast = true}}), Error::bad_request);
  EXPECT_EQ(refusal(Put{.key = "x", .value = std::string(largest_file + 1, 'x')}),
            Error::too_large);
  EXPECT_EQ(refusal(Release{.names = {"x"}}), Error::not_held);
  EXPECT_EQ(refusal(Lead{}), Error::bad_request);
  EXPECT_EQ(refusal(ExpireSession{a}), Error::bad_request);
  const auto image = world.state.image();
  EXPECT_TRUE(image.locks.empty());
  EXPECT_TRUE(image.files.empty());
  EXPECT_EQ(image.sessions.size(), 1u);
}

TEST(BadInput, OfSessions) {
  World world;
  const auto refusal = [&](OpenSession open) {
    world.apply({.request = {1}, .what = std::move(open)});
    return world.error({1});
  };
  const OpenSession good{.nonce = "n", .ttl = shortest_ttl};
  const auto with = [&](auto change) {
    OpenSession open = good;
    change(open);
    return refusal(open);
  };
  EXPECT_EQ(with([](auto& o) { o.nonce = ""; }), Error::bad_request);
  EXPECT_EQ(with([](auto& o) { o.nonce = std::string(longest_nonce + 1, 'n'); }),
            Error::bad_request);
  EXPECT_EQ(with([](auto& o) { o.ttl.value -= 1; }), Error::bad_request);
  EXPECT_EQ(with([](auto& o) { o.ttl.value = longest_ttl.value + 1; }), Error::bad_request);
  EXPECT_EQ(with([](auto& o) { o.lock_delay = {-1}; }), Error::bad_request);
  EXPECT_EQ(with([](auto& o) { o.who.label = "\xFF"; }), Error::bad_request);
  EXPECT_EQ(with([](auto& o) { o.who.host = std::string(longest_who + 1, 'h'); }),
            Error::too_large);
  EXPECT_EQ(world.state.session_count(), 0u);
  EXPECT_EQ(refusal(good), Error::none);
  world.apply({.request = {2}, .what = Acquire{.names = {"x"}}});
  EXPECT_EQ(world.error({2}), Error::bad_request);
}

TEST(Errors, HaveNamesAndSentences) {
  EXPECT_EQ(name_of(Error::would_deadlock), "would_deadlock");
  EXPECT_EQ(message_of(Error::would_deadlock), "waiting for it could never end");
  for (int i = 0; i <= 40; ++i) {
    const auto error = static_cast<Error>(i);
    EXPECT_FALSE(message_of(error).empty());
    EXPECT_EQ(name_of(error) == "unknown", message_of(error) == "unknown error");
  }
}

// --- Sessions that do not confirm ---------------------------------------------------------------

TEST(Sessions, KeepTheirLatestAnswersIfTheyDoNotConfirm) {
  World world;
  const auto a = world.open({.latest_answers = 2});
  const auto put = [&](std::uint64_t request) {
    world.apply({.session = a, .request = {request}, .what = Put{.key = "k", .value = "v"}});
    return std::get<Stored>(world.reply({request})->result).version;
  };
  EXPECT_EQ(put(50), 1u);
  EXPECT_EQ(put(7), 2u);
  EXPECT_EQ(put(50), 1u) << "as before, in whatever order the numbers are";
  EXPECT_EQ(put(60), 3u);
  EXPECT_EQ(put(7), 2u);
  EXPECT_EQ(put(50), 4u) << "only two are kept, the latest";
  EXPECT_EQ(put(7), 5u);
}

TEST(Sessions, DoNotKeepWhatIsNeverRepeated) {
  World world;
  const auto a = world.open({.latest_answers = 1});
  world.apply({.session = a, .request = {5}, .what = Put{.key = "k", .value = "v"}});
  for (std::uint64_t i = 0; i < 3; ++i)
    world.apply({.session = a,
                 .request = {first_unrepeated.value + i},
                 .what = Put{.key = "k", .value = "v"}});
  EXPECT_EQ(world.state.file("k")->version, 4u);
  world.apply({.session = a, .request = {5}, .what = Put{.key = "k", .value = "v"}});
  EXPECT_EQ(world.state.file("k")->version, 4u) << "its answer is still kept";
}

TEST(Sessions, ThatDoNotConfirmAreNeverToldThatTooMuchIsUnconfirmed) {
  World world;
  const auto a = world.open({.latest_answers = 10});
  for (std::uint64_t i = 1; i <= most_unconfirmed + 10; ++i)
    world.apply({.session = a, .request = {i}, .confirmed = {i}, .what = Remove{.key = "k"}});
  EXPECT_EQ(world.effects.size(), 1u);
  EXPECT_EQ(std::get<Reply>(world.effects[0]).error, Error::not_found);
  EXPECT_EQ(world.state.image().sessions[0].answers.size(), 10u);
}

TEST(Sessions, TooManyAnswersAreNotPromised) {
  World world;
  world.apply({.request = {1},
               .what = OpenSession{
                   .nonce = "n", .ttl = seconds(10), .latest_answers = most_latest_answers + 1}});
  EXPECT_EQ(world.error({1}), Error::too_many);
}

TEST(Sessions, FindARequestAmongThoseThatWaitOrAreAnswered) {
  World world;
  const auto a = world.open({.latest_answers = 10}), b = world.open();
  world.apply({.session = a, .request = {40}, .what = Acquire{.names = {"x"}}});
  world.lock(b, {"y"});
  world.apply({.session = a, .request = {80}, .what = Acquire{.names = {"y"}}});
  EXPECT_EQ(world.state.find_request(a, {32}, {63}), RequestId{40});
  EXPECT_EQ(world.state.find_request(a, {64}, {80}), RequestId{80});
  EXPECT_EQ(world.state.find_request(a, {41}, {79}), std::nullopt);
  EXPECT_EQ(world.state.find_request(b, {32}, {63}), std::nullopt);
}

}  // namespace
}  // namespace baton::service
