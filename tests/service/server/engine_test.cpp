#include "service/server/engine.h"

#include <algorithm>
#include <random>

#include "service/server/engine_fixture.h"
#include "service/state/versions.h"

namespace baton::server {
namespace {

using journal::Fate;
using journal::MemoryStore;

class EngineTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
};

TEST_F(EngineTest, BeginsToLeadOnlyWhenThatIsDurable) {
  Life life(store);
  life.is_slow = true;
  life.start();
  EXPECT_FALSE(life.is_ready);
  EXPECT_FALSE(life.engine->is_leading());
  life.finish_appends();
  EXPECT_TRUE(life.is_ready);
  EXPECT_TRUE(life.engine->is_leading());
}

TEST_F(EngineTest, HoldsAGrantBackUntilItsBatchIsDurable) {
  Life life(store);
  life.start();
  const auto session = life.open("a");
  life.is_slow = true;
  life.acquire(session, 2, "x");
  life.settle();
  EXPECT_FALSE(life.reply(session, 2));
  life.finish_appends();
  ASSERT_TRUE(life.reply(session, 2));
  EXPECT_EQ(life.reply(session, 2)->error, Error::none);
}

TEST_F(EngineTest, GathersWhatComesDuringAnAppendInOneRecord) {
  Life life(store);
  life.start();
  const auto session = life.open("a");
  const std::size_t before = store->records.size();
  life.is_slow = true;
  for (std::uint64_t i = 2; i < 12; ++i) {
    life.acquire(session, i, "x" + std::to_string(i));
    life.settle();
  }
  life.finish_appends();
  EXPECT_EQ(store->records.size(), before + 2) << "the first alone, then the rest";
  for (std::uint64_t i = 2; i < 12; ++i) EXPECT_TRUE(life.reply(session, i)) << i;
}

TEST_F(EngineTest, TellsAFastGrantAndItsReleaseAtOnce) {
  Life life(store);
  life.start();
  const auto session = life.open("a", true);
  life.is_slow = true;
  life.acquire(session, 2, "x", true);
  EXPECT_NE(life.fence(session, 2), 0U);
  life.release(session, 3, "x");
  EXPECT_TRUE(life.reply(session, 3));
  life.acquire(session, 4, "x");
  EXPECT_FALSE(life.reply(session, 4)) << "of the durable grade, though the session is of the fast";
}

TEST_F(EngineTest, HandsOverToAFastWaiterAtOnceAndToADurableOneLater) {
  Life life(store);
  life.start();
  const auto a = life.open("a", true);
  const auto b = life.open("b", true);
  const auto c = life.open("c");
  life.acquire(a, 2, "x", true);
  life.acquire(b, 2, "x", true);
  life.acquire(c, 2, "x");
  life.settle();
  life.is_slow = true;
  life.release(a, 3, "x");
  EXPECT_NE(life.fence(b, 2), 0U);
  life.release(b, 3, "x");
  EXPECT_EQ(life.fence(c, 2), 0U);
  life.finish_appends();
  EXPECT_NE(life.fence(c, 2), 0U);
}

TEST_F(EngineTest, TellsADurableReleaseOnlyWhenDurable) {
  Life life(store);
  life.start();
  const auto session = life.open("a");
  life.acquire(session, 2, "x");
  life.settle();
  life.is_slow = true;
  life.release(session, 3, "x");
  EXPECT_FALSE(life.reply(session, 3));
}

TEST_F(EngineTest, HoldsAFastGrantBackIfItsFenceIsNotReservedDurably) {
  Life life(store, {.fences_per_reserve = 4});
  life.start();
  const auto session = life.open("a", true);
  life.is_slow = true;
  std::uint64_t last_fence = 0;
  std::uint64_t number = 2;
  for (; number < 40; ++number) {
    life.acquire(session, number, "x" + std::to_string(number), true);
    life.engine->flush();
    if (life.fence(session, number) == 0) break;
    last_fence = life.fence(session, number);
  }
  ASSERT_LT(number, 40U) << "fences without end, though none were reserved";
  // A crash now: the next leader must begin above all that was told, by its records alone.
  store->floor = 0;
  Life next(store, {}, {}, 0);
  next.start();
  EXPECT_GT(next.engine->state().next_fence().value, last_fence);
}

TEST_F(EngineTest, ReservesMoreFencesBeforeTheyRunOut) {
  Life life(store, {.fences_per_reserve = 1000});
  life.start();
  const auto session = life.open("a", true);
  for (std::uint64_t number = 2; number < 5000; ++number) {
    life.acquire(session, number, "x", true);
    ASSERT_NE(life.fence(session, number), 0U) << number;
    life.release(session, ++number, "x");
    life.settle();
  }
}

TEST_F(EngineTest, AnswersAtOnceOnlyIfNothingIsUnderWay) {
  Life life(store);
  life.start();
  bool is_answered = false;
  life.engine->when_durable([&] { is_answered = true; });
  EXPECT_TRUE(is_answered);

  const auto session = life.open("a");
  life.is_slow = true;
  is_answered = false;
  life.acquire(session, 2, "x");
  life.settle();
  life.engine->when_durable([&] { is_answered = true; });
  EXPECT_FALSE(is_answered) << "what is under way could be seen";
  life.finish_appends();
  EXPECT_TRUE(is_answered);
}

TEST_F(EngineTest, TellsNothingMoreAfterAFailedAppend) {
  for (const Fate fate : {Fate::fail, Fate::fail_but_keep}) {
    auto fresh = std::make_shared<MemoryStore>();
    Life life(fresh, {},
              {.append = [&](journal::Position at) { return at >= 3 ? fate : Fate::keep; }});
    life.start();
    const auto session = life.open("a");
    life.acquire(session, 2, "x");
    life.settle();
    EXPECT_EQ(life.host.faults.size(), 1U);
    EXPECT_FALSE(life.reply(session, 2));
    life.acquire(session, 3, "y");
    life.settle();
    EXPECT_FALSE(life.reply(session, 3));
    EXPECT_FALSE(life.engine->is_leading());
  }
}

TEST_F(EngineTest, ALostAppendWasNeverToldOf) {
  Life life(store, {},
            {.append = [](journal::Position at) { return at >= 3 ? Fate::lose : Fate::keep; }});
  life.start();
  const auto session = life.open("a");
  life.acquire(session, 2, "x");
  life.settle();
  EXPECT_FALSE(life.reply(session, 2));

  Life next(store);
  next.start();
  EXPECT_FALSE(next.engine->state().lock(service::Namespace::lock, "x"));
  next.acquire(session, 2, "x");
  next.settle();
  EXPECT_NE(next.fence(session, 2), 0U);
}

TEST_F(EngineTest, ARequestThatWasKeptButNotToldIsAnsweredWhenRepeated) {
  Life life(store, {}, {.append = [](journal::Position at) {
              return at >= 3 ? Fate::keep_silently : Fate::keep;
            }});
  life.start();
  const auto session = life.open("a");
  life.acquire(session, 2, "x");
  life.settle();
  EXPECT_FALSE(life.reply(session, 2));
  const auto held = life.engine->state().lock(service::Namespace::lock, "x");
  ASSERT_TRUE(held);

  Life next(store);
  next.start();
  next.acquire(session, 2, "x");
  next.settle();
  EXPECT_EQ(next.fence(session, 2), held->holders.front().fence.value);
  EXPECT_EQ(next.engine->state().lock(service::Namespace::lock, "x")->holders.front().times, 1U);
}

TEST_F(EngineTest, RemembersAfterACrashWhatWasTold) {
  service::SessionId session;
  std::uint64_t fence = 0;
  {
    Life life(store);
    life.start();
    session = life.open("a");
    life.acquire(session, 2, "x");
    life.put("key", "value");
    life.settle();
    fence = life.fence(session, 2);
  }
  Life next(store);
  next.start();
  const auto lock = next.engine->state().lock(service::Namespace::lock, "x");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.front().fence.value, fence);
  EXPECT_EQ(next.engine->state().file("key")->value, "value");
}

