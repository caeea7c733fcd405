// The resource's fence: nobody with an older token after one with a newer, whoever dies when.
#include "baton/fence.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "service/client/fake_server.h"

namespace baton {
namespace {

using test::Folder;

class AnyFence : public testing::TestWithParam<bool> {
 protected:
  Result<Fence> open() const {
    return GetParam() ? Fence::in_sqlite(folder_.file("fence.db"), "disk")
                      : Fence::in_file(folder_.file("fence"));
  }

  Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(In, AnyFence, testing::Values(false, true),
                         [](const auto& where) { return where.param ? "Sqlite" : "File"; });

TEST_P(AnyFence, RefusesOlderTokens) {
  auto fence = open().value();
  EXPECT_EQ(*fence.highest(), 0u);
  EXPECT_TRUE(fence.admit(5));
  EXPECT_TRUE(fence.admit(5)) << "the same holder again";
  EXPECT_TRUE(fence.admit(9));
  const auto refused = fence.admit(8);
  EXPECT_EQ(refused.error(), Error::stale);
  EXPECT_NE(refused.message().find("9"), std::string::npos) << refused.message();
  EXPECT_TRUE(fence.admit(9));
  EXPECT_EQ(*fence.highest(), 9u);
}

TEST_P(AnyFence, RemembersForTheNext) {
  (void)open()->admit(1'700'000'000'000'000);
  auto fence = open().value();
  EXPECT_EQ(*fence.highest(), 1'700'000'000'000'000u);
  EXPECT_EQ(fence.admit(1'699'999'999'999'999).error(), Error::stale);
}

TEST_P(AnyFence, ZeroIsNoToken) { EXPECT_EQ(open()->admit(0).error(), Error::bad_request); }

TEST_P(AnyFence, PassKeepsOthersOut) {
  auto fence = open().value();
  std::atomic<bool> is_inside = true;
  auto pass = std::make_unique<Fence::Pass>(fence.enter(1).value());
  std::promise<void> begins;
  auto other = std::async(std::launch::async, [&] {
    begins.set_value();
    auto second = open()->enter(2);
    return second.ok() && !is_inside;
  });
  begins.get_future().wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  is_inside = false;
  pass.reset();
  EXPECT_TRUE(other.get());
  EXPECT_EQ(fence.admit(1).error(), Error::stale);
}

TEST_P(AnyFence, CannotBeWhereItCannotBe) {
  EXPECT_FALSE(GetParam() ? Fence::in_sqlite("/nonexistent/x", "r")
                          : Fence::in_file("/nonexistent/x"));
}

// What each child does until it is killed: rising tokens of its own, each of which it notes in a
// log while it is inside.
void rush(const std::function<Result<Fence>()>& open, int log, std::uint64_t first,
          std::uint64_t step) {
  auto fence = open().value();
  for (std::uint64_t token = first;; token += step) {
    auto pass = fence.enter(token);
    if (!pass && pass.error() != Error::stale) _exit(3);
    if (!pass) {
      token = *fence.highest() / step * step + first;
      continue;
    }
    char line[32];
    const int size =
        std::snprintf(line, sizeof line, "%020llu\n", static_cast<unsigned long long>(token));
    if (write(log, line, static_cast<std::size_t>(size)) != size) _exit(4);
  }
}

TEST_P(AnyFence, TokensInsideNeverGoBackThoughProcessesAreKilled) {
  const std::string log_path = folder_.file("log");
  const int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_TRUE(open());
  constexpr int rounds = 8;
  constexpr std::uint64_t rivals = 3;
  for (int round = 0; round < rounds; ++round) {
    std::vector<pid_t> children;
    for (std::uint64_t i = 0; i < rivals; ++i) {
      const pid_t child = fork();
      if (child == 0) rush([this] { return open(); }, log, i + 1, rivals);
      children.push_back(child);
    }
    const auto size = [&] { return lseek(log, 0, SEEK_END); };
    const auto before = size();
    EXPECT_TRUE(test::eventually([&] { return size() > before + 21L * 20; }));
    for (const pid_t child : children) {
      int status = 0;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << WEXITSTATUS(status);
    }
  }
  close(log);
  std::ifstream lines(log_path);
  std::uint64_t last = 0;
  std::uint64_t token = 0;
  while (lines >> token) {
    EXPECT_GE(token, last);
    last = token;
  }
  EXPECT_GE(*open()->highest(), last);
}

class FileFence : public testing::Test {
 protected:
  std::string path() const { return folder_.file("fence"); }
  void write_at(long at, const std::string& text) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << text;
  }

  Folder folder_;
};

// A write that was torn by a power loss: the token before it counts.
TEST_F(FileFence, SurvivesATornWrite) {
  {
    auto fence = Fence::in_file(path()).value();
    EXPECT_TRUE(fence.admit(5));
    EXPECT_TRUE(fence.admit(6));
  }
  write_at(4096 + 30, "99");
  EXPECT_EQ(*Fence::in_file(path())->highest(), 5u);
}

TEST_F(FileFence, RefusesADamagedFile) {
  {
    auto fence = Fence::in_file(path()).value();
    EXPECT_TRUE(fence.admit(5));
  }
  write_at(30, "99");
  EXPECT_EQ(Fence::in_file(path()).error(), Error::internal);
  std::ofstream(path()) << "something else";
  auto fence = Fence::in_file(path());
  EXPECT_EQ(fence.error(), Error::internal);
  EXPECT_NE(fence.message().find("damaged"), std::string::npos);
}

TEST_F(FileFence, TokensUseAllBits) {
  auto fence = Fence::in_file(path()).value();
  EXPECT_TRUE(fence.admit(~0ULL));
  EXPECT_EQ(*fence.highest(), ~0ULL);
  EXPECT_EQ(fence.admit(~0ULL - 1).error(), Error::stale);
}

TEST(SqliteFence, ResourcesAreApart) {
  Folder folder;
  auto disk = Fence::in_sqlite(folder.file("db"), "disk").value();
  auto tape = Fence::in_sqlite(folder.file("db"), "tape").value();
  EXPECT_TRUE(disk.admit(9));
  EXPECT_TRUE(tape.admit(3));
  EXPECT_EQ(*disk.highest(), 9u);
  EXPECT_EQ(disk.admit(~0ULL).error(), Error::bad_request);
}

}  // namespace
}  // namespace baton
