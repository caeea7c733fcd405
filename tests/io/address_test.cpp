#include "io/address.h"

#include <gtest/gtest.h>

namespace baton::io {
namespace {

std::string problem_of(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const AddressError& error) {
    return error.what();
  }
  return "none";
}

TEST(Address, OfAServerIsSaidAgainAsAUrl) {
  const std::map<std::string, std::string> urls{
      {"unix:/run/baton/socket", "unix:/run/baton/socket"},
      {"here:7400", "baton://here:7400"},
      {"baton://here:07400", "baton://here:7400"},
      {":0", "baton://127.0.0.1:0"},
      {"[::1]:7400", "baton://[::1]:7400"},
      {"::1:7400", "baton://[::1]:7400"}};
  for (const auto& [text, url] : urls) EXPECT_EQ(parse_address(text).url(), url);
}

TEST(Address, OfAServerIsRefusedWithAReason) {
  const auto problem = [](const std::string& text) {
    return problem_of([&] { parse_address(text); });
  };
  EXPECT_EQ(problem("nowhere"), "'nowhere' is neither unix:PATH nor HOST:PORT");
  EXPECT_EQ(problem("a:65536"),
            "'a:65536' has no port between 0 and 65535: say unix:PATH or HOST:PORT");
  EXPECT_EQ(problem("a:1x"), "'a:1x' has no port between 0 and 65535: say unix:PATH or HOST:PORT");
  EXPECT_EQ(problem("unix:"), "'unix:' names no path");
  EXPECT_EQ(problem_of([] { parse_address("unix:/" + std::string(106, 'x')); }), "none");
  EXPECT_NE(problem("unix:/" + std::string(107, 'x')).find("at most 107 bytes"), std::string::npos);
}

TEST(Address, UrlsOfClientsNameServersInTurn) {
  const auto several = parse_url("baton://a:1,[::1]:2");
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0].url(), "baton://a:1");
  EXPECT_EQ(several[1].url(), "baton://[::1]:2");
  EXPECT_EQ(parse_url("unix:/socket").front().path, "/socket");
}

TEST(Address, UrlsOfClientsAreRefusedWithAReason) {
  const auto problem = [](const std::string& text) { return problem_of([&] { parse_url(text); }); };
  EXPECT_EQ(problem("a:1"), "'a:1' begins with neither unix: nor baton://");
  for (const char* url : {"baton://", "baton://a", "baton://a:1,", "baton://a:b:1", "baton://:1"}) {
    EXPECT_EQ(problem(url), "'" + std::string(url) + "' is not baton://HOST:PORT,HOST:PORT,…");
  }
}

TEST(Address, IsOfThisMachineOnly) {
  for (const char* text : {"unix:/socket", "localhost:1", "127.0.0.1:1", "[::1]:1", ":1"}) {
    EXPECT_TRUE(parse_address(text).is_loopback()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "here:1"}) {
    EXPECT_FALSE(parse_address(text).is_loopback()) << text;
  }
}

}  // namespace
}  // namespace baton::io