TEST_F(EngineTest, ACleanEndLeavesNothingToReclaim) {
  for (const bool is_clean : {true, false}) {
    auto fresh = std::make_shared<MemoryStore>();
    {
      Life life(fresh);
      life.start();
      life.open("a", true);
      if (is_clean) {
        life.stop();
        EXPECT_TRUE(life.has_stopped);
      }
    }
    Life next(fresh);
    next.start();
    EXPECT_EQ(next.engine->state().is_recovering(), !is_clean);
    // A snapshot in between makes no difference.
    Life third(fresh, {.commands_per_snapshot = 1});
    third.start();
    EXPECT_TRUE(third.engine->state().is_recovering()) << "the second life crashed";
  }
}

TEST_F(EngineTest, ACrashAfterASnapshotIsACrash) {
  {
    Life life(store, {.commands_per_snapshot = 1});
    life.start();
    life.open("a", true);
    ASSERT_TRUE(store->records.empty()) << "the snapshot stands for all";
  }
  Life next(store);
  next.start();
  EXPECT_TRUE(next.engine->state().is_recovering());
}

TEST_F(EngineTest, FencesAndEpochsNeverGoBack) {
  std::uint64_t fence = 0;
  std::uint64_t epoch = 0;
  for (int life_number = 0; life_number < 20; ++life_number) {
    // The date jumps about.
    const std::int64_t wall = life_number % 3 == 0 ? 0 : life_number % 3 * 1'000'000 * second_us;
    Life life(store, {.commands_per_snapshot = 5}, {}, wall);
    life.start();
    EXPECT_GT(life.engine->epoch(), epoch);
    epoch = life.engine->epoch();
    const auto session = life.open("nonce" + std::to_string(life_number));
    life.acquire(session, 2, "x" + std::to_string(life_number));
    life.settle();
    ASSERT_GT(life.fence(session, 2), fence);
    fence = life.fence(session, 2);
    if (life_number % 2 == 0) life.stop();
  }
  // All records are lost, and the date is wrong: the journal's mark remains.
  store->records.clear();
  store->snapshot.reset();
  Life last(store, {}, {}, 0);
  last.start();
  EXPECT_GT(last.engine->state().next_fence().value, fence);
}

