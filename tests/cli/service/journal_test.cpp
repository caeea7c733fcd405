// What becomes of `baton serve` when its journal is damaged, cut, deleted or exchanged behind its
// back, or when the disk is full: it says so and does not begin, or ends; and whoever goes on all
// the same never gets an old fence.
#include "cli/service/served.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

class JournalOfServe : public Served {
 protected:
  // A server that has done something and was killed; `old` is what a copy from before has.
  void SetUp() override {
    start();
    ASSERT_EQ(baton("put kept before").code, 0);
    fence_ = next_fence();
    fs::create_directory(file("old"));
    for (const char* suffix : suffixes) fs::copy_file(journal(suffix), old(suffix));
    ASSERT_EQ(baton("acquire a --ttl 10m").code, 0);
    for (int i = 0; i < 8; ++i) ASSERT_EQ(baton("put kept " + std::to_string(i)).code, 0);
    fence_ = next_fence();
    kill_server();
  }

  static constexpr std::array suffixes{"", "-wal", ".mark"};
  fs::path journal(const std::string& suffix) const { return file("journal.db" + suffix); }
  fs::path old(const std::string& suffix) const { return file("old/journal.db" + suffix); }

  void damage(const std::string& suffix, std::uint64_t at, const std::string& bytes) const {
    std::fstream stream(journal(suffix), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream << bytes;
  }

  // It does not begin, says why and what to do, and harms nothing; and if told so, it goes on
  // without what is lost.
  void expect_refusal(const std::string& words) {
    const Outcome outcome = shell(command());
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(has(outcome.err, words)) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "journal.db")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "--accept-loss")) << outcome.err;
    start({}, "--accept-loss");
    EXPECT_GT(next_fence(), fence_) << "a fence went back";
    kill_server();
    start();
    EXPECT_GT(next_fence(), fence_);
  }

  std::uint64_t fence_ = 0;
};

TEST_F(JournalOfServe, IsWhole) {
  start();
  EXPECT_EQ(use_of("a"), "1+0");
  EXPECT_EQ(baton("get kept").out, "7");
  EXPECT_GT(next_fence(), fence_);
}

TEST_F(JournalOfServe, HasALogThatIsGone) {
  fs::remove(journal("-wal"));
  expect_refusal("are lost");
}

TEST_F(JournalOfServe, HasALogThatIsCutShort) {
  fs::resize_file(journal("-wal"), fs::file_size(journal("-wal")) / 2);
  expect_refusal("are lost");
}

TEST_F(JournalOfServe, HasADamagedLog) {
  damage("-wal", fs::file_size(journal("-wal")) / 2, std::string(40, 'x'));
  expect_refusal("are lost");
}

TEST_F(JournalOfServe, IsGone) {
  fs::remove(journal(""));
  fs::remove(journal("-wal"));
  expect_refusal("missing");
}

TEST_F(JournalOfServe, IsAnOlderCopy) {
  for (const char* suffix : {"", "-wal"}) {
    fs::copy_file(old(suffix), journal(suffix), fs::copy_options::overwrite_existing);
  }
  expect_refusal("older copy");
}

TEST_F(JournalOfServe, IsDamaged) {
  // An orderly end leaves one file.
  start();
  server().send(SIGTERM);
  EXPECT_EQ(server().wait(), 0);
  const auto size = fs::file_size(journal(""));
  for (std::uint64_t at = 4096; at < size; at += 512) damage("", at, std::string(30, 'x'));
  expect_refusal("damaged");
}

TEST_F(JournalOfServe, HasNoMark) {
  fs::remove(journal(".mark"));
  expect_refusal("mark is missing");
}

// Nothing that is left tells of what is lost. The date does: fences do not go back all the same.
TEST_F(JournalOfServe, IsAnOlderCopyWithItsMark) {
  for (const char* suffix : suffixes) {
    fs::copy_file(old(suffix), journal(suffix), fs::copy_options::overwrite_existing);
  }
  start();
  EXPECT_GT(next_fence(), fence_);
}

class FullDisk : public Served {};

TEST_F(FullDisk, EndsTheServerAndLosesNothingThatWasAcknowledged) {
  if (shell("unshare --mount true").code != 0) {
    GTEST_SKIP() << "needs root: a small disk is mounted where nobody else sees it";
  }
  fs::create_directory(file("disk"));
  const std::string disk = file("disk").string();
  const std::string serve = "$BATON serve --listen " + url() + " --journal " + disk + "/journal.db";
  std::ofstream(file("script")) << "mount -t tmpfs -o size=3m none " << disk << " || exit 99\n"
                                << serve << "\necho $? >" << file("code").string() << "\n"
                                << "mount -o remount,size=50m " << disk << "\nexec " << serve
                                << "\n";
  Running server("unshare --mount sh " + file("script").string());
  ASSERT_TRUE(eventually([&] { return shell("$BATON status").code == 0; })) << server.err();
  ASSERT_EQ(baton("acquire a --ttl 10m").code, 0);
  const std::string large(60'000, 'x');
  std::ofstream(file("large")) << large;
  // A write that was under way when the disk was full may have been kept, or not.
  Running writer(
      "sh -c 'i=0; while [ ! -e $F/code ] && $BATON put k/$i <$F/large; "
      "do i=$((i+1)); echo $i >$F/count; done'");
  EXPECT_TRUE(eventually([&] { return has_file("code"); })) << server.err();
  EXPECT_TRUE(eventually([&] { return text("code") == "4"; })) << text("code");
  EXPECT_TRUE(has(server.err(), "full")) << server.err();
  ASSERT_TRUE(eventually([&] { return shell("$BATON status").code == 0; })) << server.err();
  writer.wait();
  EXPECT_EQ(use_of("a"), "1+0") << "what was held is held";
  const int count = std::atoi(text("count").c_str());
  EXPECT_GT(count, 5);
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(baton("get k/" + std::to_string(i)).out, large) << i << " of " << count;
  }
}

}  // namespace
}  // namespace baton::test
