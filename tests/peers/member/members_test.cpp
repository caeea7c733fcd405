// What a member's clients are told and given when much is in use, and when others are gone.
#include <gtest/gtest.h>

#include <fstream>

#include "baton/peer.h"
#include "peers/member/band.h"
#include "service/http/http_client.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// The member has the token, so to speak, when its lease is too short for a client; then it loses
// it.
TEST(Waiter, IsServedAlthoughItsMemberHadTheLockAndLostIt) {
  Band band({.algorithm = "naimi-trehel", .is_hasty = true});
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

TEST(TimeToEnd, IsSaidIfMoreWasAskedForThanThereIs) {
  const Band band;
  const Outcome usual = baton("lock --url " + band.url(0) + " till -- true");
  EXPECT_EQ(usual.code, 0);
  EXPECT_EQ(usual.err, "");
  const Outcome long_one = baton("lock --url " + band.url(0) + " --kill-after 5s till -- true");
  EXPECT_EQ(long_one.code, 0);
  EXPECT_TRUE(has(long_one.err, "if 'till' is lost, the command gets only")) << long_one.err;
}

TEST(ManyNames, ArePartOfTheNextViewAndCanBeListed) {
  constexpr std::size_t count = 1000;
  constexpr std::size_t least = 250;
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

// Each member's clients hold as many as it may have.
TEST(ManyNames, OfAllMembersAreKeptWhenTheViewChanges) {
  constexpr std::size_t count = 1200;
  Band band({.is_judged = false});
  std::vector<Client> clients;
  std::vector<std::vector<std::future<Result<Lock>>>> asked(band.size());
  for (std::size_t member = 0; member < band.size(); ++member) {
    clients.push_back(band.connect(member));
    for (std::size_t i = 0; i < count; ++i) {
      asked[member].push_back(ask(clients[member], std::to_string(member * count + i)));
    }
  }
  std::vector<std::vector<Lock>> held(band.size());
  for (std::size_t member = 0; member < band.size(); ++member) {
    for (auto& one : asked[member]) {
      ASSERT_TRUE(comes(one));
      held[member].push_back(one.get().value());
    }
  }
  band.kill(2);
  ASSERT_TRUE(eventually([&] { return band.works(0, 2) && band.works(1, 2); })) << band.logs();
  for (const std::size_t member : {0, 1}) {
    for (const Lock& lock : held[member]) ASSERT_TRUE(lock.is_held()) << to_string(lock.why_lost());
  }
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

// Clients over HTTP take every answer for a sign of life.
TEST(Members, WithoutAMajorityAnswerNobodyOverHttpWhoHoldsSomething) {
  Band band({.arguments = " --http 127.0.0.1:0"});
  const std::string log = band.log(0);
  const std::size_t at = log.find("serving http://127.0.0.1:");
  ASSERT_NE(at, std::string::npos) << log;
  http::TestClient holder(static_cast<std::uint16_t>(std::stoi(log.substr(at + 25))));
  const std::string key = "Idempotency-Key: k7f2mq9xw4ct1zbd\r\n";
  const auto opened = holder.ask("POST", "/v1/sessions", "{}", key);
  ASSERT_EQ(opened.status, 200) << opened.body;
  const std::string session = R"({"session":")" + opened.session() + R"("})";
  const auto lock = [&](const std::string& name) {
    return holder.ask(
        "POST", "/v1/lock",
        R"({"names":[")" + name + R"("],"wait":"10s","session":")" + opened.session() + "\"}");
  };
  ASSERT_EQ(lock("till").status, 200);
  EXPECT_EQ(holder.ask("POST", "/v1/sessions", "{}", key).status, 200);
  EXPECT_EQ(holder.ask("POST", "/v1/keepalive", session).status, 200);
  band.kill(1);
  band.kill(2);
  int status = 0;
  ASSERT_TRUE(eventually([&] {
    status = holder.ask("POST", "/v1/keepalive", session).status;
    return status != 200;
  }));
  EXPECT_EQ(status, 503);
  EXPECT_EQ(lock("safe").status, 503);
  EXPECT_EQ(holder.ask("POST", "/v1/sessions", "{}", key).status, 503);
}

TEST(Members, ThatAnswerTooLateForTheLeaseSaySo) {
  Band band({.is_hasty = true});
  Client client = band.connect(0);
  for (std::size_t i = 0; i < band.size(); ++i) {
    for (std::size_t j = i + 1; j < band.size(); ++j) band.between(i, j).slow(300ms);
  }
  std::this_thread::sleep_for(1s);
  auto asked = ask(client, "till");
  ASSERT_TRUE(eventually([&] {
    const auto info = band.status(0);
    return info && has(info->trouble, "answer too late");
  })) << band.logs();
  EXPECT_EQ(asked.wait_for(0s), std::future_status::timeout) << "it could not be promised";
  (void)client.close();
  band.heal();
  ASSERT_TRUE(eventually([&] {
    const auto info = band.status(0);
    return info && info->trouble.empty();
  })) << "nobody has to ask for something, for it to be over\n"
      << band.logs();
  Client other = band.connect(0);
  EXPECT_TRUE(other.lock("till")) << band.logs();
}

TEST(Members, EndWhileTheyAreAskedForLocks) {
  Band band;
  Client client = band.connect(0, 1s);
  band.pause(2);
  auto asked = std::async(std::launch::async, [&] { return client.locks(); });
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(band.stop(0), 0) << band.log(0);
  (void)client.close();
  EXPECT_FALSE(asked.get());
  band.resume(2);
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