TEST_F(EngineTest, ServiceTimeGoesOnWhereItEnded) {
  service::Time end;
  {
    Life life(store);
    life.start();
    life.host.clock += 500 * second_us;
    life.open("a");
    end = life.engine->state().now();
  }
  Life next(store);
  next.host.clock = 5;
  next.start();
  EXPECT_GE(next.engine->now(), end);
  EXPECT_LT((next.engine->now() - end).value, second_us);
}

TEST_F(EngineTest, AnExpiredSessionsLockPassesOn) {
  Life life(store);
  life.start();
  const auto a = life.open("a");
  const auto b = life.open("b");
  life.acquire(a, 2, "x");
  life.acquire(b, 2, "x");
  life.settle();
  EXPECT_EQ(life.fence(b, 2), 0U);
  life.is_slow = true;
  life.engine->expire(a);
  life.settle();
  EXPECT_EQ(life.fence(b, 2), 0U) << "not before the expiry is durable";
  life.finish_appends();
  EXPECT_GT(life.fence(b, 2), life.fence(a, 2));
}

// Otherwise a crash could bring the session back, and with it the answer to a request that it made.
TEST_F(EngineTest, AFastGrantThatFollowsAnExpiryWaitsForIt) {
  Life life(store);
  life.start();
  const auto a = life.open("a", true);
  const auto b = life.open("b", true);
  const auto c = life.open("c", true);
  life.acquire(a, 2, "x", true);
  life.acquire(a, 3, "y", true);
  life.acquire(b, 2, "x", true);
  life.settle();
  life.is_slow = true;
  life.engine->expire(a);
  EXPECT_EQ(life.fence(b, 2), 0U) << "it was waiting";
  life.settle();
  life.acquire(c, 2, "y", true);
  EXPECT_EQ(life.fence(c, 2), 0U) << "it came while the expiry was under way";
  life.finish_appends();
  EXPECT_NE(life.fence(b, 2), 0U);
  EXPECT_NE(life.fence(c, 2), 0U);
  life.is_slow = true;
  life.acquire(c, 3, "z", true);
  EXPECT_NE(life.fence(c, 3), 0U) << "at once again";
}

TEST_F(EngineTest, AFastGrantThatFollowsTheEndOfALongHoldWaitsForIt) {
  Life life(store);
  life.start();
  const auto a = life.open("a", true);
  const auto b = life.open("b", true);
  proto::Request request;
  request.set_session(a.value);
  request.set_request(2);
  request.mutable_acquire()->add_names("x");
  request.mutable_acquire()->set_fast(true);
  request.mutable_acquire()->set_max_hold(second_us);
  life.submit(request);
  life.acquire(b, 2, "x", true);
  life.settle();
  life.is_slow = true;
  while (life.engine->state().lock(service::Namespace::lock, "x")->holders.front().party.session ==
         a) {
    life.host.clock += second_us;
    life.engine->tick();
    EXPECT_EQ(life.fence(b, 2), 0U);
  }
  life.settle();
  life.finish_appends();
  EXPECT_NE(life.fence(b, 2), 0U);
}

