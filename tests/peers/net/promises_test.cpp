// What a member has promised, in a file that may be cut short at any moment.
#include "peers/net/promises.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace baton::net {
namespace {

constexpr std::uint32_t group_size = 3;
constexpr std::size_t slot_size = 64 * 1024;

Membership::Durable promise(std::uint64_t number) {
  const Epoch epoch{{number}, {1}, {7}};
  return {.incarnation = {7}, .promised = epoch, .before = {Epoch{{number - 1}, {0}, {3}}, epoch}};
}

std::uint64_t number_in(const Promises& promises) { return promises.kept().promised.number.value; }

class PromisesTest : public testing::Test {
 protected:
  PromisesTest() {
    std::string name = (std::filesystem::temp_directory_path() / "baton-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~PromisesTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "1.promises").string(); }
  std::unique_ptr<Promises> open() const { return Promises::open(path(), group_size, "me"); }
  std::string bytes() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void set(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  }
  // What is kept after so many promises, one after the other.
  std::string after(std::uint64_t promises) const {
    std::filesystem::remove(path());
    const auto kept = open();
    for (std::uint64_t i = 1; i <= promises; ++i) kept->keep(promise(i));
    return bytes();
  }
  std::string problem() const {
    try {
      open();
    } catch (const PromisesError& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(PromisesTest, AreThereAfterARestart) {
  for (std::uint64_t i = 1; i < 6; ++i) {
    const auto kept = open();
    EXPECT_EQ(number_in(*kept), i - 1);
    kept->keep(promise(i));
    EXPECT_EQ(number_in(*kept), i);
  }
  const auto kept = open();
  EXPECT_EQ(kept->kept().incarnation.value, 7U);
  EXPECT_EQ(kept->kept().before.size(), 2U);
}

// A write reaches the disk up to some byte, and what was there before it stays.
TEST_F(PromisesTest, AreTheOldOrTheNewOnesWhereverAWriteIsCutShort) {
  for (std::uint64_t number = 1; number <= 4; ++number) {
    const std::string old = after(number - 1);
    const std::string whole = after(number);
    std::size_t first = 0;
    while (first < old.size() && old[first] == whole[first]) ++first;
    std::size_t end = whole.size();
    while (end > first && end <= old.size() && old[end - 1] == whole[end - 1]) --end;
    while (end > first && whole[end - 1] == '\0') --end;
    // All of what changes, and some of the zeros after it.
    for (std::size_t cut = first; cut <= std::min(end + 3, whole.size()); ++cut) {
      std::string torn = whole.substr(0, cut);
      if (old.size() > cut) torn += old.substr(cut);
      set(torn);
      ASSERT_EQ(problem(), "") << "promise " << number << ", cut at byte " << cut;
      const std::uint64_t found = number_in(*open());
      ASSERT_TRUE(found == number || found + 1 == number)
          << found << " instead of " << number << ", cut at byte " << cut;
    }
    set(whole);
    ASSERT_EQ(number_in(*open()), number);
  }
}

// The size may reach the disk before the bytes do.
TEST_F(PromisesTest, OfWhichOnlyZerosHaveReachedTheDiskAreTheOldOnes) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    const std::string old = after(number - 1);
    std::string torn = old;
    torn.resize(after(number).size(), '\0');
    set(torn);
    ASSERT_EQ(problem(), "") << number;
    EXPECT_EQ(number_in(*open()), number - 1);
  }
}

TEST_F(PromisesTest, OfOneSlotThatIsDamagedAreThoseOfTheOther) {
  for (const std::size_t slot : {0, 1}) {
    std::string damaged = after(4);
    damaged[slot * slot_size + 20] = static_cast<char>(damaged[slot * slot_size + 20] ^ 1);
    set(damaged);
    const std::uint64_t found = number_in(*open());
    EXPECT_TRUE(found == 3 || found == 4) << found;
  }
}

TEST_F(PromisesTest, ThatAreDamagedTwiceAreRefused) {
  const std::string whole = after(4);
  const std::size_t used = whole.find_last_not_of('\0', slot_size - 1) + 1;
  for (std::size_t at = 0; at < used; ++at) {
    std::string damaged = whole;
    for (const std::size_t slot : {0, 1}) {
      damaged[slot * slot_size + at] = static_cast<char>(damaged[slot * slot_size + at] ^ 1);
    }
    set(damaged);
    ASSERT_NE(problem().find("A member must not forget what it promised"), std::string::npos)
        << "byte " << at << ": " << problem();
  }
}

TEST_F(PromisesTest, ThatAreNoneAreRefused) {
  for (const std::string& bytes :
       {std::string("x"), std::string("baton peer 2\n"), std::string(200'000, 'x')}) {
    set(bytes);
    EXPECT_NE(problem().find("these are no promises of a member"), std::string::npos) << problem();
  }
}

TEST_F(PromisesTest, AreKeptByOneProcessAtATime) {
  const auto kept = open();
  EXPECT_NE(problem().find("another process runs this member"), std::string::npos) << problem();
}

TEST_F(PromisesTest, SayWhereTheyCannotBeKept) {
  std::filesystem::create_directory(path());
  EXPECT_NE(problem().find("cannot open it"), std::string::npos) << problem();
  try {
    Promises::open((folder_ / "none" / "1.promises").string(), group_size, "me");
    ADD_FAILURE() << "there is no such folder";
  } catch (const PromisesError& error) {
    EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos);
  }
}

TEST_F(PromisesTest, ThatAreKeptNowhereAreForgotten) {
  {
    const auto kept = Promises::open("", group_size, "me");
    kept->keep(promise(5));
    EXPECT_EQ(number_in(*kept), 5U);
  }
  EXPECT_EQ(number_in(*Promises::open("", group_size, "me")), 0U);
}

TEST_F(PromisesTest, KnowWhetherTheProcessHadLeft) {
  EXPECT_FALSE(open()->was_cut_short()) << "there was none";
  open()->keep(promise(3));
  EXPECT_TRUE(open()->was_cut_short());
  open()->leave();
  EXPECT_FALSE(open()->was_cut_short());
  EXPECT_EQ(number_in(*open()), 3U);
  EXPECT_FALSE(open()->was_cut_short()) << "it has promised nothing since";
  open()->keep(promise(4));
  EXPECT_TRUE(open()->was_cut_short());
}

TEST_F(PromisesTest, OfAnotherAreNotTaken) {
  open()->keep(promise(3));
  try {
    Promises::open(path(), group_size + 2, "another");
    FAIL() << "they are not its own";
  } catch (const PromisesError& error) {
    EXPECT_NE(std::string(error.what()).find("these are the promises of me, not of another"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(number_in(*open()), 3U);
}

}  // namespace
}  // namespace baton::net
