#include <gtest/gtest.h>

#include "service/state/world.h"

namespace baton::service {
namespace {

using Kind = Change::Kind;

Stored stored(const World& world, RequestId request) {
  const Reply* reply = world.reply(request);
  return reply != nullptr && std::holds_alternative<Stored>(reply->result)
             ? std::get<Stored>(reply->result)
             : Stored{999, {}};
}

TEST(Files, HaveVersions) {
  World world;
  const auto a = world.open();
  EXPECT_EQ(stored(world, world.ask(a, Put{.key = "k", .value = "1"})), (Stored{1, {1}}));
  EXPECT_EQ(stored(world, world.ask(a, Put{.key = "k", .value = "2"})), (Stored{2, {2}}));
  EXPECT_EQ(world.state.file("k"), (FileInfo{"k", "2", 2, {2}, no_session}));
  EXPECT_EQ(stored(world, world.ask(a, Remove{.key = "k"})), (Stored{2, {3}}));
  EXPECT_FALSE(world.state.file("k"));
  EXPECT_EQ(world.error(world.ask(a, Remove{.key = "k"})), Error::not_found);
}

TEST(Files, CompareAndSet) {
  World world;
  const auto a = world.open();
  EXPECT_EQ(world.error(world.ask(a, Put{.key = "k", .version = 1})), Error::conflict);
  EXPECT_EQ(world.error(world.ask(a, Put{.key = "k", .version = 0})), Error::none);
  const auto second = world.ask(a, Put{.key = "k", .value = "mine", .version = 0});
  EXPECT_EQ(world.error(second), Error::conflict);
  EXPECT_EQ(world.message(second), "'k' has version 1");
  EXPECT_EQ(world.error(world.ask(a, Put{.key = "k", .version = 1})), Error::none);
  EXPECT_EQ(world.error(world.ask(a, Remove{.key = "k", .version = 1})), Error::conflict);
  EXPECT_EQ(world.error(world.ask(a, Remove{.key = "k", .version = 2})), Error::none);
}

TEST(Files, CanBeTiedToAnotherSession) {
  World world;
  const auto a = world.open(), b = world.open();
  world.apply({.request = {7}, .what = Put{.key = "by nobody", .tied = true, .tied_to = a}});
  EXPECT_EQ(world.error({7}), Error::none);
  world.ask(b, Put{.key = "by b", .tied = true, .tied_to = a});
  EXPECT_EQ(world.state.file("by b")->tied, a);
  world.ask(b, Put{.key = "lasting", .tied_to = a});
  EXPECT_EQ(world.state.file("lasting")->tied, no_session) << "only if it is to be tied";
  world.ask(b, CloseSession{});
  EXPECT_EQ(world.state.files().size(), 3u);
  world.ask(a, CloseSession{});
  EXPECT_EQ(world.state.files().size(), 1u);

  const auto c = world.open(), d = world.open();
  const auto gone = world.ask(c, Put{.key = "k", .tied = true, .tied_to = a});
  EXPECT_EQ(world.error(gone), Error::not_found);
  EXPECT_EQ(world.message(gone), "session 1 is over, or has never been");
  world.ask(c, BreakSession{.session = d});
  EXPECT_EQ(world.error(world.ask(c, Put{.key = "k", .tied = true, .tied_to = d})),
            Error::not_found)
      << "it is about to go";
  EXPECT_FALSE(world.state.file("k"));
}

TEST(Files, TiedOnesGoWithTheirSession) {
  World world;
  const auto a = world.open({.lock_delay = seconds(9)}), b = world.open();
  world.ask(a, Put{.key = "tied", .tied = true});
  world.ask(a, Put{.key = "lasting"});
  world.ask(a, Put{.key = "taken over", .tied = true});
  world.ask(b, Put{.key = "taken over", .tied = true});
  world.ask(a, Put{.key = "freed", .tied = true});
  world.ask(b, Put{.key = "freed"});
  world.apply({.what = ExpireSession{a}});
  const auto changes = world.told<Change>();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, Kind::remove);
  EXPECT_EQ(changes[0].key, "tied");
  world.ask(b, CloseSession{});
  const auto left = world.state.files();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].key, "freed");
  EXPECT_EQ(left[1].key, "lasting");
}

TEST(Files, CanBeWrittenByNobodyUnlessTied) {
  World world;
  world.apply({.request = {1}, .what = Put{.key = "k"}});
  EXPECT_EQ(world.error({1}), Error::none);
  world.apply({.request = {1}, .what = Put{.key = "k", .tied = true}});
  EXPECT_EQ(world.error({1}), Error::bad_request);
  world.apply({.request = {1}, .what = Remove{.key = "k"}});
  EXPECT_EQ(world.error({1}), Error::none);
}