TEST_F(EngineTest, RefusesTheJournalOfANewerVersion) {
  proto::Batch batch;
  batch.set_version(service::record_format + 1);
  store->records.push_back({1, batch.SerializeAsString()});
  store->last = 1;
  EXPECT_THROW(Life(store).start(), journal::Unusable);
}

TEST_F(EngineTest, RefusesCommandsThatItDoesNotKnow) {
  proto::Batch batch;
  batch.set_version(service::record_format);
  batch.add_commands()->mutable_request()->set_session(1);
  store->records.push_back({1, batch.SerializeAsString()});
  store->last = 1;
  EXPECT_THROW(Life(store).start(), journal::Unusable);
  store->records.front().bytes = "no batch at all";
  EXPECT_THROW(Life(store).start(), journal::Unusable);
}

TEST_F(EngineTest, RefusesImpossibleTimesAndFences) {
  const auto is_refused = [](std::int64_t before, auto fill) {
    proto::Batch batch;
    batch.set_version(service::record_format);
    batch.set_now(before);
    fill(*batch.add_commands());
    const auto spoiled = std::make_shared<journal::MemoryStore>();
    spoiled->records.push_back({1, batch.SerializeAsString()});
    spoiled->last = 1;
    try {
      Life(spoiled).start();
      return false;
    } catch (const journal::Unusable&) {
      return true;
    }
  };
  const auto tick_after = [](std::int64_t time) {
    return [time](proto::Command& command) {
      command.set_now(time);
      command.mutable_tick();
    };
  };
  EXPECT_FALSE(is_refused(1, tick_after(1)));
  EXPECT_TRUE(is_refused(1, tick_after(INT64_MAX)));
  EXPECT_TRUE(is_refused(1, tick_after(-1)));
  EXPECT_TRUE(is_refused(INT64_MAX, tick_after(1)));
  EXPECT_TRUE(is_refused(-1, tick_after(1)));
  EXPECT_TRUE(is_refused(
      1, [](proto::Command& it) { it.mutable_lead()->set_fences_from(UINT64_MAX - 5); }));
  EXPECT_TRUE(
      is_refused(1, [](proto::Command& it) { it.mutable_reserve()->set_below(UINT64_MAX); }));
}

TEST_F(EngineTest, RefusesASnapshotThatContradictsItself) {
  Life life(store);
  life.start();
  const auto session = life.open("a");
  life.acquire(session, 2, "x");
  life.acquire(life.open("b"), 2, "x");
  life.settle();
  const service::StateImage image = life.engine->state().image();
  const auto is_refused = [&](auto spoil) {
    Snapshot snapshot{1, image};
    spoil(snapshot.image);
    const auto spoiled = std::make_shared<journal::MemoryStore>();
    spoiled->snapshot = {1, encode(snapshot)};
    spoiled->last = 1;
    try {
      Life(spoiled).start();
      return false;
    } catch (const journal::Unusable& refused) {
      return std::string(refused.what()).find("snapshot of the state is damaged") !=
             std::string::npos;
    }
  };
  using service::StateImage;
  EXPECT_FALSE(is_refused([](StateImage&) {}));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.sessions.erase(it.sessions.begin()); }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.sessions[1].waiting[0].names.clear(); }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.sessions[1].waiting[0].names[0] = "y"; }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.locks[0].holds[0].party.session = {99}; }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.locks[0].holds[0].fence = it.next_fence; }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.locks.push_back(it.locks[0]); }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.next_session = 1; }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.reserve = {1}; }));
  EXPECT_TRUE(is_refused([](StateImage& it) { it.sessions[0].terms.ttl = {-1}; }));
  EXPECT_TRUE(is_refused([](StateImage& it) {
    it.locks[0].slots = 2;
    it.sessions[1].waiting[0].terms.slots = 2;
    it.locks[0].holds[0].slot = 2;
  }));
  EXPECT_TRUE(is_refused([](StateImage& it) {
    it.locks[0].holds.push_back(it.locks[0].holds[0]);
    it.locks[0].holds[1].party.session = {2};
  }));
}

