// When the engine writes: at once, or a little later and then more.
#include <gtest/gtest.h>

#include "service/server/engine_fixture.h"

namespace baton::server {
namespace {

TEST(EnginePace, WhatNobodyWaitsForMayLinger) {
  const auto store = std::make_shared<journal::MemoryStore>();
  Life life(store, {.longest_linger = {5'000}});
  life.start();
  const auto session = life.open("a", true);
  const auto records = [&] { return store->records.size(); };
  const std::size_t before = records();

  life.acquire(session, 2, "x", true);
  life.settle();
  EXPECT_GT(life.fence(session, 2), 0U) << "it is told";
  EXPECT_EQ(records(), before) << "and not written yet";
  life.host.clock += 4'999;
  life.release(session, 3, "x");
  life.settle();
  EXPECT_EQ(records(), before);
  life.host.clock += 1;
  life.settle();
  EXPECT_EQ(records(), before + 1) << "both at once, as old as the first";

  life.acquire(session, 4, "x", true);
  life.put("key", "value");
  life.settle();
  EXPECT_EQ(records(), before + 2) << "somebody waits for the last of them";

  life.acquire(session, 5, "y", true);
  life.settle();
  bool is_told = false;
  life.engine->when_durable([&] { is_told = true; });
  life.settle();
  EXPECT_TRUE(is_told) << "or for a look at the state";

  life.acquire(session, 6, "z", true);
  life.settle();
  const std::size_t lingering = records();
  life.engine->expire(session);
  life.settle();
  EXPECT_EQ(records(), lingering + 1) << "an end is written at once";
}

TEST(EnginePace, AfterAnAppendThoseWhoWereAnsweredAreWaitedFor) {
  const auto store = std::make_shared<journal::MemoryStore>();
  Life life(store, {.appends_per_holdback = 4});
  life.start();
  const auto a = life.open("a");
  const auto b = life.open("b");
  const auto records = [&] { return store->records.size(); };
  // Two share an append that takes 4 ms, and a third comes meanwhile.
  const auto take_turns = [&](std::uint64_t number) {
    life.is_slow = true;
    life.acquire(a, number, "x");
    life.acquire(b, number, "y");
    life.settle();
    life.put("key", "value");
    life.settle();
    life.host.clock += 4'000;
    life.finish_appends();
    life.release(a, number + 1, "x");
    life.settle();
  };
  take_turns(2);
  const std::size_t before = records();
  life.release(b, 3, "y");
  life.settle();
  EXPECT_EQ(records(), before + 1) << "all are there, and nobody waits any longer";

  take_turns(4);
  const std::size_t held = records();
  life.host.clock += 999;
  life.settle();
  EXPECT_EQ(records(), held);
  EXPECT_EQ(life.host.wanted_turn, 1'000);
  life.host.clock += 1;
  life.settle();
  EXPECT_EQ(records(), held + 1) << "one does not come";

  life.host.clock += 10'000;
  life.release(b, 5, "y");
  life.settle();
  EXPECT_EQ(records(), held + 2) << "who comes alone is not kept";
  life.acquire(a, 6, "x");
  life.settle();
  EXPECT_EQ(records(), held + 3);
}

}  // namespace
}  // namespace baton::server
