#include "service/journal/open.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "service/journal/fixture.h"

namespace baton::journal {
namespace {

TEST(OpenJournal, ByName) {
  const Scratch scratch;
  const std::string path = scratch.path() / "a:b.db";
  EXPECT_EQ(open("memory:")->describe(), "memory:");
  EXPECT_EQ(open("sqlite:" + path)->describe(), "sqlite:" + path);
  EXPECT_EQ(open(path)->describe(), "sqlite:" + path);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(OpenJournal, EveryMemoryJournalIsItsOwn) {
  const auto first = open("memory:");
  EXPECT_FALSE(append(*first, "a"));
  EXPECT_EQ(read_all(*open("memory:")).last, 0u);
}

TEST(OpenJournal, RefusesOtherNames) {
  for (const char* name : {"", "sqlite:", "memory:x", "redis:x", ":"}) {
    EXPECT_THROW(open(name), Unusable) << name;
  }
}

TEST(OpenJournal, PassesTheOptionsOn) {
  const Scratch scratch;
  const std::string path = scratch.path() / "journal.db";
  {
    const auto journal = open(path);
    read_all(*journal);
    append_many(*journal, 1, 3);
  }
  std::filesystem::remove(path + "-wal");
  EXPECT_THROW(open(path), Unusable);
  std::string warning;
  const auto journal = open(path, {true, [&](const std::string& text) { warning = text; }});
  EXPECT_EQ(read_all(*journal).last, 3u);
  EXPECT_NE(warning.find("the last 3 are lost"), std::string::npos) << warning;
}

}  // namespace
}  // namespace baton::journal
