// What a member's clients are told and given when much is in use, and when others are gone.
#include <gtest/gtest.h>

#include <fstream>

#include "baton/peer.h"
#include "peers/band.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// The member has the token, so to speak, when its lease is too short for a client; then it loses
// it.
TEST(Waiter, IsServedAlthoughItsMemberHadTheLockAndLostIt) {
  Band band({.algorithm = "naimi-trehel"});
  Client client = band.connect(0);
  ASSERT_TRUE(client.lock("till").value().release());
  for (int round = 0; round < 4; ++round) {
    band.pause(1);
    band.pause(2);
    std::this_thread::sleep_for(500ms);
    auto asked = ask(client, "till");
    std::this_thread::sleep_for(700ms + round * 200ms);
    band.resume(1);
    band.resume(2);
    ASSERT_TRUE(comes(asked)) << band.logs();
    auto lock = asked.get();
    ASSERT_TRUE(lock) << lock.message();
    ASSERT_TRUE(lock->release());
  }
}

TEST(ManyNames, ArePartOfTheNextViewAndCanBeListed) {
  constexpr std::size_t count = 1000;
  constexpr std::size_t least = 300;
  Band band;
  Client client = band.connect(0);
  std::vector<std::future<Result<Lock>>> asked;
  for (std::size_t i = 0; i < count; ++i) {
    asked.push_back(ask(client, std::to_string(i) + std::string(500, 'x')));
  }
  std::vector<Lock> held;
  const auto is_there = [](auto& one) { return one.wait_for(0s) == std::future_status::ready; };
  ASSERT_TRUE(eventually([&] {
    for (auto& one : asked) {
      if (one.valid() && is_there(one)) held.push_back(one.get().value());
    }
    return held.size() >= least;
  })) << held.size();
  EXPECT_LT(held.size(), count) << "more than fit into a message would be lost with the view";
  Client other = band.connect(1);
  const auto listed = other.locks();
  ASSERT_TRUE(listed) << listed.message();
  EXPECT_GE(listed->locks.size(), least);

  band.kill(2);
  ASSERT_TRUE(eventually([&] { return band.works(0, 2) && band.works(1, 2); })) << band.logs();
  for (const Lock& lock : held) ASSERT_TRUE(lock.is_held()) << to_string(lock.why_lost());

  // As some go, others come.
  held.clear();
  ASSERT_TRUE(eventually([&] {
    std::erase_if(asked, [&](auto& one) {
      if (!one.valid()) return true;
      return is_there(one) && one.get().value().release().ok();
    });
    return asked.empty();
  })) << asked.size();
}

TEST(Members, WhoDoNotAnswerAreNamed) {
  Band band;
  Client client = band.connect(0);
  band.pause(2);
  const auto listed = client.locks();
  ASSERT_TRUE(listed) << listed.message();
  EXPECT_EQ(listed->silent, std::vector<std::string>{"3"});
  const Outcome shown = baton("locks --url " + band.url(0));
  EXPECT_TRUE(has(shown.err, "member 3 does not answer")) << shown.err;
  band.resume(2);
}

TEST(Members, WithoutAMajoritySayWhyNothingIsGranted) {
  Band band({.starts = false});
  band.start(0);
  ASSERT_TRUE(band.will_say(0, "only 1 of 3 members can be reached")) << band.log(0);
  const Outcome tried = baton("lock --url " + band.url(0) + " --try till -- true");
  EXPECT_TRUE(has(tried.err, "only 1 of 3 members can be reached")) << tried.err;
  const Outcome waited = baton("lock --url " + band.url(0) + " --wait 3s till -- true");
  EXPECT_TRUE(has(waited.err, "waiting for 'till': only 1 of 3 members")) << waited.err;
  EXPECT_EQ(waited.code, 75) << waited.err;
}

TEST(Members, CannotBeAddedToAGroupThatHasPromised) {
  Band band({.is_judged = false});
  for (std::size_t i = 0; i < band.size(); ++i) EXPECT_EQ(band.stop(i), 0);
  std::ofstream(band.group_file(0), std::ios::app) << "member 4 = 127.0.0.1:9\n";
  const Outcome refused = baton(band.command(0));
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_TRUE(has(refused.err,
                  "of the group band with 1 2 3, not of member 1 of the group band "
                  "with 1 2 3 4"))
      << refused.err;
}

TEST(Members, WhoHaveForgottenAreFoundOut) {
  Band band({.is_judged = false});
  band.kill(2);
  band.start(2);  // its second life
  band.wait_until_all_work();
  band.kill(2);
  std::filesystem::remove(band.file("3.promises"));
  band.start(2);
  EXPECT_TRUE(band.will_say(0, "member 3 has forgotten what it promised")) << band.log(0);
  ASSERT_TRUE(eventually([&] { return band.works(0, 2) && band.works(1, 2); })) << band.logs();
  EXPECT_EQ(baton("lock --url " + band.url(0) + " --wait 30s till -- true").code, 0);
}

TEST(PeerObject, ThatCannotStartSaysWhy) {
  EXPECT_EQ(Peer::start({.group = "none.group", .self = "1"}).error(), Error::bad_request);
  Band band({.starts = false});
  const std::string folder = band.file("own").string();
  const std::string file = band.group_file(0).string();
  EXPECT_FALSE(Peer::start({.group = "none.group", .self = "1", .directory = folder}));
  const auto unknown = Peer::start({.group = file, .self = "7", .directory = folder});
  EXPECT_NE(unknown.message().find("there is no member `7`"), std::string::npos)
      << unknown.message();
}

}  // namespace
}  // namespace baton::test