TEST(Files, AreListedByPrefix) {
  World world;
  const auto a = world.open();
  for (const std::string key : {"a", "b/2", "b/1", "b0", "b"}) world.ask(a, Put{.key = key});
  const auto found = world.state.files("b/");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].key, "b/1");
  EXPECT_EQ(world.state.files("", 3).size(), 3u);
}

TEST(Watches, GoOnWhereTheyWere) {
  World world;
  const auto a = world.open();
  world.ask(a, Put{.key = "b/1", .value = "one"});
  world.ask(a, Put{.key = "c"});
  world.ask(a, Acquire{.space = Namespace::election,
                       .names = {"b/chief"},
                       .terms = {.hold = {.value = "me"}}});
  world.ask(a, Remove{.key = "b/1"});
  const auto changes = world.state.changes_since({0}, Watched::files, "b/");
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 2u);
  EXPECT_EQ((*changes)[0].value, "one");
  EXPECT_EQ((*changes)[1].kind, Kind::remove);
  EXPECT_EQ((*changes)[1].revision, Revision{4});
  EXPECT_EQ(world.state.changes_since({1}, Watched::files, "b/")->size(), 1u);
  EXPECT_EQ(world.state.changes_since({0}, Watched::leaders, "b/")->size(), 1u);
  EXPECT_TRUE(world.state.changes_since(world.state.revision(), Watched::files)->empty());
}

TEST(Watches, FromTooLongAgoMustReadAnew) {
  World world;
  for (std::size_t i = 0; i <= most_changes; ++i) world.apply({.what = Put{.key = "k"}});
  EXPECT_FALSE(world.state.changes_since({0}, Watched::files));
  EXPECT_EQ(world.state.changes_since({1}, Watched::files)->size(), most_changes);
  const std::string large(largest_file, 'x');
  for (int i = 0; i < 300; ++i) world.apply({.what = Put{.key = "k", .value = large}});
  const auto last = world.state.revision();
  EXPECT_FALSE(world.state.changes_since({last.value - 257}, Watched::files));
  EXPECT_TRUE(world.state.changes_since({last.value - 250}, Watched::files));
}

TEST(Elections, TheLeaderSpeaksAndResigns) {
  World world;
  const auto a = world.open(), b = world.open();
  const auto campaign = [&](SessionId who, std::string value) {
    return world.ask(who, Acquire{.space = Namespace::election,
                                  .names = {"chief"},
                                  .terms = {.hold = {.value = value}}});
  };
  const auto first = campaign(a, "a:1");
  const auto term = world.fence(first);
  ASSERT_EQ(world.told<Change>().size(), 1u);
  EXPECT_EQ(world.told<Change>()[0], (Change{{1}, Kind::elect, "chief", "a:1", 0, a, term}));
  const auto second = campaign(b, "b:1");
  EXPECT_EQ(world.state.leader("chief")->party.session, a);
  EXPECT_EQ(world.error(world.ask(b, Proclaim{.name = "chief", .value = "!"})), Error::not_held);
  world.ask(a, Proclaim{.name = "chief", .value = "a:2"});
  EXPECT_EQ(world.told<Change>()[0], (Change{{2}, Kind::proclaim, "chief", "a:2", 0, a, term}));
  EXPECT_EQ(world.state.leader("chief")->terms.value, "a:2");
  world.ask(a, Release{.space = Namespace::election, .names = {"chief"}});
  const auto changes = world.told<Change>();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0], (Change{{3}, Kind::resign, "chief", "", 0, a, term}));
  EXPECT_EQ(changes[1], (Change{{4}, Kind::elect, "chief", "b:1", 0, b, world.fence(second)}));
  EXPECT_GT(world.state.leader("chief")->fence, term);
  // A lock of the same name is another thing.
  EXPECT_TRUE(world.is_granted(world.lock(a, {"chief"})));
}

TEST(Elections, AnExpiredLeaderIsNone) {
  World world;
  const auto a = world.open({.lock_delay = seconds(3)}), b = world.open();
  world.ask(
      a,
      Acquire{.space = Namespace::election, .names = {"chief"}, .terms = {.hold = {.value = "a"}}});
  world.ask(
      b,
      Acquire{.space = Namespace::election, .names = {"chief"}, .terms = {.hold = {.value = "b"}}});
  world.apply({.what = ExpireSession{a}});
  ASSERT_EQ(world.told<Change>().size(), 1u);
  EXPECT_EQ(world.told<Change>()[0].kind, Kind::resign);
  EXPECT_FALSE(world.state.leader("chief"));
  world.pass(seconds(3));
  ASSERT_EQ(world.told<Change>().size(), 1u);
  EXPECT_EQ(world.state.leader("chief")->terms.value, "b");
}

}  // namespace
}  // namespace baton::service
