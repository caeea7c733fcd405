// Processes that are killed while they append: nothing that was acknowledged is missing.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "service/journal/fixture.h"
#include "service/journal/sqlite.h"

namespace baton::journal {
namespace {

// Of any length, and different for every position and life.
std::string record_of(Position position, std::uint64_t life) {
  std::string record = std::to_string(position) + " of life " + std::to_string(life) + " ";
  record.append((position * 7919 + life * 104729) % 9000, 'x');
  return record;
}

// Appends until it is killed, and says each position that is acknowledged into the pipe.
[[noreturn]] void append_for_ever(const std::filesystem::path& path, std::uint64_t life, int pipe) {
  SqliteJournal journal(path, {.most_under_way = 2});
  const auto nothing = [](Position, std::string_view) {};
  Position next = journal.read(nothing, nothing) + 1;
  std::atomic<std::uint64_t> under_way = 0;
  std::atomic<bool> takes_snapshot = false;
  while (true) {
    const Position position = next++;
    ++under_way;
    journal.append(record_of(position, life), [&, position](const Fault& fault) {
      if (fault || write(pipe, &position, sizeof position) != sizeof position) _exit(1);
      --under_way;
      under_way.notify_one();
    });
    while (under_way >= 2) under_way.wait(2);
    if (position % 40 == 0 && !takes_snapshot.exchange(true)) {
      journal.snapshot(position - 2,
                       "up to " + std::to_string(position - 2) + std::string(150'000, 's'),
                       [&](const Fault& fault) {
                         if (fault) _exit(1);
                         takes_snapshot = false;
                       });
    }
  }
}

struct Life {
  Position acknowledged = 0;
  bool was_killed = false;
};

enum class From : std::uint8_t { start, first_record };

// Is killed when `span` is over, counted from when the process starts or acknowledges a record.
Life live(const std::filesystem::path& path, std::uint64_t life, From from,
          std::chrono::microseconds span) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try {
      append_for_ever(path, life, ends[1]);
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
  }
  close(ends[1]);
  if (from == From::first_record) {
    pollfd acknowledgement{ends[0], POLLIN, 0};
    EXPECT_EQ(poll(&acknowledgement, 1, 60'000), 1) << "no record within a minute";
  }
  std::this_thread::sleep_for(span);
  kill(child, SIGKILL);
  Life result;
  Position position = 0;
  while (::read(ends[0], &position, sizeof position) == sizeof position) {
    EXPECT_TRUE(result.acknowledged == 0 || position == result.acknowledged + 1) << "in order";
    result.acknowledged = position;
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.was_killed = WIFSIGNALED(status);
  return result;
}

TEST(SqliteKill, NothingAcknowledgedIsMissing) {
  const Scratch scratch;
  const auto path = scratch.path() / "journal.db";
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::vector<std::uint64_t> life_of{0};  // by position: who wrote it
  for (std::uint64_t life = 1; life <= 60; ++life) {
    SCOPED_TRACE(testing::Message() << "life " << life);
    const std::chrono::microseconds span(std::uniform_int_distribution<>(0, 30'000)(random));
    const From from = life % 2 == 0 ? From::start : From::first_record;
    const Life result = live(path, life, from, span);
    ASSERT_TRUE(result.was_killed);
    ASSERT_TRUE(from == From::start || result.acknowledged > 0);
    SqliteJournal journal(path);
    const Kept kept = read_all(journal);
    ASSERT_GE(kept.last, result.acknowledged);
    ASSERT_GE(kept.last + 1, life_of.size()) << "what an earlier life kept";
    life_of.resize(kept.last + 1, life);
    Position next = kept.snapshot ? kept.snapshot->first + 1 : 1;
    if (kept.snapshot) {
      ASSERT_EQ(kept.snapshot->second,
                "up to " + std::to_string(kept.snapshot->first) + std::string(150'000, 's'));
    }
    for (const auto& [position, bytes] : kept.records) {
      ASSERT_EQ(position, next++);
      ASSERT_EQ(bytes, record_of(position, life_of[position]));
    }
    ASSERT_EQ(next, kept.last + 1);
    if (life % 3 == 0) journal.close();
  }
}

// The mark is exact when only the process dies: no acknowledged record goes missing unnoticed.
TEST(SqliteKill, LogDeletedAfterwardsIsNoticed) {
  int refused = 0;
  for (std::uint64_t life = 1; life <= 10; ++life) {
    const Scratch scratch;
    const auto path = scratch.path() / "journal.db";
    const Life result = live(path, life, From::first_record, std::chrono::milliseconds(life));
    ASSERT_TRUE(result.was_killed);
    std::filesystem::remove(path.string() + "-wal");
    try {
      SqliteJournal journal(path);
      EXPECT_GE(read_all(journal).last, result.acknowledged);
    } catch (const Refused& refusal) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace baton::journal