TEST_F(EngineTest, LeavesUnknownFieldsOutOfTheJournal) {
  Life life(store);
  life.start();
  proto::Request request;
  request.mutable_put()->set_key("key");
  auto* put = request.mutable_put();
  put->GetReflection()->MutableUnknownFields(put)->AddLengthDelimited(999, "from the future");
  request.GetReflection()->MutableUnknownFields(&request)->AddVarint(998, 1);
  life.submit(request);
  life.settle();
  EXPECT_EQ(store->records.back().bytes.find("from the future"), std::string::npos);
  proto::Batch batch;
  ASSERT_TRUE(batch.ParseFromString(store->records.back().bytes));
  const auto& kept = batch.commands(batch.commands_size() - 1).request();
  EXPECT_EQ(kept.put().key(), "key");
  EXPECT_TRUE(kept.GetReflection()->GetUnknownFields(kept).empty());
}

TEST_F(EngineTest, SnapshotsReplaceRecords) {
  Life life(store, {.commands_per_snapshot = 10});
  life.start();
  const auto session = life.open("a");
  for (std::uint64_t i = 2; i < 100; ++i) {
    life.acquire(session, i, "x" + std::to_string(i));
    life.settle();
  }
  EXPECT_GT(life.engine->counters().snapshots, 3U);
  ASSERT_TRUE(store->snapshot);
  EXPECT_LT(store->records.size(), 30U);
  const auto image = life.engine->state().image();

  Life next(store);
  next.start();
  EXPECT_EQ(next.engine->state().image().locks, image.locks);
  EXPECT_EQ(next.engine->state().image().sessions, image.sessions);
}

TEST_F(EngineTest, ASnapshotWaitsUntilAllThatIsInItIsDurable) {
  Life life(store, {.commands_per_snapshot = 3}, {.most_under_way = 4});
  life.start();
  const auto session = life.open("a");
  life.is_slow = true;
  for (std::uint64_t i = 2; i < 8; ++i) {
    life.acquire(session, i, "x" + std::to_string(i));
    life.settle();
  }
  EXPECT_FALSE(store->snapshot && store->snapshot->position > store->last);
  life.finish_appends();
  ASSERT_TRUE(store->snapshot);
  EXPECT_LE(store->snapshot->position, store->last);
}

// Sixty random commands of four sessions; the journal is slow at times.
void act_at_random(Life& life, std::mt19937& random, int life_number, std::uint64_t& number) {
  const auto below = [&random](std::uint32_t n) { return random() % n; };
  std::vector<service::SessionId> sessions;
  for (int i = 0; i < 4; ++i) {
    const std::string nonce = std::to_string(life_number * 10 + i);
    sessions.push_back(life.open(nonce, below(2) == 0, 2 * second_us));
  }
  for (int step = 0; step < 60; ++step) {
    const auto session = sessions[below(4)];
    const std::string name(1, static_cast<char>('a' + below(4)));
    life.host.clock += below(300'000);
    life.is_slow = below(3) == 0;
    switch (below(6)) {
      case 0:
        life.acquire(session, ++number, name, below(2) == 0);
        break;
      case 1:
        life.acquire(session, ++number, name, below(2) == 0, below(3) * second_us);
        break;
      case 2:
        life.release(session, ++number, name);
        break;
      case 3:
        life.put(name, std::to_string(step));
        break;
      case 4:
        life.engine->tick();
        break;
      default:
        if (below(8) == 0) life.engine->expire(session);
    }
    life.settle();
    if (!life.is_slow) life.finish_appends();
  }
  life.finish_appends();
}

// Random commands, crashes and clean ends: what the next life knows is what the last one knew of
// what was durable, to the last detail.
TEST_F(EngineTest, AReplayLeadsToTheSameState) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto fresh = std::make_shared<MemoryStore>();
    std::uint64_t number = 1;
    for (int life_number = 0; life_number < 4; ++life_number) {
      const std::size_t per_snapshot = 5 + random() % 60;
      Life life(fresh, {.commands_per_snapshot = per_snapshot},
                {.most_under_way = 1 + random() % 3});
      life.start();
      act_at_random(life, random, life_number, number);
      if (random() % 2 == 0) life.stop();
      const auto image = life.engine->state().image();
      service::StateImage found = replayed(*fresh);
      // A Farewell is only a moment of time.
      found.now = image.now;
      ASSERT_EQ(found, image);
    }
  }
}

}  // namespace
}  // namespace baton::server
