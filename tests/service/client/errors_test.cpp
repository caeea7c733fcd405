// Every error has a name, words and a line in docs/errors.md.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "baton/error.h"
#include "baton/result.h"

namespace baton {
namespace {

TEST(Errors, EveryOneIsDocumented) {
  std::stringstream text;
  text << std::ifstream(SOURCE_FOLDER "/docs/errors.md").rdbuf();
  std::set<std::string> names;
  for (unsigned number = 0; number < 256; ++number) {
    const auto error = static_cast<Error>(number);
    const std::string name(name_of(error));
    if (name == "unknown") continue;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(message_of(error).empty());
    const std::string line = "| `" + name + "` | " + std::to_string(number) + " |";
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
  EXPECT_GE(names.size(), 20u);
}

TEST(Errors, ResultsSpeak) {
  const Result<int> good(5);
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 5);
  EXPECT_EQ(good.error(), Error::none);
  EXPECT_EQ(good.message(), "");
  const Result<int> bad(Failure{Error::busy, "by alice"});
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.message(), "somebody else holds it: by alice");
  try {
    (void)bad.value();
    FAIL();
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.error(), Error::busy);
    EXPECT_STREQ(failed.what(), "somebody else holds it: by alice");
  }
  EXPECT_THROW(Result<void>(Failure{Error::busy, {}}).value(), Failed);
}

}  // namespace
}  // namespace baton
